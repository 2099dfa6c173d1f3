import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { LocalWorkspaces } from "./local-workspaces.ts";
import { type Fields, isObject } from "./model-server/refusal.ts";
import { call, type Reply, say } from "./model-server/replies.ts";
import type { SeenRequest } from "./model-server/seen.ts";
import { startModelServer } from "./model-server.ts";
import { WholeBot } from "./whole-bot.ts";

interface LongTurnOptions {
  readonly wire: "chat" | "responses";
  readonly steps: number;
  /** What the model can take and give at once, and how much of it is for its answers. */
  readonly contextTokens: number;
  readonly outputTokens: number;
  readonly withinMs: number;
}

interface LongTurn {
  readonly requests: readonly SeenRequest[];
  /** What the server or the bot had to complain of. */
  readonly problems: readonly string[];
  /** How many parts of the conversation were archived. */
  readonly archivings: number;
  /** What the model was given when it asked for the fact of its third step. */
  readonly recalled: string;
}

const FACT_STEP = 3;
export const FACT = "The release key is KESTREL-7.";
const TODO_STEPS = 20;
const FILES = 12;
/** A result is given whole up to eight kilobytes. */
const FILE_CHARS = 7_000;

/** One turn of many steps in a thread of its own, with a fact near its beginning that is asked for near its end. */
export async function longTurn(options: LongTurnOptions): Promise<LongTurn> {
  const { wire, steps, contextTokens, outputTokens, withinMs } = options;
  await using model = await startModelServer();
  using workspaces = new LocalWorkspaces();
  const env = {
    ...model.env,
    LLM_API: wire,
    MODEL_CONTEXT_TOKENS: String(contextTokens),
    MODEL_OUTPUT_TOKENS: String(outputTokens),
  };
  const pace = { leastEditGapMs: 5, inboxHoldMs: 300 };
  await using bot = await WholeBot.start({ env, workspaces: workspaces.port, pace });
  const room = await bot.room();
  const { files } = workspaces.of(room.thread);
  for (let file = 0; file < FILES; file += 1) files.write(`log-${file}.txt`, logOf(file));
  await bot.core.settings.change(room.thread, "maxIterations", String(steps + 1));

  const recallStep = steps - 10;
  model.script(({ number }) => reply(number, { steps, recallStep }));
  await room.say("Go through the logs of the release and tell me what went wrong.");
  await room.sees("All logs were read.", withinMs);
  await room.ends(1, withinMs);
  const kinds = await room.lines();
  const after = model.requests[recallStep];
  return {
    requests: model.requests,
    problems: [...model.problems, ...bot.problems],
    archivings: kinds.filter((kind) => kind === "archived").length,
    recalled: after?.results.at(-1)?.text ?? "",
  };
}

function reply(step: number, { steps, recallStep }: { steps: number; recallStep: number }): Reply {
  if (step > steps) return say("All logs were read.");
  if (step === FACT_STEP) return call("think", { thoughts: `Noted. ${FACT}` });
  if (step === recallStep) return call("recall_history", { query: "release key" });
  if (step === 1) return call("todo_operations", { operation: "write", todoList: todos() });
  if (step % TODO_STEPS === 0) return progress(step / TODO_STEPS);
  const filePath = `log-${step % FILES}.txt`;
  // Another part each time: who makes the same call with the same result is stopped.
  const offset = (step % 7) + 1;
  return call(
    "file_operations",
    { operation: "read_file", filePath, offset, limit: 30 + step },
    { text: `Step ${step}.`, thoughts: `What is in ${filePath}?` },
  );
}

function todos() {
  return Array.from({ length: 30 }, (_, index) => ({
    id: index + 1,
    title: `Read part ${index + 1} of the logs`,
    description: "Look for what went wrong.",
    status: "not-started",
  }));
}

function progress(part: number): Reply {
  const todoUpdates = [
    {
      id: part,
      status: part % 2 === 0 ? "in-progress" : "not-started",
      priority: part % 2 === 0 ? "high" : "low",
    },
  ];
  return call("todo_operations", { operation: "update", todoUpdates });
}

/** Lines that differ, as a program writes them. */
function logOf(file: number): string {
  const lines: string[] = [];
  for (let line = 0, chars = 0; chars < FILE_CHARS * (0.2 + (file % 4) / 4); line += 1) {
    const text = `2030-01-0${(file % 9) + 1} 10:${String(line % 60).padStart(2, "0")} worker-${file} request ${line * 37} took ${(line * 7919) % 997} ms, ${line % 13 === 0 ? "retry after timeout" : "ok"}`;
    lines.push(text);
    chars += text.length;
  }
  return lines.join("\n");
}

/** For each two requests in a row: how much of the earlier one's bytes the later one begins with. */
export function sharedPrefixes(requests: readonly SeenRequest[]): { share: number; least: number } {
  let shared = 0;
  let all = 0;
  let least = 1;
  for (const [index, { text }] of requests.slice(1).entries()) {
    const earlier = requests[index]?.text ?? "";
    const common = commonBytes(earlier, text);
    const bytes = Buffer.byteLength(earlier);
    shared += common;
    all += bytes;
    least = Math.min(least, common / bytes);
  }
  return { share: shared / all, least };
}

function commonBytes(one: string, other: string): number {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  const most = Math.min(a.length, b.length);
  let low = 0;
  for (let high = most; low < high; ) {
    const middle = Math.ceil((low + high) / 2);
    if (a.subarray(0, middle).equals(b.subarray(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Counted apart from the bot: every text of a request, and four tokens around each message. */
export function tokensOf({ body }: { readonly body: Fields }): number {
  const messages = [body.messages ?? [], body.input ?? []].flat() as unknown[];
  const texts = [...messages, body.instructions, body.tools].flatMap(textsIn);
  const asText = { disallowedSpecial: new Set<string>() };
  const tokens = texts.reduce((sum, text) => sum + countTokens(text, asText), 0);
  return tokens + 4 * messages.length;
}

/** Fields that are for the server and not for the model. */
const NOT_READ = new Set([
  "id",
  "call_id",
  "tool_call_id",
  "type",
  "role",
  "encrypted_content",
  "status",
]);

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isObject(value)) return [];
  // Tools are read as the schemas that they are.
  if ("parameters" in value || ("function" in value && "type" in value && !("id" in value)))
    return [JSON.stringify(value)];
  return Object.entries(value).flatMap(([name, inner]) =>
    NOT_READ.has(name) ? [] : textsIn(inner),
  );
}
