import { createHash } from "node:crypto";
import { z } from "zod";
import type { BoundCall, GrantScope } from "../../contract/permission/approval.ts";
import type { PlannedCall } from "../../contract/permission/gate.ts";
import type { Operation } from "../../contract/tools/operation.ts";
import type { ToolContext } from "../../contract/tools/tool-call.ts";
import type { PathEffect, Workspace } from "../../contract/workspace/workspace.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import type { Assessment } from "../assess.ts";
import { heldFiles } from "../grants/grant-files.ts";
import type { Policy } from "../policy/policy.ts";
import type { ApprovalBinding } from "./approved-command.ts";
import type { FileText } from "./file-texts.ts";

/** Everything that decides what will happen, in one value. */
export function bind(
  call: PlannedCall,
  context: ToolContext,
  {
    assessment,
    texts,
    policy,
  }: {
    readonly assessment: Assessment & Partial<ApprovalBinding>;
    readonly texts: readonly FileText[];
    readonly policy: Policy;
  },
): BoundCall {
  const { identity, paths, command, binding } = assessment;
  const { contributors = [] } = context;
  return {
    operation: call.operationKey,
    params: plain(runnableParams(call, assessment)),
    workingDirectory:
      binding?.run.directory ?? command?.directory ?? context.workingDirectory ?? null,
    identity,
    paths: paths.map(({ parameter, access, resolved }) => ({ parameter, access, resolved })),
    contents: texts.map((file) => ({
      path: file.path,
      digest: file.text === undefined ? "unreadable" : sha256(file.text),
    })),
    ...(binding ? { run: binding.run } : {}),
    schema: schemaHash(call.operationKey, call.definition),
    conversation: context.conversation,
    requester: context.userId ?? null,
    ...(contributors.length > 0 ? { contributors: [...contributors] } : {}),
    policy: policy.hash,
  };
}

/** SHA-256 of the one way to write it: what an approval is for. */
export function digestOf(call: BoundCall): string {
  return sha256(canonicalJson(call));
}

/**
 * A grant for one command also holds the directory, code and settings that were looked at when it was shown. Undefined
 * where the same words may do something else later.
 */
export async function boundScope(
  scope: GrantScope | undefined,
  { binding }: ApprovalBinding,
  workspace: Workspace | undefined,
): Promise<GrantScope | undefined> {
  if (scope?.kind !== "command" || !binding || !workspace) return scope;
  const { run, held } = binding;
  const files = await heldFiles(held, { workspace, directory: run.directory });
  if (!files) return undefined;
  return { ...scope, directory: run.directory, run: sha256(canonicalJson({ run, files })) };
}

/** As root only resolved paths are used; as anybody else the call's own words are. */
export function runnableParams(
  { params }: PlannedCall,
  { identity, paths }: Pick<Assessment, "identity" | "paths">,
): Readonly<Record<string, unknown>> {
  if (identity !== "root") return params;
  const named = paths.filter(({ parameter }) => parameter !== "patchContent");
  const changed = named.map(({ parameter }) => [parameter, resolvedIn(parameter, params, named)]);
  return { ...params, ...Object.fromEntries(changed) };
}

function resolvedIn(
  parameter: string,
  params: Readonly<Record<string, unknown>>,
  paths: readonly PathEffect[],
): unknown {
  const resolved = paths
    .filter((path) => path.parameter === parameter)
    .map((path) => path.resolved);
  return Array.isArray(params[parameter]) ? resolved : resolved[0];
}

const schemaHashes = new WeakMap<Operation, string>();

/** A tool whose parameters were changed since is another tool. */
function schemaHash(key: string, definition: Operation): string {
  const known = schemaHashes.get(definition);
  if (known !== undefined) return known;
  const { summary, foreign } = definition;
  const schema = z.toJSONSchema(definition.params, { io: "input", unrepresentable: "any" });
  const hash = sha256(
    canonicalJson({
      key,
      summary,
      schema: plain(schema),
      ...(foreign && { foreign: { digest: foreign.digest, schema: foreign.schema } }),
    }),
  );
  schemaHashes.set(definition, hash);
  return hash;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function plain(value: object): BoundCall["params"] {
  return JSON.parse(JSON.stringify(value)) as BoundCall["params"];
}
