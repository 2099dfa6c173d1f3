import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DiscordChannel } from "../../support/discord/world.ts";
import { type DiscordRig, openDiscordRig } from "../../support/discord-rig.ts";
import { until } from "../../support/until.ts";

let rig: DiscordRig;
let channel: DiscordChannel;
const heard: string[] = [];
const unhandled: unknown[] = [];
const note = (error: unknown) => unhandled.push(error);

beforeAll(async () => {
  process.on("unhandledRejection", note);
  process.on("uncaughtException", note);
  rig = await openDiscordRig();
  await rig.adapter.start(async (incoming) => {
    if (incoming.type === "message") heard.push(incoming.messageId);
    return { outcome: "accepted" };
  });
  channel = rig.discord.channel({ name: "general" });
});
afterAll(async () => {
  process.off("unhandledRejection", note);
  process.off("uncaughtException", note);
  await rig[Symbol.asyncDispose]();
});

const id = "1441000000000000000";
const user = { id, username: "ada" };
const event = (t: string, d: unknown) => ({ op: 0, t, d });
const created = (fields: object) =>
  event("MESSAGE_CREATE", {
    ...{ id, channel_id: id, type: 0, content: "hello", author: user, mentions: [] },
    ...fields,
  });
const interaction = (fields: object) =>
  event("INTERACTION_CREATE", {
    ...{ id, token: "t", type: 2, application_id: id, version: 1, user },
    ...{ channel: { id, type: 1 }, channel_id: id, data: { id, name: "todos", type: 1 } },
    ...fields,
  });
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

const PACKETS: Readonly<Record<string, string | Buffer | Record<string, unknown>>> = {
  "no JSON": "{not json",
  "an empty frame": "",
  "a binary frame": Buffer.from([0, 1, 2, 255]),
  "a bare null": "null",
  "a bare number": "5",
  "a bare string": '"READY"',
  "a list": "[1,2,3]",
  "an empty object": "{}",
  "an opcode that is a string": { op: "0", t: "READY", d: {} },
  "an unknown opcode": { op: 99, d: null },
  "a negative opcode": { op: -1, d: {} },
  "nesting without end": `{"op":0,"s":1,"t":"MESSAGE_CREATE","d":${nested(20_000)}}`,
  "an event without a name": { op: 0, d: {} },
  "an event whose name is a number": { op: 0, t: 7, d: {} },
  "an unknown event": event("SOMETHING_NEW", { a: 1 }),
  "an unknown event without data": event("SOMETHING_NEW", null),
  "a sequence number that is a string": { ...created({}), s: "many" },
  "a sequence number out of range": { ...created({}), s: 1e300 },
  "a negative sequence number": { ...created({}), s: -5 },
  "READY without data": event("READY", null),
  "READY without a session": event("READY", { user }),
  "READY with another type of session": event("READY", { session_id: 5, resume_gateway_url: 5 }),
  "READY with an address that is none": event("READY", {
    ...{ session_id: "s", resume_gateway_url: "nowhere" },
  }),
  "an invalid session that says nothing": { op: 9, d: null },
  "a greeting without a heartbeat": { op: 10, d: null },
  "a greeting with a heartbeat of zero": { op: 10, d: { heartbeat_interval: 0 } },
  "a greeting with a heartbeat that is a word": { op: 10, d: { heartbeat_interval: "soon" } },
  "a message without data": event("MESSAGE_CREATE", null),
  "a message that is a list": event("MESSAGE_CREATE", []),
  "a message without an author": created({ author: null }),
  "a message whose author has no id": created({ author: { username: "ada" } }),
  "a message without an id": created({ id: undefined }),
  "a message whose id is no number": created({ id: "abc" }),
  "a message whose id is longer than any": created({ id: "9".repeat(400) }),
  "a message without words": created({ content: null }),
  "a message whose words are a number": created({ content: 42 }),
  "a message whose mentions are a word": created({ mentions: "everyone" }),
  "a message whose files have no names": created({ attachments: [{ id }] }),
  "a message whose files are null": created({ attachments: null }),
  "a message with a member of another shape": created({ member: { roles: "all" } }),
  "a message with a forwarded null": created({ message_snapshots: [null] }),
  "a message of ten million characters": created({ content: "x".repeat(10_000_000) }),
  "an edit without data": event("MESSAGE_UPDATE", null),
  "an edit whose words are null": event("MESSAGE_UPDATE", {
    ...{ id, channel_id: id, type: 0, content: null, author: user },
    edited_timestamp: "2026-11-18T00:00:00Z",
  }),
  "an edit at no time": event("MESSAGE_UPDATE", {
    ...{ id, channel_id: id, type: 0, content: "a", author: user, edited_timestamp: "later" },
  }),
  "a deletion without data": event("MESSAGE_DELETE", null),
  "deletions without ids": event("MESSAGE_DELETE_BULK", { channel_id: id }),
  "deletions whose ids are null": event("MESSAGE_DELETE_BULK", { channel_id: id, ids: [null] }),
  "a thread without data": event("THREAD_UPDATE", null),
  "a thread with a state of another shape": event("THREAD_UPDATE", {
    ...{ id, guild_id: id, parent_id: id, thread_metadata: { archived: true } },
  }),
  "a deleted thread without data": event("THREAD_DELETE", null),
  "a deleted channel without data": event("CHANNEL_DELETE", null),
  "a new channel without data": event("CHANNEL_CREATE", null),
  "a server without data": event("GUILD_CREATE", null),
  "a server whose channels are a word": event("GUILD_CREATE", { id, channels: "none" }),
  "a member without data": event("GUILD_MEMBER_UPDATE", null),
  "a list of threads without data": event("THREAD_LIST_SYNC", null),
  "an interaction without data": event("INTERACTION_CREATE", null),
  "an interaction without a user": interaction({ user: undefined }),
  "an interaction without a token": interaction({ token: undefined }),
  "an interaction of an unknown type": interaction({ type: 77 }),
  "a command without a name": interaction({ data: {} }),
  "a command with options that are null": interaction({
    data: { id, type: 1, name: "deckhand", options: [null] },
  }),
  "a click without a custom id": interaction({ type: 3, data: {} }),
  "a click that is a number": interaction({ type: 3, data: 7 }),
  "a window without fields": interaction({ type: 5, data: { custom_id: "x" } }),
};

/** Odd, but nothing in them is wrong for this adapter. */
const HARMLESS = [
  ...["an unknown event", "an unknown event without data", "an interaction of an unknown type"],
  ...["a message of ten million characters", "a server whose channels are a word"],
];

describe("a malformed gateway packet", () => {
  it.each(Object.entries(PACKETS))(
    "is logged and dropped, and the bot stays up: %s",
    async (name, packet) => {
      const before = rig.problems.length;
      rig.discord.gateway.sendRaw(packet);
      const ada = rig.discord.human({ username: "ada" });
      const { message } = ada.mentions(channel, "are you there?");
      await until(() => heard.includes(message.id), "the next message", {
        seen: () => ({ unhandled, problems: rig.problems.slice(before) }),
      });
      expect(unhandled).toEqual([]);
      expect(rig.problems.length > before).toBe(!HARMLESS.includes(name));
    },
  );

  it("does not cost the session", () => {
    expect(rig.discord.gateway.identifies).toBe(1);
    expect(rig.discord.gateway.connections).toBe(1);
  });
});
