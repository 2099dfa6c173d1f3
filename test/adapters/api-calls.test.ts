import { describe, expect, it } from "vitest";
import { DiscordBot } from "../support/discord/bot.ts";
import { call, type Reply, say } from "../support/model-server/replies.ts";
import { SlackBot } from "../support/slack-bot.ts";
import { until } from "../support/until.ts";

interface Told {
  /** Every call to the platform, in order. */
  readonly calls: readonly string[];
  /** What each edit wrote, by message: the first is what was posted. */
  readonly contents: ReadonlyMap<string, readonly string[]>;
}

interface Talk extends AsyncDisposable {
  /** One turn, from the message to the last sign of its end. */
  turn(text: string, replies: readonly Reply[]): Promise<Told>;
}

const DONE = { Slack: "white_check_mark", Discord: "✅" } as const;

async function talkOnSlack(): Promise<Talk> {
  // A turn of more than two seconds has Slack's own status as well. How long these take is up to the machine.
  const bot = await SlackBot.start({ statusPace: { firstAfterMs: 600_000 } });
  const ada = bot.human({ name: "ada" });
  let thread: string | undefined;
  return {
    async turn(text, replies) {
      bot.model.script(replies);
      const from = bot.slack.calls.length;
      const options = thread === undefined ? { mention: true } : { thread };
      const { message } = await bot.says(ada, text, options);
      thread ??= message.ts;
      await bot.rests(bot.threadAt(thread));
      await until(() => message.reactions.has(DONE.Slack), "the sign");
      const made = bot.slack.calls.slice(from);
      return {
        calls: made.map(({ method, args }) => `${method} ${JSON.stringify(args).slice(0, 200)}`),
        contents: contentsOf(
          made
            .filter(({ method }) => method === "chat.postMessage" || method === "chat.update")
            .map(({ args }) => [String(args.ts ?? args.metadata), `${args.text} ${args.blocks}`]),
        ),
      };
    },
    [Symbol.asyncDispose]: () => bot[Symbol.asyncDispose](),
  };
}

async function talkOnDiscord(): Promise<Talk> {
  const bot = await DiscordBot.start();
  const ada = bot.discord.human({ username: "ada" });
  let begun: Awaited<ReturnType<DiscordBot["begins"]>> | undefined;
  return {
    async turn(text, replies) {
      bot.model.script(replies);
      const from = bot.discord.calls.length;
      const said = begun && ada.says(begun.channel, text).message;
      begun ??= await bot.begins(ada, text);
      const message = said ?? begun.message;
      await bot.rests(begun.thread);
      await until(() => message.reactions.has(DONE.Discord), "the sign");
      const made = bot.discord.calls.slice(from);
      return {
        calls: made.map(({ route, body }) => `${route} ${JSON.stringify(body)?.slice(0, 200)}`),
        contents: contentsOf(
          made
            .filter(({ route }) => route === "PATCH /channels/:channel/messages/:message")
            .map(({ path, body }) => [path, JSON.stringify(body)]),
        ),
      };
    },
    [Symbol.asyncDispose]: () => bot[Symbol.asyncDispose](),
  };
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

describe.each(Object.entries({ Slack: talkOnSlack, Discord: talkOnDiscord }))(
  "the calls to %s",
  (_, open) => {
    it("are at most 6 for a turn with one command, in a new thread and in one that is known", async () => {
      await using talk = await open();
      for (const text of ["what is there?", "and now?"]) {
        const { calls } = await talk.turn(text, ONE_COMMAND);
        expect(calls.length, `${text}\n${calls.join("\n")}`).toBeLessThanOrEqual(6);
      }
    });

    // An earlier version made two more calls before it, on both platforms.
    it("show the first sign after one other call at most, and before anything of the model", async () => {
      await using talk = await open();
      for (const text of ["what is there?", "and now?", "and then?"]) {
        const { calls } = await talk.turn(text, ONE_COMMAND);
        const sign = calls.findIndex((call) => /reactions\.add|PUT .*reactions/.test(call));
        expect(sign, calls.join("\n")).toBeGreaterThanOrEqual(0);
        expect(sign, calls.join("\n")).toBeLessThanOrEqual(text === "what is there?" ? 1 : 0);
        const answers = /chat\.|Stream|POST \/channels\/:channel\/messages(?!\/)/;
        expect(calls.slice(0, sign).some((call) => answers.test(call))).toBe(false);
      }
    });

    it("are at most 6 for a direct command", async () => {
      await using talk = await open();
      for (const text of ["$ ls", "$ ls -l"]) {
        const { calls } = await talk.turn(text, []);
        expect(calls.length, `${text}\n${calls.join("\n")}`).toBeLessThanOrEqual(6);
      }
    });

    it("are at most 14 for a turn of eight steps with todos, and each edit changes something", async () => {
      await using talk = await open();
      for (const delayMs of [0, 700]) {
        const slowly = EIGHT_STEPS.map((reply) => ({ ...reply, delayMs }));
        const { calls, contents } = await talk.turn(`steps of ${delayMs} ms`, slowly);
        expect(calls.length, `${delayMs} ms\n${calls.join("\n")}`).toBeLessThanOrEqual(14);
        expect(contents.size).toBeGreaterThan(1);
        for (const written of contents.values()) expect(new Set(written).size).toBe(written.length);
      }
    });
  },
);
