import { z } from "zod";
import type { AuditEntry } from "../../../../src/contract/audit.ts";
import { ConversationSettings } from "../../../../src/contract/conversation/conversation-settings.ts";
import type { Posted } from "../../../../src/contract/conversation/event.ts";
import type {
  Guard,
  PlannedCall,
  Preview,
  Verdict,
} from "../../../../src/contract/permission/gate.ts";
import type { Documents, Json } from "../../../../src/contract/store.ts";
import { type CallJournal, NOT_JOURNALED } from "../../../../src/contract/tools/call-journal.ts";
import type { CallState } from "../../../../src/contract/tools/call-state.ts";
import {
  type ForeignOperation,
  foreignToolName,
} from "../../../../src/contract/tools/foreign-tool.ts";
import { defineTool, type Operation, type Tool } from "../../../../src/contract/tools/operation.ts";
import type {
  Answer,
  RunnableTool,
  ToolContext,
  ToolResult,
} from "../../../../src/contract/tools/tool-call.ts";
import type {
  Decision,
  OfferRequest,
  ToolCall,
  TurnContext,
} from "../../../../src/contract/tools/toolbox.ts";
import { createEventHub } from "../../../../src/events/hub.ts";
import { ToolRegistry } from "../../../../src/tools/registry.ts";
import { StoredResults } from "../../../../src/tools/results/stored-results.ts";
import { createToolbox } from "../../../../src/tools/toolbox.ts";

/** Documents as a store keeps them: what was given as JSON comes back, and nothing is shared. */
class MemoryDocuments implements Documents {
  readonly kept = new Map<string, string>();
  isBroken = false;
  async get(key: string): Promise<Json | undefined> {
    if (this.isBroken) throw new Error("the disk is gone");
    const text = this.kept.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }
  async set(key: string, value: Json): Promise<void> {
    if (this.isBroken) throw new Error("the disk is gone");
    this.kept.set(key, JSON.stringify(value));
  }
  async delete(key: string): Promise<boolean> {
    return this.kept.delete(key);
  }
  async keys(prefix = ""): Promise<string[]> {
    return [...this.kept.keys()].filter((key) => key.startsWith(prefix)).sort();
  }
}

type Run = (params: Readonly<Record<string, unknown>>, context: ToolContext) => Promise<Answer>;

/** An operation where a test does not care. */
function operation(more: Partial<Operation> = {}): Operation {
  return {
    summary: "does something",
    repeat: "safe",
    level: "safe",
    category: "read",
    line: () => "Probing",
    params: z.object({}),
    ...more,
  };
}

/** A tool for one purpose that does what it is given. */
export function single(
  name: string,
  run: Run,
  { position, ...more }: Partial<Operation> & Pick<Tool, "position"> = {},
): RunnableTool {
  const definition = defineTool({
    name,
    ...(position === undefined ? {} : { position }),
    description: `The probe ${name}.`,
    single: true,
    operations: { [name]: operation(more) },
  });
  return { definition, run: (_operation, params, context) => run(params, context) };
}

/** A tool of an external server that does what it is given. */
export function foreign(
  server: string,
  tool: string,
  run: Run,
  {
    schema = { type: "object" },
    digest = "0",
    ...more
  }: Partial<Operation & ForeignOperation> = {},
): RunnableTool {
  const name = foreignToolName(server, tool);
  return single(name, run, {
    level: "standard",
    category: "foreign",
    repeat: "unsafe",
    ...more,
    foreign: { server, digest, schema },
  });
}

/** A tool with operations that answer with their own name. */
export function consolidated(
  name: string,
  operations: Record<string, Partial<Operation>>,
): RunnableTool {
  const definition = defineTool({
    name,
    description: `The probe ${name}.`,
    operations: Object.fromEntries(
      Object.entries(operations).map(([key, more]) => [key, operation(more)]),
    ),
  });
  return {
    definition,
    run: async (called, params) => ({ text: `${called} ${JSON.stringify(params)}` }),
  };
}

export const settings = (more: Partial<ConversationSettings> = {}) =>
  ConversationSettings.parse(more);

type Check = (call: PlannedCall, context: ToolContext) => Promise<Verdict>;
type CallEntry = Extract<AuditEntry, { kind: "call" }>;

/** A guard that sees nothing but the call, and decides as it is told. */
function guardOf(check: Check, onPreview = () => {}): Guard {
  interface Seen extends Preview {
    readonly call: PlannedCall;
    readonly context: ToolContext;
  }
  return {
    preview: async (call, context): Promise<Seen> => {
      onPreview();
      const question = async () => undefined;
      return { call, context, level: "click", reason: "", paths: [], question };
    },
    decide: ({ call, context }: Seen) => check(call, context),
  };
}

export interface LabOptions {
  readonly tools?: readonly RunnableTool[];
  readonly verdict?: Verdict | Check;
  readonly secret?: string;
  readonly journal?: CallJournal;
  readonly onPreview?: () => void;
  /** Before an entry is recorded. What it throws, the audit could not record. */
  readonly onAudit?: (entry: CallEntry) => void | Promise<void>;
}

const SECRETLESS = "(a secret)";

/** A toolbox with probes in it, and everything that it tells. */
export function lab({ tools = [], verdict, secret, journal, onPreview, onAudit }: LabOptions = {}) {
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const events = createEventHub({ warn });
  const posted: Posted[] = [];
  events.observe((event) => void posted.push(event));
  const registry = new ToolRegistry({ events, warn });
  for (const tool of tools) registry.register(tool);
  const redact = (text: string) => (secret ? text.replaceAll(secret, SECRETLESS) : text);
  const redactor = {
    redact,
    redactDeep: <Value>(value: Value): Value => JSON.parse(redact(JSON.stringify(value))),
  };
  const entries: CallEntry[] = [];
  const documents = new MemoryDocuments();
  const stored = new StoredResults(documents);
  const guard = guardOf(
    typeof verdict === "function"
      ? verdict
      : async () => verdict ?? { outcome: "allowed", reason: "a test" },
    onPreview,
  );
  const toolbox = createToolbox({
    registry,
    guard,
    audit: {
      record: async (given) => {
        const entry = given as CallEntry;
        await onAudit?.(entry);
        entries.push(entry);
        return { number: entries.length, at: "", entry, previous: "", hash: "" };
      },
    },
    events,
    redactor,
    warn,
    stored,
  });
  /** The states that the audit was told, in order. */
  const states = (): CallState[] => entries.flatMap((entry) => entry.states);

  const turn = (
    more: Partial<TurnContext> & { request?: Partial<OfferRequest> } = {},
  ): TurnContext => {
    const { request, ...rest } = more;
    const conversation = rest.conversation ?? "A";
    return {
      conversation,
      initiatedBy: "model",
      signal: new AbortController().signal,
      workspace: () => Promise.reject(new Error("This test has no workspace.")),
      offer: toolbox.offer({ conversation, settings: settings(), ...request }),
      asks: false,
      journal: journal ?? NOT_JOURNALED,
      ...rest,
    };
  };

  /** One call that has to end, and its result. */
  const call = async (
    name: string,
    args: ToolCall["arguments"] = {},
    more: Parameters<typeof turn>[0] & { callId?: string; decision?: Decision } = {},
  ): Promise<ToolResult> => {
    const { callId = "call-1", decision, ...rest } = more;
    const outcome = await toolbox.runCall({ callId, name, arguments: args }, turn(rest), decision);
    if (outcome.outcome !== "finished") throw new Error("The call waits for a human.");
    return outcome.result;
  };

  /** The events that were told, once observers have had their turn. */
  const told = async () => {
    await new Promise(setImmediate);
    return posted;
  };

  return {
    toolbox,
    registry,
    events,
    documents,
    stored,
    warnings,
    entries,
    states,
    turn,
    call,
    told,
  };
}
