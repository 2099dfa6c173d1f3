import { describe, expect, it } from "vitest";
import { DiscordBot } from "../support/discord/bot.ts";
import { call, type Reply, say } from "../support/model-server/replies.ts";
import { SlackBot } from "../support/slack-bot.ts";
import { isThorough } from "../support/thorough.ts";
import { until } from "../support/until.ts";

/** What a turn cost, all of it: also what was called after its last sign, up to the next message. */
interface Told {
  /** Every call to the platform, in order. */
  readonly calls: readonly string[];
  /** What each edit wrote, by message: the first is what was posted. */
  readonly contents: ReadonlyMap<string, readonly string[]>;
}

interface Talk extends AsyncDisposable {
  /** One turn, from the message to the last sign of its end. */
  turn(text: string, replies: readonly Reply[]): Promise<void>;
  /** Of each turn so far but the last, whose calls may not all have been made. */
  told(): Told[];
}

const DONE = { Slack: "white_check_mark", Discord: "✅" } as const;

async function talkOnSlack(): Promise<Talk> {
  const bot = await SlackBot.start();
  const ada = bot.human({ name: "ada" });
  const begins: number[] = [];
  let thread: string | undefined;
  return {
    async turn(text, replies) {
      bot.model.script(replies);
      begins.push(bot.slack.calls.length);
      const options = thread === undefined ? { mention: true } : { thread };
      const { message } = await bot.says(ada, text, options);
      thread ??= message.ts;
      await bot.rests(bot.threadAt(thread));
      await until(() => message.reactions.has(DONE.Slack), "the sign");
    },
    told: () =>
      betweenBegins(bot.slack.calls, begins).map((made) => ({
        calls: made.map(({ method, args }) => `${method} ${JSON.stringify(args).slice(0, 200)}`),
        contents: contentsOf(
          made
            .filter(({ method }) => method === "chat.postMessage" || method === "chat.update")
            .map(({ args }) => [String(args.ts ?? args.metadata), `${args.text} ${args.blocks}`]),
        ),
      })),
    [Symbol.asyncDispose]: () => bot[Symbol.asyncDispose](),
  };
}

async function talkOnDiscord(): Promise<Talk> {
  const bot = await DiscordBot.start();
  const ada = bot.discord.human({ username: "ada" });
  const begins: number[] = [];
  let begun: Awaited<ReturnType<DiscordBot["begins"]>> | undefined;
  return {
    async turn(text, replies) {
      bot.model.script(replies);
      begins.push(bot.discord.calls.length);
      const said = begun && ada.says(begun.channel, text).message;
      begun ??= await bot.begins(ada, text);
      const message = said ?? begun.message;
      await bot.rests(begun.thread);
      await until(() => message.reactions.has(DONE.Discord), "the sign");
    },
    told: () =>
      betweenBegins(bot.discord.calls, begins).map((made) => ({
        calls: made.map(({ route, body }) => `${route} ${JSON.stringify(body)?.slice(0, 200)}`),
        contents: contentsOf(
          made
            .filter(({ route }) => route === "PATCH /channels/:channel/messages/:message")
            .map(({ path, body }) => [path, JSON.stringify(body)]),
        ),
      })),
    [Symbol.asyncDispose]: () => bot[Symbol.asyncDispose](),
  };
}

function betweenBegins<Call>(calls: readonly Call[], begins: readonly number[]): Call[][] {
  return begins.slice(0, -1).map((from, turn) => calls.slice(from, begins[turn + 1]));
}

function contentsOf(made: readonly (readonly [string, string])[]): Map<string, string[]> {
  const contents = new Map<string, string[]>();
  for (const [message, content] of made)
    contents.set(message, [...(contents.get(message) ?? []), content]);
  return contents;
}

const runs = (command: string) =>
  call("terminal_operations", { operation: "run_command", command, explanation: "To see." });
const TITLES = ["Look", "Change", "Check"];
const todos = (done: number) =>
  call("todo_operations", {
    operation: "write",
    todoList: TITLES.map((title, index) => ({
      ...{ id: index + 1, title, description: `${title}.` },
      status: statusAt(index, done),
    })),
  });

function statusAt(index: number, done: number): string {
  if (index < done) return "completed";
  return index === done ? "in-progress" : "not-started";
}

const ONE_COMMAND = [runs("ls"), say("There is one file: https://example.com/a says more.")];
const EIGHT_STEPS = [
  ...[todos(0), runs("ls"), runs("cat a.txt"), todos(1), runs("echo b > a.txt"), runs("cat a.txt")],
  ...[todos(3), say("Changed a.txt.")],
];
/** How long the model takes for a step. */
const PACES = [0, 2_500];
const PACES_OF_EIGHT = isThorough ? [0, 700, 2_500] : [0, 700];
const last = [say("That is all.")];

const slowly = (replies: readonly Reply[], delayMs: number) =>
  replies.map((reply) => ({ ...reply, delayMs }));

describe.each(Object.entries({ Slack: talkOnSlack, Discord: talkOnDiscord }))(
  "all calls to %s",
  (_, open) => {
    it.each(PACES)(
      "are at most 6 for a turn with one command, in a new thread and in a known one, with steps of %i ms",
      async (delayMs) => {
        await using talk = await open();
        await talk.turn("what is there?", slowly(ONE_COMMAND, delayMs));
        await talk.turn("and now?", slowly(ONE_COMMAND, delayMs));
        await talk.turn("and then?", last);
        for (const { calls } of talk.told())
          expect(calls.length, calls.join("\n")).toBeLessThanOrEqual(6);
      },
    );

    it.each(PACES)(
      "are at most 4 for an answer without commands in a known thread, given in %i ms",
      async (delayMs) => {
        await using talk = await open();
        for (const text of ["hello", "how do I list files?", "thanks"])
          await talk.turn(text, slowly([say("With ls.")], delayMs));
        const [, { calls } = { calls: [] }] = talk.told();
        expect(calls.length, calls.join("\n")).toBeLessThanOrEqual(4);
      },
    );

    // An earlier version made two more calls before it, on both platforms.
    it("show the first sign after one other call at most, and before anything of the model", async () => {
      await using talk = await open();
      for (const text of ["what is there?", "and now?", "and then?", "and at last?"])
        await talk.turn(text, ONE_COMMAND);
      for (const [turn, { calls }] of talk.told().entries()) {
        const sign = calls.findIndex((call) => /reactions\.add|PUT .*reactions/.test(call));
        expect(sign, calls.join("\n")).toBeGreaterThanOrEqual(0);
        expect(sign, calls.join("\n")).toBeLessThanOrEqual(turn === 0 ? 1 : 0);
        const answers = /chat\.|Stream|POST \/channels\/:channel\/messages(?!\/)/;
        expect(calls.slice(0, sign).some((call) => answers.test(call))).toBe(false);
      }
    });

    it("are at most 6 for a direct command", async () => {
      await using talk = await open();
      for (const text of ["$ ls", "$ ls -l", "$ pwd"]) await talk.turn(text, []);
      for (const { calls } of talk.told())
        expect(calls.length, calls.join("\n")).toBeLessThanOrEqual(6);
    });

    it.each(PACES_OF_EIGHT)(
      "are at most 14 for a turn of eight steps of %i ms with todos, and each edit changes something",
      async (delayMs) => {
        await using talk = await open();
        await talk.turn("eight steps", slowly(EIGHT_STEPS, delayMs));
        await talk.turn("once more", slowly(EIGHT_STEPS, delayMs));
        await talk.turn("and then?", last);
        for (const { calls, contents } of talk.told()) {
          expect(calls.length, calls.join("\n")).toBeLessThanOrEqual(14);
          // Nothing is posted before there is something to read.
          expect(
            calls.filter((call) => /"(?:text|markdown_text|content)":"…?"/.test(call)),
          ).toEqual([]);
          // A turn that is over at once may be posted without a single edit.
          if (delayMs > 0) expect(contents.size).toBeGreaterThan(0);
          for (const written of contents.values())
            expect(new Set(written).size).toBe(written.length);
        }
      },
    );
  },
);
