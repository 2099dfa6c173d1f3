import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RecordedTerminal } from "../../../../src/contract/workspace/recorded-terminal.ts";
import { everywhere, type Outcome } from "../../../support/policy.ts";
import { until } from "../../../support/until.ts";
import type { WebActor, WebBot } from "../../../support/web-bot.ts";
import { look, ONE_OF_EACH, obedientBot, strangers, table } from "../../../support/web-policy.ts";

const sleeping = (session_id: string): RecordedTerminal => ({
  session_id,
  working_directory: "/workspace",
  rows: 24,
  cols: 80,
  shells: [{ created: "2030-01-01T00:00:00.000Z", output: "shown" }],
});

let bot: WebBot;
beforeAll(async () => {
  bot = await obedientBot();
});
afterAll(() => bot[Symbol.asyncDispose]());

describe("P-A1 everything else that a page can ask for", () => {
  const READS = ["items", "terminals", "workspace", "timeline", "settings"] as const;
  const CHANGES = ["files", "settings", "size", "title", "archive", "thread"] as const;
  const ANSWERS = { 200: "runs", 401: "no entry", 403: "nothing" } as const;
  const meaningOf = ({ status }: { readonly status: number }): Outcome =>
    ANSWERS[status as keyof typeof ANSWERS] ?? expect.fail(`an answer of ${status}`);
  const everybody = (columns: readonly string[], guest: Outcome) => ({
    owner: everywhere(columns, "runs"),
    ada: everywhere(columns, "runs"),
    gus: everywhere(columns, guest),
    ...strangers(columns),
  });

  it("members and guests may look; nobody else sees anything", async () => {
    const thread = await bot.thread();
    const seen = await table(ONE_OF_EACH, READS, async (actor, panel) =>
      meaningOf(await bot.ask(actor, "GET", `/api/threads/${thread}/${panel}`)),
    );
    expect(seen).toEqual(everybody(READS, "runs"));
  });

  it("members may change things; guests and nobodies change nothing", async () => {
    const change = (actor: WebActor, thread: string, what: (typeof CHANGES)[number]) => {
      const at = `/api/threads/${thread}`;
      const id = crypto.randomUUID();
      switch (what) {
        case "files":
          return bot.ask(actor, "POST", `${at}/files`, "some bytes");
        case "settings":
          return bot.ask(actor, "POST", `${at}/settings`, { name: "maxIterations", value: 7 });
        case "size":
          return bot.ask(actor, "POST", `${at}/terminals/${thread}/size`, { rows: 9, cols: 9 });
        case "title":
          return bot.ask(actor, "PATCH", at, { title: "taken over" });
        case "archive":
          return bot.ask(actor, "POST", `${at}/archive`, { id });
        case "thread":
          return bot.ask(actor, "PUT", `/api/threads/web:${id.replaceAll("-", "").slice(8)}`, {});
      }
    };
    const before = bot.workspaces.sizes.length;
    const seen = await table(ONE_OF_EACH, CHANGES, async (actor, what) => {
      const thread = await bot.thread();
      return meaningOf(await change(actor, thread, what));
    });
    expect(seen).toEqual(everybody(CHANGES, "nothing"));
    expect(bot.workspaces.sizes.length - before).toBe(2);
    using watcher = await bot.watch("owner");
    await until(() => watcher.of("welcome").length === 1, "the welcome");
    const { threads = [] } = watcher.of("welcome")[0] ?? {};
    expect(threads.filter(({ title }) => title === "taken over")).toHaveLength(2);
    expect(threads.filter(({ isArchived }) => isArchived)).toHaveLength(2);
  });

  it.each(["live", "asleep"])(
    "a terminal that is %s is for those who may read, and for nobody else",
    async (state) => {
      const thread = await bot.thread();
      if (state === "asleep") bot.workspaces.asleep.set(thread, [sleeping(thread)]);
      const seen = await Promise.all(
        ONE_OF_EACH.map(async (actor) => {
          using watcher = await bot.watch(actor);
          watcher.tell({ type: "open", thread, since: 0 });
          watcher.tell({ type: "follow", thread, terminal: thread, fromIndex: 0 });
          const isOver = () =>
            watcher.closedWith !== undefined || watcher.of("followEnded").length > 0;
          await until(isOver, `${actor} sees it or is sent away`);
          return [
            actor,
            watcher
              .of("output")
              .map(({ text }) => text)
              .join("")
              .trimEnd(),
          ] as const;
        }),
      );
      expect(Object.fromEntries(seen)).toEqual({
        owner: "shown",
        ada: "shown",
        gus: "shown",
        "bad token": "",
        "no token": "",
      });
      expect(bot.workspaces.asleep.has(thread)).toBe(state === "asleep");
    },
  );

  it("a terminal of a workspace that sleeps is listed, and looking does not wake it", async () => {
    const thread = await bot.thread();
    bot.workspaces.asleep.set(thread, [sleeping(thread)]);
    const { text } = await bot.ask("ada", "GET", `/api/threads/${thread}/terminals`);
    expect(JSON.parse(text)).toMatchObject([{ id: thread, title: "/workspace", state: "asleep" }]);
    expect(bot.workspaces.asleep.has(thread)).toBe(true);
  });

  it.each([
    ["the list of files", "GET", "workspace", undefined, 200, { isAsleep: true, entries: [] }],
    ["a folder", "GET", "workspace?path=src", undefined, 200, { isAsleep: true, entries: [] }],
    ["a file", "GET", "workspace/file?path=a.txt", undefined, 403, { message: /asleep/ }],
    ["a terminal's size", "POST", "terminals/x/size", { rows: 9, cols: 9 }, 403, {}],
    ["the terminals", "GET", "terminals", undefined, 200, []],
    ["the history", "GET", "timeline", undefined, 200, []],
    ["the settings", "GET", "settings", undefined, 200, {}],
  ] as const)(
    "%s of a workspace that sleeps does not wake it",
    async (_, method, at, body, status, shown) => {
      const thread = await bot.thread();
      bot.workspaces.asleep.set(thread, []);
      const answer = await bot.ask("ada", method, `/api/threads/${thread}/${at}`, body);
      expect(answer.status, answer.text).toBe(status);
      if (!("message" in shown)) expect(JSON.parse(answer.text)).toMatchObject(shown);
      else expect(answer.text).toMatch(shown.message);
      expect(bot.workspaces.asleep.has(thread)).toBe(true);
    },
  );

  it("a member wakes the workspace and then sees its files; a guest does not", async () => {
    const thread = await bot.thread();
    bot.workspaces.asleep.set(thread, []);
    const at = `/api/threads/${thread}/workspace`;
    const woken = async (actor: WebActor) => {
      const { status } = await bot.ask(actor, "POST", `${at}/wake`, {});
      return [status, bot.workspaces.asleep.has(thread)];
    };
    expect(await woken("gus")).toEqual([403, true]);
    expect(await woken("bad token")).toEqual([401, true]);
    expect(await woken("ada")).toEqual([200, false]);
    const { text } = await bot.ask("gus", "GET", at);
    expect(JSON.parse(text)).toEqual({ isAsleep: false, entries: [] });
  });

  it("a guest stops nothing, and a member does", async () => {
    const stop = async (actor: WebActor) => {
      const thread = await bot.thread();
      await bot.say("ada", thread, "please elevated");
      const waiting = async () =>
        (await bot.core.authorization.approvals.waiting(thread)).length === 1;
      await until(waiting, "the card");
      await bot.ask(actor, "POST", `/api/threads/${thread}/stop`, { id: crypto.randomUUID() });
      return look(bot, thread);
    };
    const actors = ["gus", "bad token", "no token", "bob"] as const;
    expect(await Promise.all(actors.map(stop))).toEqual(["asks", "asks", "asks", "nothing"]);
  });
});
