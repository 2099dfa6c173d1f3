import { randomUUID } from "node:crypto";
import { createInterface, type Interface } from "node:readline";
import type { OperationResult } from "./contract/operation.ts";
import type { Workspace, Workspaces } from "./contract/workspace.ts";

const CONVERSATION = "console";
/** One bot, one console: nobody else holds this conversation. */
const FENCE = 0;

const HELP = `  $ command   runs in this console's workspace; Ctrl-C stops it
  status      the workspaces and what runs in this one
  reset       removes this console's workspace and its files
  exit        leaves; the workspace and its terminal stay`;

export interface ConsoleParts {
  readonly workspaces: Workspaces;
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** A line console for as long as there is no chat: resolves when the person leaves. */
export async function runConsole({ workspaces, input, output }: ConsoleParts): Promise<void> {
  const say = (text: string) => output.write(`${text}\n`);
  say(`Deckhand is ready. This is its line console:\n${HELP}`);
  const lines = createInterface({ input, output, prompt: "deckhand> " });
  let open = true; // a piped input ends while its last commands still run
  lines.once("close", () => {
    open = false;
  });
  lines.prompt();
  for await (const line of lines) {
    if (line.trim() === "exit") break;
    const signal = interruptible(lines);
    say(await answer(workspaces, line.trim(), signal).catch(sentence));
    if (open) lines.prompt();
  }
  lines.close();
}

async function answer(workspaces: Workspaces, line: string, signal: AbortSignal): Promise<string> {
  if (line === "") return "";
  if (line.startsWith("$"))
    return runCommand(await openOwn(workspaces, signal), line.slice(1).trim(), signal);
  if (line === "status") return status(workspaces);
  if (line === "reset") {
    await workspaces.reset(CONVERSATION);
    return "The workspace is gone; the next command makes a new one.";
  }
  return line === "help" ? HELP : `I don't know "${line}".\n${HELP}`;
}

function openOwn(workspaces: Workspaces, signal: AbortSignal): Promise<Workspace> {
  return workspaces.open(CONVERSATION, { fence: FENCE, signal });
}

async function runCommand(
  workspace: Workspace,
  command: string,
  signal: AbortSignal,
): Promise<string> {
  const args = { operation: "run_command", command };
  const call = { id: randomUUID(), tool: "terminal_operations", args };
  return describe(await workspace.call(call, { signal }));
}

function describe(result: OperationResult): string {
  const output = typeof result.output === "string" ? result.output.trimEnd() : "";
  const parts = [output, result.success ? "" : result.message, result.notice];
  return parts.filter(Boolean).join("\n") || "(no output)";
}

async function status(workspaces: Workspaces): Promise<string> {
  const all = await workspaces.list();
  if (all.length === 0) return "No workspaces yet.";
  return all
    .map((one) => `${one.conversation}: ${one.state}, last used ${one.lastUsedAt}`)
    .join("\n");
}

/** Ctrl-C stops what runs now, and nothing later. */
function interruptible(lines: Interface): AbortSignal {
  const stop = new AbortController();
  lines.removeAllListeners("SIGINT");
  lines.once("SIGINT", () => stop.abort());
  return stop.signal;
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
