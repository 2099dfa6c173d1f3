import { afterEach, describe, expect, it } from "vitest";
import { call, say } from "../../support/model-server/replies.ts";
import { ownMs } from "../../support/own-clock.ts";
import type { Human } from "../../support/slack/human.ts";
import { SlackBot, type SlackBotOptions } from "../../support/slack-bot.ts";
import { until } from "../../support/until.ts";

let bot: SlackBot;
let ada: Human;
async function open(options: SlackBotOptions = {}) {
  bot = await SlackBot.start(options);
  ada = bot.human({ name: "ada" });
}
afterEach(() => bot[Symbol.asyncDispose]());

const texts = (root: string) => bot.sees(ada, root).map(({ text }) => text);

describe.each(["socket", "http"] as const)("a talk on Slack, by %s", (mode) => {
  it("a mention is answered in its thread, and so is what follows without one", async () => {
    await open({ mode });
    const lastWord = (said: readonly string[]) =>
      said
        .join(" ")
        .match(/first|second/g)
        ?.at(-1) ?? "nothing";
    bot.model.script(({ users }) => say(`I heard: ${lastWord(users)}`));
    const { message } = await bot.says(ada, "first", { mention: true });
    const root = message.ts;
    await until(() => texts(root).some((text) => text.includes("I heard: first")), "the answer");
    await bot.says(ada, "second", { thread: root });
    await until(
      () => texts(root).some((text) => text.includes("I heard: second")),
      "the next answer",
    );
    expect(bot.sees(ada, root).every(({ alarms }) => alarms.length === 0)).toBe(true);
    await until(() => message.reactions.has("white_check_mark"), "the sign");
    expect([...message.reactions.keys()].sort()).toEqual(["eyes", "white_check_mark"]);
    expect(bot.problems).toEqual([]);
  });

  it("P-A13 the buttons of before a restart still work", async () => {
    await open({ mode });
    bot.model.script(({ results }) =>
      results.length > 0
        ? say("Deleted.")
        : call("file_operations", { operation: "delete_file", filePath: "a.txt" }),
    );
    const { message } = await bot.says(ada, "delete a.txt", { mention: true });
    const root = message.ts;
    const thread = bot.threadAt(root);
    await until(() => card(root) !== undefined, "the card");
    await bot.restart();
    const asked = card(root);
    const approve = asked?.buttons.find(({ label }) => label === "Approve once");
    if (asked && approve) await ada.clicks(asked.message, approve.value);
    await until(() => texts(root).some((text) => text.includes("Deleted.")), "the end");
    expect(bot.begunIn(thread)).toHaveLength(1);
    const decided = () => texts(root).some((text) => text.includes("Approved once by ada"));
    await until(() => decided() && card(root) === undefined, "who decided, without buttons");
  });
});

const card = (root: string) =>
  bot.sees(ada, root).find(({ buttons }) => buttons.some(({ label }) => label === "Approve once"));

describe("15.11 a click that begins long work", () => {
  it("is acknowledged at once, and what took ten seconds comes after it", async () => {
    await open();
    bot.model.script(({ results }) =>
      results.length > 0
        ? { ...say("Deleted."), delayMs: 10_000 }
        : call("file_operations", { operation: "delete_file", filePath: "a.txt" }),
    );
    const { message } = await bot.says(ada, "delete a.txt", { mention: true });
    await until(() => card(message.ts) !== undefined, "the card");
    const asked = card(message.ts);
    const approve = asked?.buttons.find(({ label }) => label === "Approve once");
    const [from, ownFrom] = [performance.now(), ownMs()];
    if (asked && approve) await ada.clicks(asked.message, approve.value);
    expect(ownMs() - ownFrom).toBeLessThan(3_000);
    expect(ada.failures).toEqual([]);
    const isDone = () => texts(message.ts).some((text) => text.includes("Deleted."));
    await until(isDone, "the end");
    expect(performance.now() - from).toBeGreaterThan(9_000);
    expect(bot.begunIn(bot.threadAt(message.ts))).toHaveLength(1);
  });
});

describe("15.13 long answers", () => {
  it("of 10,000 characters with code come whole and in order, with their fences closed", async () => {
    await open();
    const code = Array.from({ length: 400 }, (_, line) => `const line${line} = ${line};`).join(
      "\n",
    );
    const text = `Begin.\n\n\`\`\`js\n${code}\n\`\`\`\n\n${"word ".repeat(500)}\nEnd.`;
    expect(text.length).toBeGreaterThan(9_500);
    bot.model.script(() => say(text));
    const { message } = await bot.says(ada, "tell me", { mention: true });
    const whole = () => texts(message.ts).join("\n");
    await until(() => whole().includes("End."), "the end");
    await bot.rests(bot.threadAt(message.ts));
    const numbers = [...whole().matchAll(/const line(\d+) =/g)].map(([, number]) => Number(number));
    expect(numbers).toEqual(Array.from({ length: 400 }, (_, line) => line));
    expect(whole().match(/word/g)).toHaveLength(500);
    for (const one of texts(message.ts)) expect((one.match(/```/g)?.length ?? 0) % 2).toBe(0);
  });
});

describe("high risk", () => {
  it("the phrase is asked for in a window, and a wrong one is said there and counted", async () => {
    await open({
      policy: ({ world }) =>
        `roles: { sre: ["slack:${world.team.id}:U0SAM"] }\napprovers:\n  - { who: ["role:sre"], risks: [high] }\n`,
    });
    const sam = bot.human({ id: "U0SAM", name: "sam" });
    bot.model.script(({ results }) =>
      results.length > 0
        ? say("Done.")
        : call("terminal_operations", {
            operation: "run_command",
            command: "sudo rm -rf /opt/old",
          }),
    );
    const { message } = await bot.says(ada, "become root", { mention: true });
    const thread = bot.threadAt(message.ts);
    await until(() => card(message.ts) !== undefined, "the card");
    const [waiting] = await bot.core.authorization.approvals.waiting(thread);
    const asked = card(message.ts);
    const approve = asked?.buttons.find(({ label }) => label === "Approve once");
    if (asked && approve) await sam.clicks(asked.message, approve.value);
    await sam.submits({ typed: "wrong" });
    expect(sam.window?.errors).toEqual({ typed: expect.stringContaining("phrase does not match") });
    await bot.rests(thread);
    expect(bot.begunIn(thread)).toEqual([]);
    await sam.submits({ typed: waiting?.approval.effect.phrase ?? "" });
    await until(() => texts(message.ts).some((text) => text.includes("Done.")), "the end");
    const approval = await bot.core.authorization.approvals.find(
      thread,
      waiting?.approval.id ?? "",
    );
    expect(Object.values(approval?.wrongPhrases ?? {})).toEqual([1]);
    expect(bot.begunIn(thread)).toHaveLength(1);
  });
});

describe("15.7 15.20 commands of Slack", () => {
  it("/todos and /terminal history are answered for whoever asked, where they asked", async () => {
    await open();
    await bot.says(ada, "todos", { mention: true });
    const from = ownMs();
    await ada.runs(bot.channel, "/todos");
    expect(ownMs() - from).toBeLessThan(3_000);
    const whispers = () => ada.sees(bot.channel).filter(({ isWhisper }) => isWhisper);
    await until(() => whispers().some(({ text }) => /todos/i.test(text)), "the todos");
    const before = whispers().length;
    await ada.runs(bot.channel, "/terminal", "history");
    await until(() => whispers().length > before, "the history");
  });

  it("native Stop ends the turn", async () => {
    await open({ statusPace: { firstAfterMs: 300 } });
    bot.model.script(() => ({ ...say("too late"), delayMs: 30_000 }));
    const { message } = await bot.says(ada, "take your time", { mention: true });
    const key = `${bot.channel.id}:${message.ts}`;
    const session = () => bot.slack.world.sessions.get(key)?.status;
    await until(() => session() === "processing", "Slack's stop button");
    await bot.arrived(ada.stops(bot.channel, message.ts));
    await until(() => message.reactions.has("octagonal_sign"), "the sign");
    await until(() => session() === "active", "the end of the session");
    expect(texts(message.ts).some((text) => text.includes("too late"))).toBe(false);
  });
});
