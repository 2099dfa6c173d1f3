import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TodoList } from "../../../src/contract/conversation/todo.ts";
import type { Approval } from "../../../src/contract/permission/approval.ts";
import { DeliveryError } from "../../../src/contract/platform/adapter.ts";
import type { View } from "../../../src/contract/platform/view.ts";
import { verbAction } from "../../../src/contract/platform/view-actions.ts";
import { type Store, StoreError } from "../../../src/contract/store.ts";
import { Journal } from "../../../src/journal/journal.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { createReply, type Reply } from "../../../src/reply/reply.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { makeDataDirectory } from "../../support/data-directory.ts";
import { type MemoryRig, openMemoryAdapter } from "../../support/memory-adapter.ts";
import { MemoryPlatform } from "../../support/memory-platform.ts";

const THREAD = "memory:C1:t1";

let folder: string;
let store: Store;
let rig: MemoryRig;
let reply: Reply;
const logged: string[] = [];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  folder = makeDataDirectory("reply");
  store = await openStore({ kind: "sqlite", file: join(folder, "store.sqlite") });
  rig = openMemoryAdapter(new MemoryPlatform({ replyChars: 1_000 }));
  reply = newReply();
  logged.length = 0;
});

afterEach(async () => {
  vi.useRealTimers();
  await store[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

function newReply(parts: { fenceOf?: () => number | undefined } = {}): Reply {
  return createReply({
    redactor: createRedactor({ secrets: {} }),
    journal: new Journal(store),
    notices: store.documents("unreadable"),
    adapterOf: () => rig.adapter,
    log: (level, message) => logged.push(`${level}: ${message}`),
    ...parts,
  });
}

/** Lets the time pass in small steps, with as much real time in between as the store takes. */
async function pass(ms: number): Promise<void> {
  const steps = 10;
  for (let step = 0; step < steps; step += 1) {
    await vi.advanceTimersByTimeAsync(ms / steps);
    await quiet();
  }
}

async function quiet(): Promise<void> {
  for (let before = -1; before !== rig.platform.deeds.length; ) {
    before = rig.platform.deeds.length;
    for (let turn = 0; turn < 6; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}
const texts = () => rig.platform.posts(THREAD).map(({ text }) => text);
const deeds = () => rig.platform.deeds.map(({ what }) => what);
const notice = (text: string): View => ({ kind: "notice", level: "info", text });
const saying = (text: string, isFinal = false): View => ({ kind: "reply", text, isFinal });

function todos(titles: readonly string[], completed = 0): View {
  const at = "2026-11-16T12:00:00.000Z";
  const items = titles.map((title, index) => ({
    id: index + 1,
    title,
    description: "",
    status: index < completed ? ("completed" as const) : ("not-started" as const),
    createdAt: at,
    updatedAt: at,
  }));
  const list: TodoList = { conversation: THREAD, items, createdAt: at, updatedAt: at };
  return { kind: "todoBoard", todos: list, buttons: [] };
}

describe("showing what there is to see", () => {
  it("7.19 posts once and edits afterwards", async () => {
    for (let completed = 0; completed <= 5; completed += 1) {
      reply.show(THREAD, "todos", todos(["a", "b", "c", "d", "e"], completed));
      await pass(1_500);
    }
    expect(deeds()).toEqual(["post", "edit", "edit", "edit", "edit", "edit"]);
    expect(texts()).toEqual([expect.stringContaining("Todos 5/5")]);
  });

  it("7.20 turns 20 changes of a second into at most two edits, with the right last state", async () => {
    const titles = Array.from({ length: 20 }, (_, index) => `todo ${index}`);
    for (let completed = 1; completed <= 20; completed += 1) {
      reply.show(THREAD, "todos", todos(titles, completed));
      await pass(50);
    }
    await pass(5_000);
    expect(deeds().filter((deed) => deed === "edit").length).toBeLessThanOrEqual(2);
    expect(deeds().filter((deed) => deed === "post")).toHaveLength(1);
    expect(texts()).toEqual([expect.stringContaining("Todos 20/20")]);
  });

  it("keeps edits of one message as far apart as the platform wishes, and a second at least", async () => {
    for (const editEveryMs of [0, 2_500]) {
      rig = openMemoryAdapter(new MemoryPlatform({ editEveryMs }));
      for (let step = 0; step < 100; step += 1) {
        reply.show("memory:C1:paced", `todos-${editEveryMs}`, todos(["a"], step % 2));
        await pass(90);
      }
      await pass(5_000);
      const times = rig.platform.deeds.map(({ atMs }) => atMs);
      expect(times.length).toBeGreaterThan(3);
      for (const [index, atMs] of times.slice(1).entries()) {
        expect(atMs - (times[index] ?? 0)).toBeGreaterThanOrEqual(Math.max(1_000, editEveryMs));
      }
    }
  });

  it("1.24 posts at once, without anybody waiting for it", async () => {
    reply.show(THREAD, "turn-1:activity", {
      kind: "activity",
      lines: [],
      status: "working",
      buttons: [],
    });
    expect(deeds()).toEqual([]);
    await pass(0);
    expect(deeds()).toEqual(["post"]);
  });

  it("posts an answer once that is finished soon, and never an empty one", async () => {
    for (const text of ["", " ", "The", "The answer", "The answer is"])
      reply.show(THREAD, "r", saying(text));
    await pass(900);
    expect(deeds()).toEqual([]);
    reply.show(THREAD, "r", saying("The answer is 4.", true));
    await pass(0);
    expect(deeds()).toEqual(["post"]);
    reply.show(THREAD, "later", saying(" \n "));
    await pass(5_000);
    expect(texts()).toEqual(["The answer is 4."]);
  });

  it("shows an answer that takes longer while it is written", async () => {
    reply.show(THREAD, "r", saying("One line.\nAnd"));
    await pass(1_100);
    expect(texts()).toEqual([expect.stringContaining("One line.")]);
  });

  it("shows whole lines where the platform wishes it", async () => {
    rig = openMemoryAdapter(new MemoryPlatform({ growsByLines: true }));
    reply.show(THREAD, "r", saying("No line yet"));
    await pass(5_000);
    expect(texts()).toEqual([]);
    reply.show(THREAD, "r", saying("One line.\nAnd ha"));
    await pass(5_000);
    expect(texts()).toEqual(["One line.\n"]);
    reply.show(THREAD, "r", saying("One line.\nAnd half", true));
    await pass(5_000);
    expect(texts()).toEqual(["One line.\nAnd half"]);
  });

  it("shows a turn that is over at once in one message, and its first sign without a pause", async () => {
    rig = openMemoryAdapter(new MemoryPlatform({ editEveryMs: 1_000 }));
    const card = (status: "working" | "done", more: object = {}): View => ({
      ...{ kind: "activity", lines: [], status, buttons: [], ...more },
    });
    reply.show(THREAD, "card", card("working"));
    await pass(300);
    reply.show(THREAD, "card", card("done"));
    reply.show(THREAD, "answer", saying("So.", true));
    await pass(300);
    expect(deeds()).toEqual(["post", "post"]);
    expect(texts()).toEqual([expect.stringContaining("Done"), "So."]);
    reply.show(THREAD, "first sign", card("working", { isFirstSign: true }));
    reply.show(THREAD, "retries", card("working", { note: "The model is overloaded." }));
    await pass(50);
    expect(deeds()).toHaveLength(4);
  });

  it("shows the progress of a long turn seldom, and its end at once", async () => {
    rig = openMemoryAdapter(new MemoryPlatform({ editEveryMs: 1_000 }));
    const stop = { action: verbAction("stop"), label: "Stop" };
    const card = (output: number, status: "working" | "done"): View => ({
      kind: "activity",
      lines: [{ callId: "1", title: "x", details: [], status: "running", output: `${output}` }],
      ...{ status, buttons: [] },
    });
    const board = (done: number): View => ({ ...todos(["a", "b"], done), buttons: [stop] }) as View;
    for (let second = 0; second < 120; second += 1) {
      reply.show(THREAD, "card", card(second, "working"));
      reply.show(THREAD, "todos", board(second % 2));
      await pass(1_000);
    }
    const edits = () => deeds().filter((deed) => deed === "edit").length;
    // After five seconds, and then every eight.
    expect(edits()).toBeGreaterThan(10);
    expect(edits()).toBeLessThanOrEqual(18);
    reply.show(THREAD, "card", card(120, "done"));
    reply.show(THREAD, "todos", todos(["a", "b"], 2));
    const before = edits();
    await pass(1_100);
    expect(edits()).toBe(before + 2);
    reply.show(THREAD, "next card", card(1, "working"));
    await pass(1_100);
    reply.show(THREAD, "next card", card(2, "working"));
    await pass(4_000);
    expect(edits()).toBe(before + 2);
    await pass(1_100);
    expect(edits()).toBe(before + 3);
  });

  it("makes no edit that changes nothing on the platform", async () => {
    const appearance = (_: string, view: View) => (view.kind === "notice" ? view.text : "");
    rig = { ...rig, adapter: Object.assign(rig.adapter, { appearance }) };
    reply.show(THREAD, "n", notice("same"));
    await pass(2_000);
    reply.show(THREAD, "n", { kind: "notice", level: "warning", text: "same" });
    await pass(2_000);
    expect(deeds()).toEqual(["post"]);
    reply.show(THREAD, "n", notice("other"));
    await pass(2_000);
    expect(deeds()).toEqual(["post", "edit"]);
  });

  it("says nothing twice: the same state is no edit", async () => {
    reply.show(THREAD, "n", notice("same"));
    await pass(2_000);
    reply.show(THREAD, "n", notice("same"));
    await pass(2_000);
    expect(deeds()).toEqual(["post"]);
  });

  it("keeps slots and threads apart", async () => {
    reply.show(THREAD, "a", notice("one"));
    reply.show(THREAD, "b", notice("two"));
    reply.show("memory:C1:t2", "a", notice("three"));
    await pass(0);
    expect(texts()).toEqual([expect.stringContaining("one"), expect.stringContaining("two")]);
    expect(rig.platform.posts("memory:C1:t2")).toHaveLength(1);
  });

  it("flush resolves once everything is there", async () => {
    reply.show(THREAD, "r", saying("One line.\nan"));
    await pass(1_100);
    reply.show(THREAD, "r", saying("One line.\nand another", true));
    let isFlushed = false;
    void reply.flush(THREAD).then(() => {
      isFlushed = true;
    });
    await pass(500);
    expect(isFlushed).toBe(false);
    await pass(1_000);
    expect(isFlushed).toBe(true);
    expect(texts()).toEqual(["One line.\nand another"]);
    await reply.flush("memory:C1:nobody");
  });

  it("a piece of a streamed reply that comes late changes nothing about the finished one", async () => {
    reply.show(THREAD, "r", saying("the whole answer", true));
    reply.show(THREAD, "r", saying("the who"));
    await pass(2_000);
    reply.show(THREAD, "r", saying("the who"));
    await pass(2_000);
    expect(texts()).toEqual(["the whole answer"]);
  });
});

describe("when the platform fails", () => {
  it("13.7 delivers after a 429, no earlier than it was told to, and in order", async () => {
    rig.platform.refuseNext(7_000);
    const before = performance.now();
    for (const name of ["one", "two", "three"]) reply.show(THREAD, name, notice(name));
    await pass(6_900);
    expect(texts()).toEqual([]);
    await pass(200);
    expect(texts().map((text) => text.split(" ").at(-1))).toEqual(["one", "two", "three"]);
    expect(rig.platform.deeds[0]?.atMs).toBeGreaterThanOrEqual(before + 7_000);
  });

  it("15.24 the final text is whole even when an edit got a 429", async () => {
    reply.show(THREAD, "r", saying("begin"));
    await pass(0);
    rig.platform.refuseNext(3_000);
    reply.show(THREAD, "r", saying("begin and middle"));
    await pass(1_500);
    reply.show(THREAD, "r", saying("begin and middle and end", true));
    await pass(10_000);
    expect(texts()).toEqual(["begin and middle and end"]);
  });

  it("a lost answer gives one visible message, which shows the newest state", async () => {
    rig.platform.loseNextAnswer();
    reply.show(THREAD, "r", saying("old"));
    await pass(0);
    reply.show(THREAD, "r", saying("new", true));
    await pass(5_000);
    expect(texts()).toEqual(["new"]);
  });

  it("removes a part whose response was lost when the final text does not need it", async () => {
    reply.show(THREAD, "turn-1:reply", saying("one ".repeat(100)));
    await pass(1_500);
    rig.platform.loseNextAnswer();
    reply.show(THREAD, "turn-1:reply", saying("one ".repeat(400)));
    await quiet();
    await pass(200);
    reply.show(THREAD, "turn-1:reply", saying("one ".repeat(100), true));
    await pass(10_000);
    expect(texts()).toEqual(["one ".repeat(100)]);
  });

  it("a platform that is away for an hour blocks nobody and loses no final", async () => {
    await rig.people.faults.disconnect();
    for (let turn = 0; turn < 300; turn += 1) {
      reply.show(THREAD, `turn-${turn}:reply`, saying(`answer ${turn}`, turn % 2 === 0));
      await pass(12_000);
    }
    await rig.people.faults.reconnect();
    await pass(120_000);
    const finals = Array.from({ length: 150 }, (_, index) => `answer ${2 * index}`);
    const shown = texts();
    expect(shown.filter((text) => finals.includes(text))).toEqual(finals);
    expect(shown.length).toBeLessThan(300);
  });

  it("a thread whose platform fails does not hold up the others", async () => {
    const { post } = rig.adapter;
    const failing = vi.spyOn(rig.adapter, "post").mockImplementation((thread, view, key) => {
      if (thread === THREAD) throw new DeliveryError("later", "busy");
      return post.call(rig.adapter, thread, view, key);
    });
    reply.show(THREAD, "a", notice("stuck"));
    reply.show("memory:C1:t2", "a", notice("free"));
    await pass(0);
    expect(rig.platform.posts("memory:C1:t2")).toHaveLength(1);
    failing.mockRestore();
    await pass(60_000);
    expect(texts()).toHaveLength(1);
  });

  it("7.21 posts a deleted message again and remembers the new one", async () => {
    reply.show(THREAD, "todos", todos(["a"]));
    await pass(0);
    await rig.people.faults.deletePost(THREAD, rig.platform.posts(THREAD)[0]?.post ?? "");
    reply.show(THREAD, "todos", todos(["a", "b"]));
    await pass(2_000);
    expect(texts()).toEqual([expect.stringContaining("0/2")]);
    reply = newReply();
    reply.show(THREAD, "todos", todos(["a", "b", "c"]));
    await pass(2_000);
    expect(texts()).toEqual([expect.stringContaining("0/3")]);
    expect(deeds()).toEqual(["post", "post", "edit"]);
  });

  it("what can never be shown is given up, told to the log, and holds nothing up", async () => {
    const never = vi
      .spyOn(rig.adapter, "post")
      .mockRejectedValueOnce(new DeliveryError("never", "no"));
    reply.show(THREAD, "a", notice("impossible"));
    reply.show(THREAD, "b", notice("possible"));
    await pass(1_000);
    expect(texts()).toEqual([expect.stringContaining("possible")]);
    expect(logged).toContain("error: Failed to post a message; giving up.");
    never.mockRestore();
  });

  it("a final that can no longer be edited in is posted anew", async () => {
    reply.show(THREAD, "r", saying("half \nof it"));
    await pass(1_000);
    vi.spyOn(rig.adapter, "edit").mockRejectedValueOnce(new DeliveryError("never", "too old"));
    reply.show(THREAD, "r", saying("whole", true));
    await pass(5_000);
    expect(texts()).toEqual([expect.stringContaining("half"), "whole"]);
    vi.restoreAllMocks();
  });

  it("an adapter that throws something else is tried again, and in the end makes room", async () => {
    vi.spyOn(rig.adapter, "post").mockImplementation((_thread, view) => {
      if (view.kind === "picker") throw new TypeError("a bug");
      return Promise.resolve("post-x");
    });
    reply.show(THREAD, "bad", { kind: "picker", title: "x", options: [] });
    reply.show(THREAD, "good", notice("good"));
    await pass(600_000);
    await reply.flush(THREAD);
    expect(rig.adapter.post).toHaveBeenLastCalledWith(THREAD, notice("good"), `${THREAD}/good/1`);
    vi.restoreAllMocks();
  });

  it("a store that fails after the post is asked again, and the message is not posted twice", async () => {
    const failing = vi.spyOn(store, "append").mockRejectedValueOnce(new StoreError("disk full"));
    reply.show(THREAD, "a", notice("hello"));
    await pass(5_000);
    expect(deeds()).toEqual(["post"]);
    expect((await store.read(THREAD)).map(({ kind }) => kind)).toEqual(["view.posted"]);
    failing.mockRestore();
  });
});

describe("after a restart or a reconnect", () => {
  it("edits the messages that the journal knows", async () => {
    reply.show(THREAD, "todos", todos(["a"]));
    reply.show(THREAD, "approval:1", approval());
    await pass(0);
    reply = newReply();
    expect(await reply.restore(THREAD)).toEqual(["todos", "approval:1"]);
    reply.show(THREAD, "approval:1", approval("Ada"));
    reply.show(THREAD, "todos", todos(["a"], 1));
    await pass(2_000);
    expect(texts()).toEqual([expect.stringContaining("1/1"), expect.stringContaining("by Ada")]);
    expect(deeds()).toEqual(["post", "post", "edit", "edit"]);
  });

  it("13.8 a reconnect shows again what is not settled, and brings back what was deleted meanwhile", async () => {
    reply.show(THREAD, "todos", todos(["a"]));
    reply.show(THREAD, "n", notice("over and done"));
    await pass(0);
    for (const { post } of [...rig.platform.posts(THREAD)]) {
      await rig.people.faults.deletePost(THREAD, post);
    }
    await reply.restore(THREAD);
    await pass(2_000);
    expect(texts()).toEqual([expect.stringContaining("Todos 0/1")]);
  });

  it("writes nothing against a replica that has taken the conversation over", async () => {
    const mine = await store.lease(THREAD, "me", 1_000);
    reply = newReply({ fenceOf: () => mine?.fence });
    await mine?.release();
    await store.lease(THREAD, "other", 10_000);
    reply.show(THREAD, "a", notice("mine"));
    reply.show(THREAD, "b", notice("mine, too"));
    await pass(5_000);
    await reply.flush(THREAD);
    expect(await store.read(THREAD)).toEqual([]);
    expect(texts()).toHaveLength(1);
    // The other one shows the same, and finds the message that was posted too late to be recorded.
    const other = newReply();
    other.show(THREAD, "a", notice("mine"));
    await pass(1_000);
    expect(texts()).toHaveLength(1);
  });

  it("ends in time when the platform is away", async () => {
    await rig.people.faults.disconnect();
    reply.show(THREAD, "a", notice("x"));
    const closed = reply[Symbol.asyncDispose]();
    await pass(5_000);
    await closed;
    reply.show(THREAD, "b", notice("too late"));
    await rig.people.faults.reconnect();
    await pass(120_000);
    expect(texts()).toEqual([]);
  });
});

describe("long replies", () => {
  const paragraphs = (number: number) =>
    Array.from({ length: number }, (_, index) => `Paragraph ${index} ${"x".repeat(80)}`).join(
      "\n\n",
    );

  it("15.13 come in parts, in order, and before what was shown after them", async () => {
    reply.show(THREAD, "r", saying(paragraphs(20), true));
    reply.show(THREAD, "n", notice("after"));
    await pass(0);
    const numbers = texts().flatMap((text) => text.match(/(?<=Paragraph )\d+/g) ?? []);
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => String(index)));
    expect(texts().at(-1)).toContain("after");
    expect(texts().length).toBeGreaterThan(2);
  });

  it("keep their earlier parts while they grow", async () => {
    for (let length = 1; length <= 20; length += 1) {
      reply.show(THREAD, "r", saying(paragraphs(length), length === 20));
      await pass(1_100);
    }
    const first = rig.platform.deeds.filter(({ post }) => post === rig.platform.deeds[0]?.post);
    expect(
      texts()
        .join("\n\n")
        .match(/Paragraph \d+/g),
    ).toHaveLength(20);
    // Once another part has begun, the first one is left alone.
    expect(first.length).toBeLessThan(14);
  });

  it("take parts back that a shorter text does not need", async () => {
    reply.show(THREAD, "r", saying(paragraphs(20)));
    await pass(0);
    reply.show(THREAD, "r", saying("short after all", true));
    await pass(2_000);
    expect(texts()).toEqual(["short after all"]);
    reply = newReply();
    reply.show(THREAD, "r", saying("short after all, again", true));
    await pass(2_000);
    expect(texts()).toEqual(["short after all, again"]);
  });

  it("of 200 KB end in a file with all of it", async () => {
    const text = paragraphs(2_200);
    expect(text.length).toBeGreaterThan(200_000);
    reply.show(THREAD, "r", { kind: "reply", text, isFinal: true, footer: "gpt-5 · 1 s" });
    await pass(5_000);
    const posts = rig.platform.posts(THREAD);
    expect(posts).toHaveLength(6);
    expect(posts[4]?.text).toMatch(/The full reply is in reply\.md · gpt-5 · 1 s$/);
    expect(new TextDecoder().decode(posts[5]?.files[0]?.bytes)).toBe(text);
  });

  it("a file that the platform would not take comes in pieces that add up", async () => {
    rig = openMemoryAdapter(new MemoryPlatform({ fileBytes: 1_000 }));
    const text = "äöü€😀".repeat(500);
    const bytes = new TextEncoder().encode(text);
    reply.share(THREAD, "f", { name: "out.txt", mimeType: "text/plain", bytes });
    await pass(0);
    const files = rig.platform.posts(THREAD).flatMap(({ files }) => files);
    expect(files[0]?.name).toBe(`out.txt.1-of-${files.length}`);
    const pieces = files.map((file) => new TextDecoder("utf8", { fatal: true }).decode(file.bytes));
    expect(pieces.join("")).toBe(text);
  });

  it("a file that is far too large is said to be", async () => {
    rig = openMemoryAdapter(new MemoryPlatform({ fileBytes: 10 }));
    reply.share(THREAD, "f", { name: "big", mimeType: "x/y", bytes: new Uint8Array(10_000) });
    await pass(0);
    expect(texts()).toEqual([expect.stringContaining("too large for this chat")]);
  });
});

function approval(decidedBy?: string): View {
  const effect = {
    operation: "file_operations.delete_file",
    risk: "click",
    reasons: ["It deletes."],
    runsAs: "agent",
    paths: [],
    diffs: [],
    params: [],
    notes: [],
    approversNeeded: 1,
    buttons: [],
  } as const;
  const decision = { choice: "once", by: ["memory:U1"], at: "2026-11-16T12:00:00.000Z" } as const;
  const asked = {
    id: "1",
    callId: "c",
    askedAt: "2026-11-16T11:00:00.000Z",
    votes: [],
    wrongPhrases: {},
    effect,
    ...(decidedBy === undefined ? {} : { decision }),
  } as unknown as Approval;
  return {
    kind: "approval",
    approval: asked,
    requester: "Bob",
    ...(decidedBy === undefined ? {} : { decidedBy }),
    buttons: [],
  };
}
