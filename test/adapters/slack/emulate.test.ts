import { createEmulator } from "emulate";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { SlackConfig } from "../../../adapters/slack/config.ts";
import { createSlackAdapter, type SlackAdapter } from "../../../adapters/slack/index.ts";
import { encodeThread } from "../../../adapters/slack/thread.ts";
import type { View } from "../../../src/contract/platform/view.ts";
import type { Documents } from "../../../src/contract/store.ts";
import { SAMPLES } from "../../contracts/adapter/views.ts";
import { MemoryDocuments } from "../../support/slack-rig.ts";

interface Emulator {
  readonly url: string;
  close(): Promise<void>;
}

const BOT = "xoxb-deckhand";
const ADA = "xoxb-ada";
const notice = (text: string): View => ({ kind: "notice", level: "info", text });
const Message = z.object({
  ts: z.string(),
  text: z.string(),
  thread_ts: z.string().optional(),
  reactions: z.array(z.object({ name: z.string() })).optional(),
  blocks: z.array(z.unknown()).optional(),
});

let emulator: Emulator;
let adapter: SlackAdapter;
let documents: Documents;
let channel: string;
let ada: string;
let root: string;
let thread: string;

/** Somebody else's Slack, which does not know ours: a second opinion about every call that we make. */
beforeAll(async () => {
  const slack = {
    team: { name: "Team", domain: "team" },
    users: [{ name: "ada", real_name: "Ada" }, { name: "deckhand" }],
    channels: [{ name: "lab" }],
  };
  const tokens = {
    [BOT]: { login: "deckhand", scopes: ["chat:write"] },
    [ADA]: { login: "ada", scopes: ["chat:write"] },
  };
  emulator = await createEmulator({ service: "slack", port: 0, seed: { slack, tokens } });
  documents = new MemoryDocuments();
  adapter = await open();
  const { channels } = z
    .object({ channels: z.array(z.object({ id: z.string(), name: z.string() })) })
    .parse(await call(BOT, "conversations.list"));
  channel = channels.find(({ name }) => name === "lab")?.id ?? "";
  for (const token of [BOT, ADA]) await call(token, "conversations.join", { channel });
  ada = z.object({ user_id: z.string() }).parse(await call(ADA, "auth.test")).user_id;
});
afterAll(async () => {
  await adapter[Symbol.asyncDispose]();
  await emulator.close();
});
beforeEach(async () => {
  const posted = await call(ADA, "chat.postMessage", { channel, text: "hello" });
  root = z.object({ ts: z.string() }).parse(posted).ts;
  thread = encodeThread({ team: "T000000001", channel, root });
});

async function open(): Promise<SlackAdapter> {
  const config = SlackConfig.parse({
    SLACK_BOT_TOKEN: BOT,
    SLACK_MODE: "http",
    SLACK_SIGNING_SECRET: "0".repeat(32),
    SLACK_PORT: "0",
    SLACK_API_URL: `${emulator.url}/api/`,
  });
  if (!config) throw new Error("Slack is not set up.");
  const opened = createSlackAdapter({ config, documents, log: () => undefined });
  await opened.start(async () => ({ outcome: "accepted" }));
  return opened;
}

async function call(token: string, method: string, args: object = {}): Promise<unknown> {
  const response = await fetch(`${emulator.url}/api/${method}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(args),
  });
  const answer = (await response.json()) as { ok: boolean };
  if (!answer.ok) throw new Error(`${method}: ${JSON.stringify(answer)}`);
  return answer;
}

/** What stands below the first message. */
async function replies(): Promise<z.infer<typeof Message>[]> {
  const answer = await call(ADA, "conversations.replies", { channel, ts: root });
  const { messages } = z.object({ messages: z.array(Message) }).parse(answer);
  return messages.filter(({ ts }) => ts !== root);
}

describe("our calls, by the word of an emulator that others have written", () => {
  it.each(Object.entries(SAMPLES))(
    "%s is posted below its thread and edited",
    async (kind, { view }) => {
      const post = await adapter.post(thread, view, `k-${kind}-${root}`);
      expect(await adapter.edit(thread, post, view)).toBe("edited");
      const [reply, ...others] = await replies();
      expect(others).toEqual([]);
      expect(reply).toMatchObject({ ts: post, thread_ts: root });
    },
  );

  it("P-C5 what another process has posted is found by its key", async () => {
    const post = await adapter.post(thread, notice("once"), `k-${root}`);
    await using other = await open();
    expect(await other.post(thread, notice("again"), `k-${root}`)).toBe(post);
    expect(await replies()).toHaveLength(1);
  });

  it("what was removed is gone, and an edit of it says so", async () => {
    const post = await adapter.post(thread, notice("away"), `k-${root}`);
    await adapter.remove(thread, post);
    expect(await replies()).toEqual([]);
    expect(await adapter.edit(thread, post, notice("back"))).toBe("gone");
    await adapter.remove(thread, post);
  });

  it("signs of an outcome take each other's place", async () => {
    await adapter.mark(thread, root, "seen");
    await adapter.mark(thread, root, "failed");
    await adapter.mark(thread, root, "done");
    const answer = await call(ADA, "reactions.get", { channel, timestamp: root });
    expect(JSON.stringify(answer)).toContain("eyes");
    expect(JSON.stringify(answer)).toContain("white_check_mark");
    expect(JSON.stringify(answer)).not.toContain('"x"');
  });

  it("a file goes there and back", async () => {
    const bytes = new TextEncoder().encode("some text\n");
    const file = { name: "out.txt", mimeType: "text/plain", bytes, comment: "here" };
    const post = await adapter.upload(thread, file, `f-${root}`);
    const answer = await call(ADA, "conversations.replies", { channel, ts: root });
    const { messages } = z
      .object({
        messages: z.array(
          z.object({ ts: z.string(), files: z.array(z.object({ id: z.string() })).optional() }),
        ),
      })
      .parse(answer);
    const id = messages.find(({ ts }) => ts === post)?.files?.[0]?.id ?? "";
    const attachment = { id, name: "out.txt", mimeType: "text/plain", bytes: bytes.length };
    expect(await adapter.fetchAttachment(thread, attachment)).toEqual(bytes);
  });

  it("people are known, and so is what they said before", async () => {
    const said = await call(ADA, "chat.postMessage", { channel, thread_ts: root, text: "more" });
    const { ts } = z.object({ ts: z.string() }).parse(said);
    expect(await adapter.presence(thread, ada)).toMatchObject({
      actor: { id: ada },
      place: { isChannelMember: true },
    });
    expect(await adapter.presence(thread, "U0NOBODY")).toBeUndefined();
    const earlier = await adapter.earlier(thread, ts, 5);
    expect(earlier.map(({ text }) => text)).toEqual(["hello"]);
    expect(await adapter.link(thread)).toContain(`/archives/${channel}/`);
  });

  it("a whisper is taken, whether the thread has replies or not", async () => {
    await adapter.whisper(thread, ada, notice("between us"));
    await adapter.post(thread, notice("now it has"), `k-${root}`);
    await adapter.whisper(thread, ada, notice("between us"));
  });
});
