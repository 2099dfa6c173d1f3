import { short, typedFailureOf } from "../../contract/display.ts";
import type { Redactor } from "../../contract/redactor.ts";
import type { RawArgs } from "../../contract/tools/operation.ts";
import type { ToolResult } from "../../contract/tools/tool-call.ts";
import { type ShownOutput, shownOutput } from "../shown/shown-output.ts";

const TITLE_CHARS = 80;
/** What whoever typed the call knows already. */
const KNOWN: ReadonlySet<string> = new Set([
  "success",
  "kind",
  "message",
  "session_id",
  "operation",
]);

/** What came of a human's own call, for people: a command as its terminal shows it, anything else briefly. */
export function directResult(
  redactor: Pick<Redactor, "redact">,
  call: { readonly name: string; readonly arguments: string | RawArgs },
  result: ToolResult,
): ShownOutput {
  const data = result.output.additionalData;
  const output = typeof data.output === "string" ? data.output : undefined;
  const isTerminal = output !== undefined && result.toolName === "terminal_operations";
  const text = isTerminal ? terminalText(output, data, result) : briefly(data, result);
  const name = isTerminal ? "output.txt" : "result.txt";
  return shownOutput(redactor, text, { title: titleOf(redactor, call, result), file: name });
}

function titleOf(
  redactor: Pick<Redactor, "redact">,
  { name, arguments: args }: { readonly name: string; readonly arguments: string | RawArgs },
  { success, output: { additionalData: data } }: ToolResult,
): string {
  const given = typeof args === "string" ? undefined : args.command;
  // Before it is cut: half a secret is not found.
  const command = short(typeof given === "string" ? redactor.redact(given) : given, TITLE_CHARS);
  const what = command === undefined ? name : `$ ${command}`;
  const code = typeof data.exit_code === "number" ? `exit code ${data.exit_code}` : undefined;
  const how = code ?? (success ? "done" : "failed");
  const took = typeof data.duration_ms === "number" ? `, ${seconds(data.duration_ms)}` : "";
  return `${success ? "✅" : "❌"} ${what} (${how}${took})`;
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;

function terminalText(output: string, data: RawArgs, result: ToolResult): string {
  const failure = result.success || typeof data.exit_code === "number" ? [] : [errorText(result)];
  const notice = typeof data.notice === "string" ? [data.notice] : [];
  const parts = [output.trimEnd(), ...failure, ...notice].filter((part) => part !== "");
  return parts.length === 0 ? "(no output)" : parts.join("\n");
}

/** Fields of several lines stand as they are, the others as JSON. */
function briefly(data: RawArgs, result: ToolResult): string {
  if (!result.success) return errorText(result);
  if (typeof data.userResponse === "string") return `Answered: ${data.userResponse}`;
  if (result.output.mimeType === "text/plain") return result.output.content;
  const fields = Object.entries(data).filter(([name]) => !KNOWN.has(name));
  if (fields.length === 0) return result.output.content;
  return fields.map(([name, value]) => `${name}: ${asText(value)}`).join("\n");
}

function asText(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value, null, 2);
  return value.includes("\n") ? `\n${value}` : value;
}

function errorText({ output }: ToolResult): string {
  const { message } = output.additionalData;
  return typedFailureOf(typeof message === "string" ? message : output.content);
}
