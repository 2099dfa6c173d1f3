import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Redactor } from "../../src/contract/redactor.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { canaries, everyEncoding, leaked, NO_REDACTOR } from "../support/canaries.ts";
import { call, type Reply, say } from "../support/model-server/replies.ts";
import { SecretBot } from "../support/secret-bot.ts";
import { caseCount, sampleOf } from "../support/thorough.ts";
import { shareOfWires } from "../support/wires.ts";

const WIRES = shareOfWires(1);

/** A plain one, one that is full of quotes and signs, and in `npm run test:all` one beyond ASCII. */
const CANARIES = sampleOf([1, 2, 4], 2).flatMap((index) => canaries(6)[index] ?? []);
const redactor = createRedactor({
  secrets: Object.fromEntries(CANARIES.map(({ name, value }) => [name, value])),
});
const TEXTS = CANARIES.flatMap(everyEncoding);
const TEXT = TEXTS.join("\n").toWellFormed();
const PLAIN = CANARIES[0]?.value ?? "";

interface Outcome {
  /** What has come out, by the place where it did. */
  readonly output: Readonly<Record<string, readonly string[]>>;
  /** What the approved call has written. */
  readonly written: string;
}

/** People, the model, tools and terminals are full of secrets, and everything that the bot can show is looked at. */
async function talkOfSecrets(redactor: Redactor, wire: "chat" | "responses"): Promise<Outcome> {
  await using bot = await SecretBot.start({ redactor, wire, text: TEXT });
  const outside = bot.path("../outside.txt");
  // All at once: so long arguments, bit by bit, take their time.
  const make = (tool: string, args: Readonly<Record<string, unknown>>): Reply => ({
    ...call(tool, args),
    quirks: ["notStreamed"],
  });
  const run = (command: string) =>
    make("terminal_operations", { operation: "run_command", command });
  writeFileSync(bot.path(`${PLAIN}.txt`), TEXT);
  bot.model.script([
    make("todo_operations", { operation: "write", todoList: TEXTS.map(todo) }),
    make("user_collaboration", { prompt: TEXT, context: TEXT }),
    run(`cat secrets.txt # ${PLAIN}`),
    run("break"),
    make("file_operations", { operation: "create_file", filePath: outside, content: TEXT }),
    say(`${TEXT}\nThe end.`),
  ]);
  await bot.lab.say(`Begin.\n${TEXT}`);
  await bot.sees('"kind":"question"');
  await bot.lab.say(`The answer.\n${TEXT}`);
  await bot.click("Approve once");
  await bot.sees("The end.");
  await bot.lab.say(`$ cat secrets.txt # ${PLAIN}`);
  await bot.sees("(exit code 0");
  await bot.lab.say("terminal history");
  await bot.sees("Terminal, lines");
  await bot.lab.say(`files get ${PLAIN}.txt`);
  await bot.sees('"mimeType":"application/octet-stream"');
  return { output: await outputOf(bot), written: readFileSync(outside, "utf8") };
}

function todo(title: string, index: number) {
  return { id: index + 1, title, description: title, status: "not-started" };
}

async function outputOf(bot: SecretBot): Promise<Outcome["output"]> {
  const kinds = ["reply", "activity", "todoBoard", "approval", "question", "terminal"] as const;
  const cards = kinds.map(async (kind) => [`${kind} in the thread`, await bot.kind(kind)] as const);
  return {
    ...Object.fromEntries(await Promise.all(cards)),
    "everything in the thread": await bot.items(),
    "shared files": await bot.files(),
    "live terminal": [await bot.liveTerminal(caseCount({ perChange: 2, all: 5 }))],
    "list of terminals": [await bot.panel("terminals")],
    "list of files": [await bot.panel("workspace")],
    "downloaded file": [await bot.panel("workspace/file?path=secrets.txt")],
    "history of calls": [await bot.panel("timeline")],
    "requests to the model": bot.model.requests.map(({ text }) => text),
    log: bot.lines,
    "exported audit": await bot.audit(),
  };
}

/** Where there is room for everything, everything leaks without the redactor; elsewhere what has room. */
const ROOMY = [
  "reply in the thread",
  "todoBoard in the thread",
  "approval in the thread",
  "question in the thread",
  "shared files",
  "live terminal",
  "list of terminals",
  "downloaded file",
  "requests to the model",
];

const leaksIn = (output: readonly string[]) =>
  CANARIES.flatMap((canary) => leaked(output, canary).map((one) => `${canary.name}: ${one}`));

describe.each(WIRES)("a bot full of secrets, over %s", (wire) => {
  it("P-X1 lets none of them out, at any door, and runs the approved call as it was asked", async () => {
    const { output, written } = await talkOfSecrets(redactor, wire);
    for (const [sink, texts] of Object.entries(output)) {
      expect({ sink, texts: texts.length }).toEqual({
        sink,
        texts: expect.toSatisfy((n) => n > 0),
      });
      expect({ sink, leaks: leaksIn(texts) }).toEqual({ sink, leaks: [] });
    }
    expect(written).toBe(TEXT.toWellFormed());
  });
});

describe.each(WIRES)("a bot without the redactor, over %s", (wire) => {
  it("would let them out at every door", async () => {
    const { output } = await talkOfSecrets(NO_REDACTOR, wire);
    const tight = Object.keys(output).filter((sink) => leaksIn(output[sink] ?? []).length === 0);
    expect(tight).toEqual([]);
    for (const sink of ROOMY) expect(leaksIn(output[sink] ?? [])).toHaveLength(TEXTS.length);
  });
});
