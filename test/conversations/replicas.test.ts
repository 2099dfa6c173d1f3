import { describe, expect, it, vi } from "vitest";
import type { Adapter } from "../../src/contract/platform/adapter.ts";
import { Doom } from "../support/doom.ts";
import { call, type Reply, say } from "../support/model-server/replies.ts";
import { OwnClock, ownSleep } from "../support/own-clock.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";

const run = (command: string) => call("terminal_operations", { operation: "run_command", command });

/** Shows things, but hears nothing: the platform's events go to the first bot. */
function deaf(adapter: Adapter): Adapter {
  return new Proxy(adapter, {
    get: (target, key) => {
      if (key === "start" || key === Symbol.asyncDispose) return async () => undefined;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

describe("two replicas over one store", () => {
  it("work on one conversation one at a time, whoever takes what comes in", async () => {
    await using talk = await Talk.start();
    const first = talk.bot;
    await using _second = await talk.startBot(talk.store, deaf(talk.rig.adapter), "second");
    talk.bot = first;
    talk.model.script([run("sleep 0.3; echo one >> effects"), say("First.")]);
    await talk.say("begin");
    for (const text of ["a", "b", "c", "d"]) await talk.say(`queue later-${text}`);
    talk.model.script(() => say("Queued one."), { when: "later-" });
    await talk.sees("First.");
    await until(
      async () => (await talk.lines()).filter((kind) => kind === "turn.shown").length === 5,
      "all turns",
    );
    expect(talk.workspaces.of(talk.thread).files.read("effects")).toBe("one\n");
    expect((await talk.lines()).filter((kind) => kind === "message")).toHaveLength(5);
    expect((await talk.lines()).filter((kind) => kind === "turn.started")).toHaveLength(5);
  });

  it("1.36 a stop that comes in at one ends within two seconds what runs at the other", async () => {
    await using talk = await Talk.start();
    const first = talk.bot;
    talk.model.script([run("sleep 60")]);
    await talk.say("sleep");
    await until(() => talk.workspaces.begun.length === 1, "the command");
    await using second = await talk.startBot(talk.store, deaf(talk.rig.adapter), "second");
    talk.bot = first;
    using clock = new OwnClock();
    await second.conversations.stop(talk.thread, "memory:somebody");
    await talk.sees("Stopped.");
    expect(clock.ms).toBeLessThan(2_000);
  });
});

/** Something that Ada does, as the platform tells of it. */
function byAda(talk: Talk, id: string) {
  return {
    id,
    thread: talk.thread,
    actor: { platform: "memory", id: talk.ada.id, kind: "member" as const, groups: [] },
    actorName: "Ada",
    channel: "C1",
    isChannelMember: true,
    at: new Date().toISOString(),
  };
}

describe("what comes in at a replica while another one works on its thread", () => {
  it("5.12 is done once and answered once, however long that takes", async () => {
    await using talk = await Talk.start();
    const first = talk.bot;
    talk.model.script([run("sleep 4"), say("Slept.")]);
    await talk.say("sleep");
    await until(() => talk.workspaces.begun.length === 1, "the command");
    await using second = await talk.startBot(talk.store, deaf(talk.rig.adapter), "second");
    talk.bot = first;
    await second.receive({ ...byAda(talk, "command-1"), type: "command", text: "status" });
    await second.receive({ ...byAda(talk, "command-2"), type: "command", text: "queue and then?" });
    talk.model.script(() => say("Then nothing."), { when: "and then?" });
    await talk.sees("Slept.");
    await talk.sees("Then nothing.");
    await talk.rests();
    expect(talk.whispers()).toEqual([expect.stringContaining("Turn")]);
  });

  it("13.8 5.12 stays decided when the platform of the one that had asked comes back", async () => {
    await using talk = await Talk.start();
    const first = talk.bot;
    talk.model.script([
      call("file_operations", { operation: "create_file", filePath: "../no.txt", content: "" }),
      say("It is written."),
    ]);
    await talk.say("write outside");
    await talk.sees("Approval needed");
    await talk.rests();
    const [card] = talk.cards("approval");
    const action = card?.buttons.find(({ label }) => label === "Approve once")?.action ?? "";
    await using second = await talk.startBot(talk.store, deaf(talk.rig.adapter), "second");
    talk.bot = first;
    await second.receive({ ...byAda(talk, "click-1"), type: "click", action });
    await talk.sees("It is written.");
    await talk.rests();
    await first.conversations.restore("memory");
    await ownSleep(300);
    expect(talk.cards("approval")).toMatchObject([{ buttons: [] }]);
    expect(talk.cards("approval")[0]?.text).toContain("Approved");
  });
});

/** Long enough for every lease to have run out. */
const PAUSE_MS = 31_000;

/** As if the process had stood still: its clock goes on, and none of its timers. */
function standStill(): Disposable {
  const real = Date.now.bind(Date);
  const clock = vi.spyOn(Date, "now").mockImplementation(() => real() + PAUSE_MS);
  return { [Symbol.dispose]: () => clock.mockRestore() };
}

/** Lets the model think about its n-th answer until it is told to go on. */
function thinking(talk: Talk, replies: readonly Reply[], slow: number) {
  const held = Promise.withResolvers<void>();
  let asked = 0;
  talk.model.script(async () => {
    asked += 1;
    const reply = replies[asked - 1] ?? say("There is no more.");
    if (asked === slow) await held.promise;
    return reply;
  });
  return { goOn: held.resolve, asked: () => asked };
}

describe("P-D5 a turn whose process has died", () => {
  it("is taken over within 15 s by another one, and no effect comes twice", async () => {
    await using talk = await Talk.start();
    await talk.bot[Symbol.asyncDispose]();
    const doom = new Doom(Number.POSITIVE_INFINITY);
    const dead = await talk.startBot(
      doom.store(talk.store),
      doom.adapter(talk.rig.adapter),
      "the dead one",
    );
    talk.model.script([run("echo once >> effects; sleep 0.5"), say("I took over.")]);
    await talk.say("begin");
    await until(() => talk.workspaces.begun.length === 1, "the command");
    doom.die();
    using clock = new OwnClock();
    const dying = dead[Symbol.asyncDispose]().then(undefined, () => undefined);
    await talk.startBot(talk.store, talk.rig.adapter, "the next one");
    await talk.sees("I took over.", 60_000);
    expect(clock.ms).toBeLessThan(15_000);
    expect(talk.workspaces.of(talk.thread).files.read("effects")).toBe("once\n");
    await dying;
  });
});

describe("P-D5 a turn whose lease another process has taken", () => {
  it("writes nothing more, neither into the journal nor into the thread", async () => {
    await using talk = await Talk.start();
    const first = talk.bot;
    const model = thinking(talk, [say("From the first."), say("From the second.")], 1);
    await talk.say("who are you?");
    await until(() => model.asked() === 1, "the first to ask");
    using _pause = standStill();
    await using _second = await talk.startBot(talk.store, deaf(talk.rig.adapter), "second");
    talk.bot = first;
    await talk.sees("From the second.");
    await until(async () => (await talk.lines()).includes("turn.shown"), "the end of the turn");
    const [lines, posts] = [await talk.lines(), talk.texts()];
    model.goOn();
    await ownSleep(500);
    expect(await talk.lines()).toEqual(lines);
    expect(talk.texts()).toEqual(posts);
    expect(lines.filter((kind) => kind === "step.finished")).toHaveLength(1);
  });

  it("begins no call any more", async () => {
    await using talk = await Talk.start();
    const first = talk.bot;
    const model = thinking(talk, [run("echo first >> effects"), say("I did nothing.")], 1);
    await talk.say("do something");
    await until(() => model.asked() === 1, "the first to ask");
    using _pause = standStill();
    await using _second = await talk.startBot(talk.store, deaf(talk.rig.adapter), "second");
    talk.bot = first;
    await talk.sees("I did nothing.");
    model.goOn();
    await ownSleep(500);
    expect(talk.workspaces.begun).toEqual([]);
  });
});
