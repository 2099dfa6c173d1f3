import { afterEach, beforeEach, expect, it } from "vitest";
import { WebConfig } from "../../../adapters/web/config.ts";
import { HookRefusedError } from "../../../adapters/web/hooks.ts";
import type { Receipt } from "../../../src/contract/platform/adapter.ts";
import { Incoming } from "../../../src/contract/platform/incoming.ts";
import type { View } from "../../../src/contract/platform/view.ts";
import { localTimeAgo } from "../../../src/lib/text/times.ts";
import { until } from "../../support/until.ts";
import { THREAD, WebLab } from "../../support/web-lab.ts";

let lab: WebLab;
let answer: () => Promise<Receipt> = async () => ({ outcome: "accepted" });
const COMMANDS = [{ name: "todos", usage: "todos", summary: "Show the todos" }];
const at = `/api/threads/${THREAD}`;
const AT = "2026-11-16T12:00:00.000Z";

beforeEach(async () => {
  answer = async () => ({ outcome: "accepted" });
  lab = await WebLab.start({
    receive: () => answer(),
    hooks: {
      commands: () => COMMANDS,
      openForm: async () => ({ refusal: `Already approved ${localTimeAgo(AT, new Date(AT))}.` }),
      terminal: {
        list: async () => [{ id: "t1", title: "bash", state: "idle", rows: 24, cols: 80 }],
        follow: async (_asker, terminal, { fromIndex, onOutput }) => {
          if (terminal !== "t1") throw new HookRefusedError("You may not read that terminal.");
          await onOutput({ fromIndex, text: "hello", ended: true });
        },
      },
      settings: {
        read: async () => [],
        change: async (_asker, name) => {
          if (name === "locked") throw new HookRefusedError("Only an admin may change this.");
          throw new Error("secret details of a bug");
        },
      },
    },
  });
  await lab.thread();
});
afterEach(() => lab[Symbol.asyncDispose]());

it("the reason of a refusal has its times in words, for the page shows it as it is", async () => {
  const form = await lab.request("POST", `${at}/forms`, { body: { action: "a:b" } });
  expect(await form.json()).toEqual({ refusal: "Already approved just now." });
  const reason = `Too late: approved ${localTimeAgo(AT, new Date(AT))}.`;
  answer = async () => ({ outcome: "ignored", reason });
  for (const [path, body] of [
    ["clicks", { id: "click-001", action: "a:b" }],
    ["stop", { id: "stop-0001" }],
    ["messages", { id: "said-0001", text: "hi" }],
  ] as const) {
    const told = await lab.request("POST", `${at}/${path}`, { body });
    expect(await told.json()).toEqual({
      outcome: "ignored",
      reason: "Too late: approved just now.",
    });
  }
});

it("every door makes an event that fits the contract", async () => {
  const { id: message } = await said("hello");
  await lab.say("/todos");
  await lab.say("/unknown thing");
  await lab.request("PATCH", `${at}/messages/m${message}`, {
    body: { id: "edit-0001", text: "hi" },
  });
  await lab.request("POST", `${at}/clicks`, {
    body: { id: "click-001", action: "a:b", typed: "x" },
  });
  await lab.request("POST", `${at}/stop`, { body: { id: "stop-0001" } });
  await lab.request("DELETE", `${at}/messages/m${message}`, { body: { id: "gone-0001" } });
  await lab.request("POST", `${at}/archive`, { body: { id: "arch-0001" } });
  for (const incoming of lab.incoming) expect(Incoming.parse(incoming)).toEqual(incoming);
  expect(lab.incoming.map(({ type }) => type)).toEqual([
    "message",
    "command",
    "message",
    "edit",
    "click",
    "stop",
    "deletion",
    "archived",
  ]);
  expect(lab.incoming[1]).toMatchObject({ text: "todos" });
});

it("15.3 what stands in a quote or a code block is what the author points at", async () => {
  await lab.say("> exit code 137\nwhat is this?");
  await lab.say("and this?\n```\nSIGKILL\n```");
  await lab.say("nothing");
  expect(lab.incoming.map((one) => one.type === "message" && one.pointedAt)).toEqual([
    "exit code 137",
    "SIGKILL",
    undefined,
  ]);
});

it("5.11 an answer that could not be kept is not acknowledged, and the same click works later", async () => {
  answer = () => Promise.reject(new Error("the store is away"));
  const body = { id: "click-0001", action: "approve:a1:once" };
  expect((await lab.request("POST", `${at}/clicks`, { body })).status).toBe(500);
  answer = async () => ({ outcome: "accepted" });
  const again = await lab.request("POST", `${at}/clicks`, { body });
  expect(await again.json()).toEqual({ outcome: "accepted" });
  expect(lab.incoming[0]?.id).toBe(lab.incoming[1]?.id);
  expect(lab.problems).toHaveLength(1);
});

it("a refused click says why to whoever clicked", async () => {
  answer = async () => ({ outcome: "ignored", reason: "Only Ada may approve this." });
  const body = { id: "click-0001", action: "approve:a1:once" };
  const refused = await lab.request("POST", `${at}/clicks`, { body });
  expect(await refused.json()).toEqual({
    outcome: "ignored",
    reason: "Only Ada may approve this.",
  });
});

it("nobody changes or deletes what somebody else has said", async () => {
  const { id } = await said("mine");
  const post = await lab.adapter.post(THREAD, { kind: "notice", level: "info", text: "x" }, "k");
  for (const message of ["m-none", post]) {
    const body = { id: "edit-0002", text: "yours" };
    expect((await lab.request("PATCH", `${at}/messages/${message}`, { body })).status).toBe(404);
    expect((await lab.request("DELETE", `${at}/messages/${message}`, { body })).status).toBe(404);
  }
  expect(
    (await lab.request("DELETE", `${at}/messages/m${id}`, { body: { id: "x".repeat(8) } })).ok,
  ).toBe(true);
});

it("a body that is too large or makes no sense is refused, and nothing happens", async () => {
  const large = "x".repeat(600_000);
  expect((await lab.say(large)).status).toBe(413);
  expect((await lab.say("y".repeat(100_001))).status).toBe(400);
  for (const body of [
    {},
    { id: 1 },
    { id: "short", text: "x" },
    { id: "long-enough" },
    "no json",
  ]) {
    expect((await lab.request("POST", `${at}/messages`, { body })).status).toBe(400);
  }
  const click = { id: "click-0009", action: "not an action!" };
  expect((await lab.request("POST", `${at}/clicks`, { body: click })).status).toBe(400);
  for (const thread of ["web:none", "slack:C1:1", `${THREAD}0`, "..%2f..%2fx"]) {
    expect((await lab.say("x", {}, undefined, thread)).status).toBe(404);
  }
  expect(lab.incoming).toEqual([]);
  expect(lab.problems).toEqual([]);
});

it("15.23 a file that is too large is refused and leaves nothing behind", async () => {
  const tooLarge = new Uint8Array(lab.adapter.limits.fileBytes + 1);
  const refused = await lab.request("POST", `${at}/files`, { body: tooLarge });
  expect(refused.status).toBe(413);
  const { readdir } = await import("node:fs/promises");
  expect(await readdir(`${lab.directory}/files`).catch(() => [])).toEqual([]);
});

it("a file is given only in its own thread, and never as a page", async () => {
  const headers = {
    "x-file-name": encodeURIComponent("../a<b>.html"),
    "content-type": "text/html",
  };
  const body = new TextEncoder().encode("<script>alert(1)</script>");
  const upload = await lab.request("POST", `${at}/files`, { body, headers });
  const { id, name } = (await upload.json()) as { id: string; name: string };
  expect(name).toBe(".._a<b>.html");
  const file = await lab.request("GET", `${at}/files/${id}`);
  expect(file.headers.get("content-type")).toBe("application/octet-stream");
  expect(file.headers.get("content-disposition")).toMatch(/^attachment/);
  expect(new Uint8Array(await file.arrayBuffer())).toEqual(body);
  const other = await lab.thread("web:ffffffffffffffffffffffff");
  expect((await lab.request("GET", `/api/threads/${other}/files/${id}`)).status).toBe(404);
  for (const bad of ["..%2f..%2fstore.db", "f00", "%00"]) {
    expect((await lab.request("GET", `${at}/files/${bad}`)).status).toBe(404);
  }
});

it("a frame that is too large or makes no sense ends the connection and nothing else", async () => {
  for (const frame of ["x".repeat(70_000), "{", '{"type":"nonsense"}']) {
    using watcher = await lab.connect();
    watcher.socket.send(frame);
    await until(() => watcher.closedWith !== undefined, "the end");
  }
  using still = await lab.connect();
  await until(() => still.of("welcome").length === 1, "the welcome");
});

it("a terminal is followed from where one was; a refusal says why, a bug does not", async () => {
  using watcher = await lab.connect();
  watcher.tell({ type: "follow", thread: THREAD, terminal: "t1", fromIndex: 7 });
  await until(() => watcher.of("followEnded").length === 1, "the end");
  expect(watcher.of("output")).toMatchObject([{ fromIndex: 7, text: "hello", ended: true }]);
  watcher.tell({ type: "follow", thread: THREAD, terminal: "t2", fromIndex: 0 });
  await until(() => watcher.of("followEnded").length === 2, "the refusal");
  expect(watcher.of("followEnded")[1]?.reason).toBe("You may not read that terminal.");
  const refused = await lab.request("POST", `${at}/settings`, {
    body: { name: "locked", value: 1 },
  });
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("admin")]);
  const broken = await lab.request("POST", `${at}/settings`, { body: { name: "x", value: 1 } });
  expect([broken.status, await broken.text()]).toEqual([
    500,
    expect.not.stringContaining("secret"),
  ]);
});

it("settings that cannot be used are all named", () => {
  const wrong = {
    WEB_PORT: "99999",
    WEB_TOKEN: "short",
    WEB_PEOPLE: "a:king:b",
    WEB_ORIGINS: "ftp://x",
  };
  const problems = WebConfig.safeParse(wrong).error?.issues.map(({ path }) => path[0]);
  expect(new Set(problems)).toEqual(new Set(Object.keys(wrong)));
  const twins = { WEB_PEOPLE: `owner:member:${"t".repeat(20)}` };
  expect(WebConfig.safeParse(twins).success).toBe(false);
  expect(WebConfig.parse({})).toMatchObject({ host: "127.0.0.1", token: undefined, people: [] });
});

async function said(text: string): Promise<{ id: string }> {
  const id = crypto.randomUUID();
  await lab.say(text, { id });
  return { id };
}

it("the list of threads tells where the bot is at work", async () => {
  using watcher = await lab.connect();
  const isWorking = () => watcher.of("thread").at(-1)?.thread.isWorking;
  const card = (status: "working" | "waiting" | "done"): View => ({
    kind: "activity",
    lines: [],
    status,
    buttons: [],
  });
  const post = await lab.adapter.post(THREAD, card("working"), "card");
  await until(isWorking, "the work");
  const before = watcher.of("thread").length;
  await lab.adapter.post(THREAD, { kind: "notice", level: "info", text: "on it" }, "word");
  await until(() => watcher.of("thread").length > before, "the notice");
  expect(isWorking()).toBe(true);
  for (const status of ["waiting", "done"] as const) {
    await lab.adapter.edit(THREAD, post, card("working"));
    await until(isWorking, "the work");
    await lab.adapter.edit(THREAD, post, card(status));
    await until(() => isWorking() === false, "its end");
  }
  // What a command of one's own has printed takes the place of its card.
  await lab.adapter.edit(THREAD, post, card("working"));
  await until(isWorking, "the work");
  const output = {
    kind: "terminal",
    title: "$ ls",
    text: "a",
    hiddenLines: 0,
    buttons: [],
  } as const;
  await lab.adapter.edit(THREAD, post, output);
  await until(() => isWorking() === false, "its end");
});
