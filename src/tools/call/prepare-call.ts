import { randomUUID } from "node:crypto";
import { short } from "../../contract/display.ts";
import type { PlannedCall } from "../../contract/permission/gate.ts";
import { type Execution, type RawArgs, ToolError } from "../../contract/tools/operation.ts";
import type { RunnableTool } from "../../contract/tools/tool-call.ts";
import { parseCall, shapeOf } from "../../contract/tools/tool-schema.ts";
import type { ToolCall, TurnContext } from "../../contract/tools/toolbox.ts";
import { type Meant, meantBy } from "../catalogue/names.ts";
import type { ToolRegistry } from "../registry.ts";
import { parseArguments } from "./parse-arguments.ts";

/** A call as far as it can be understood, without having done anything. */
export interface PreparedCall {
  readonly callId: string;
  /** The tool's public name, or what was called where there is no such tool. */
  readonly toolName: string;
  /** As far as it is known. */
  readonly operation?: string;
  /** For the card; nobody has checked these. */
  readonly args: RawArgs;
  readonly execution: Execution;
  /** What would run, or why nothing can. */
  readonly plan: Plan;
}

type Plan =
  | { readonly tool: RunnableTool; readonly call: PlannedCall }
  | { readonly refused: ToolError };

export interface PrepareDeps {
  readonly registry: ToolRegistry;
}

/** Understands a call. Never throws: what is wrong with the call becomes its plan. */
export function prepareCall(deps: PrepareDeps, call: ToolCall, turn: TurnContext): PreparedCall {
  const callId = call.callId || randomUUID();
  const meant = meantBy(call.name, (name) => {
    return deps.registry.get(turn.offer.toolNamed(name) ?? name);
  });
  if (!meant) return unknownTool(callId, call.name);
  const { tool } = meant.tool;
  const toolName = tool.definition.name;
  const base = { callId, toolName, execution: "parallel" as const };
  const refusal = turn.offer.refusal(toolName);
  if (refusal !== undefined)
    return { ...base, args: {}, plan: { refused: notOffered(toolName, refusal) } };
  try {
    const prepared = understood(callId, meant, call);
    const { operation } = prepared;
    const limit = operation === undefined ? undefined : turn.offer.refusal(toolName, operation);
    if (operation === undefined || limit === undefined) return prepared;
    return { ...prepared, plan: { refused: notOffered(`${toolName}.${operation}`, limit) } };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { ...base, args: {}, plan: { refused: withShape(error, meant) } };
  }
}

function understood(
  callId: string,
  { tool: { tool }, operation }: Meant,
  call: ToolCall,
): PreparedCall {
  const { definition } = tool;
  const given = parseArguments(call.arguments);
  const isNamed = operation !== undefined && operation !== definition.name;
  const args = isNamed && given.operation === undefined ? { ...given, operation } : given;
  const name = definition.single ? definition.name : args.operation;
  const known =
    typeof name === "string" && Object.hasOwn(definition.operations, name)
      ? definition.operations[name]
      : undefined;
  return {
    callId,
    toolName: definition.name,
    ...(known && { operation: String(name) }),
    args,
    execution:
      typeof known?.execution === "function"
        ? known.execution(args)
        : (known?.execution ?? "parallel"),
    plan: planOf(tool, args),
  };
}

function planOf(tool: RunnableTool, args: RawArgs): Plan {
  const { definition } = tool;
  try {
    const { operation, params } = parseCall(definition, args);
    const found = definition.operations[operation];
    if (!found) throw new Error(`${definition.name} has no operation ${operation}.`);
    const operationKey = definition.single ? definition.name : `${definition.name}.${operation}`;
    const call = {
      operationKey,
      tool: definition.name,
      operation,
      definition: found,
      level: found.level,
      params,
    };
    return { tool, call };
  } catch (error) {
    if (error instanceof ToolError) return { refused: error };
    throw error;
  }
}

function unknownTool(callId: string, name: string): PreparedCall {
  const shown = short(name, 100) ?? "";
  return {
    callId,
    toolName: shown,
    args: {},
    execution: "parallel",
    plan: {
      refused: new ToolError(
        "toolNotFound",
        `Tool "${shown}" not found. Use the exact name of a tool that you were given.`,
      ),
    },
  };
}

function notOffered(tool: string, why: string): ToolError {
  return new ToolError("permissionDenied", `${tool} may not be used here. ${why}`);
}

/** Says what the arguments should have looked like, which nobody could read out of them. */
function withShape(error: ToolError, { tool: { tool }, operation }: Meant): ToolError {
  const { definition } = tool;
  const name = definition.single ? definition.name : operation;
  const known = name === undefined ? undefined : definition.operations[name];
  const expected = known
    ? shapeOf(known)
    : `{ operation, … } with operation one of ${Object.keys(definition.operations).join(", ")}`;
  return new ToolError(error.kind, `${error.message} Expected ${expected}.`, error.details, {
    cause: error,
  });
}
