import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SlackLab } from "../../support/slack-lab.ts";
import { until } from "../../support/until.ts";

const unhandled: unknown[] = [];
const note = (error: unknown) => unhandled.push(error);
beforeAll(() => {
  process.on("unhandledRejection", note);
  process.on("uncaughtException", note);
});
afterAll(() => {
  process.off("unhandledRejection", note);
  process.off("uncaughtException", note);
});

const TS = "1700000000.000100";
const event = (fields: unknown) => ({ type: "event_callback", team_id: "T1", event: fields });
const message = (fields: object) =>
  event({ type: "message", channel: "C123", user: "U1", ts: TS, text: "x", ...fields });
const click = (fields: object) => ({
  ...{ type: "block_actions", user: { id: "U1" }, trigger_id: "t" },
  container: { type: "message", channel_id: "C123", message_ts: TS, thread_ts: TS },
  actions: [{ action_id: "0", block_id: `deckhand:${TS}:0`, action_ts: TS, value: "verb:todos" }],
  ...fields,
});
const window = (fields: object) => ({
  ...{ type: "view_submission", user: { id: "U1" } },
  view: {
    ...{ id: "V1", hash: "h", callback_id: "form", state: { values: {} } },
    private_metadata: JSON.stringify({ thread: `slack:T1:C123:${TS}`, action: "verb:todos" }),
    ...fields,
  },
});
const shortcut = (fields: object) => ({
  ...{ type: "message_action", callback_id: "todos", user: { id: "U1" }, trigger_id: "t" },
  ...{ action_ts: TS, channel: { id: "C123" }, message: { ts: TS, text: "x" } },
  ...fields,
});
const command = (fields: object) => ({
  ...{ command: "/todos", text: "", channel_id: "C123", user_id: "U1", trigger_id: "t" },
  ...fields,
});

/** Requests as they could come, in either mode. */
const BODIES: Readonly<Record<string, unknown>> = {
  "an empty object": {},
  "an unknown type": { type: "something_new" },
  "a type that every object has": { type: "constructor" },
  "a type that is a number": { type: 5 },
  "an event without an event": { type: "event_callback" },
  "an event that is null": event(null),
  "an event that is a list": event([1]),
  "an event that is a string": event("message"),
  "an event without a type": event({}),
  "an event whose type is a number": event({ type: 7 }),
  "an event of an unknown type": event({ type: "something_new" }),
  "an event that is called like an error": event({ type: "error", message: "x" }),
  "an event that is called like a signal of the connection": event({ type: "disconnected" }),
  "an event that is called like a frame": event({ type: "ws_message" }),
  "a message without anything": event({ type: "message" }),
  "a message without a channel": message({ channel: undefined }),
  "a message in no channel of Slack": message({ channel: "../x", thread_ts: TS }),
  "a message whose time is no time": message({ ts: "now", thread_ts: "then" }),
  "a message whose author is a number": message({ user: 5 }),
  "a message by a user whom Slack does not know": message({ user: "UNOBODY", thread_ts: TS }),
  "a mention by a user whom Slack does not know": event({
    ...{ type: "app_mention", channel: "C123", user: "UNOBODY", ts: TS, text: "<@UBOT> hi" },
  }),
  "a message with files of no form": message({ thread_ts: TS, files: [null, 5, {}] }),
  "a message with blocks that are a string": message({ thread_ts: TS, attachments: "x" }),
  "an edit without a message": message({ subtype: "message_changed" }),
  "a deletion without a message": message({ subtype: "message_deleted", previous_message: 5 }),
  "a stop without a thread": event({ type: "agent_session_stopped", user: "U1" }),
  "a stop by a user whom Slack does not know": event({
    ...{ type: "agent_session_stopped", user: "UNOBODY", channel: "C123" },
    ...{ thread_ts: TS, event_ts: TS },
  }),
  "an archive by a user whom Slack does not know": event({
    ...{ type: "channel_archive", channel: "C123", user: "UNOBODY", event_ts: TS },
  }),
  "a home tab without a person": event({ type: "app_home_opened" }),
  "a home tab of a user whom Slack does not know": event({
    ...{ type: "app_home_opened", user: "UNOBODY", tab: "home" },
  }),
  "a click without actions": click({ actions: [] }),
  "a click whose actions are null": click({ actions: null }),
  "a click without a container": click({ container: undefined }),
  "a click without a person": click({ user: null }),
  "a click by a user whom Slack does not know": click({ user: { id: "UNOBODY" } }),
  "a click on a form that is cut off": click({
    actions: [{ action_id: '0:["a"', block_id: `deckhand:${TS}:0`, action_ts: TS, value: "x" }],
  }),
  "a click on a form of another form": click({
    actions: [{ action_id: "0:[1,2]", block_id: `deckhand:${TS}:0`, action_ts: TS, value: "x" }],
  }),
  "a window without a view": { type: "view_submission", user: { id: "U1" } },
  "a window whose data is no JSON": window({ private_metadata: "{" }),
  "a window whose data is another": window({ private_metadata: "[]" }),
  "a window of no thread": window({
    private_metadata: JSON.stringify({ thread: "elsewhere", action: "x" }),
  }),
  "a window by a user whom Slack does not know": { ...window({}), user: { id: "UNOBODY" } },
  "a window that is not ours": window({ callback_id: "other" }),
  "a shortcut without a message": shortcut({ message: undefined }),
  "a shortcut in no channel": shortcut({ channel: { id: 5 } }),
  "a shortcut by a user whom Slack does not know": shortcut({ user: { id: "UNOBODY" } }),
  "a command without a person": command({ user_id: undefined }),
  "a command in no channel": command({ channel_id: "" }),
  "a command by a user whom Slack does not know": command({
    ...{ user_id: "UNOBODY", text: "https://x.slack.com/archives/C123/p1700000000000100" },
  }),
};

/** What only a connection can bring. */
const FRAMES: Readonly<Record<string, string | Buffer>> = {
  "no JSON": "{not json",
  "an empty frame": "",
  "a binary frame": Buffer.from([0, 1, 2, 255]),
  "a bare null": "null",
  "a bare number": "5",
  "a list": "[1,2]",
  "an envelope without a type": '{"envelope_id":"e1"}',
  "an envelope whose id is a number": '{"envelope_id":1,"type":"events_api","payload":{}}',
  "an envelope without a payload": '{"envelope_id":"e2","type":"events_api"}',
  "an envelope whose payload is null": '{"envelope_id":"e3","type":"interactive","payload":null}',
  "an envelope that is called like a signal": '{"envelope_id":"e4","type":"disconnected"}',
  "an envelope that is called like a frame": '{"envelope_id":"e5","type":"ws_message"}',
  "nesting without end": `{"type":"events_api","payload":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`,
};

const typeOf = (body: unknown) => {
  const { type, command: name } = body as { type?: unknown; command?: unknown };
  if (name !== undefined) return "slash_commands";
  return type === "event_callback" || type === undefined ? "events_api" : "interactive";
};

describe.each(["socket", "http"] as const)("malformed requests by %s", (mode) => {
  let lab: SlackLab;
  beforeAll(async () => {
    lab = await SlackLab.start({ mode, retryMs: [0, 0, 0] });
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  async function staysUp() {
    const before = lab.incoming.length;
    const { deliveries } = lab.ada.says(lab.channel, "still there?", { mention: true });
    await until(() => lab.incoming.length > before, "the message after it");
    await until(() => deliveries.every(({ isAcknowledged }) => isAcknowledged), "its receipt");
    expect(unhandled).toEqual([]);
    expect(lab.reconnects).toBe(0);
  }

  it.each(Object.entries(BODIES))(
    "%s is taken once, and the next one is handled",
    async (_, body) => {
      const { deliveries } = lab.slack;
      const id = `malformed-${deliveries.all.length}`;
      const type = typeOf(body);
      if (type === "events_api") {
        const delivery = deliveries.event(id, body as never);
        await until(() => delivery.isAcknowledged || delivery.attempts > 1, "the receipt");
        expect(delivery).toMatchObject({ isAcknowledged: true, attempts: 1 });
      } else {
        const { receipt } = await deliveries.action(id, type, body as never);
        expect(receipt.isAcknowledged).toBe(true);
      }
      await staysUp();
    },
  );

  it("a malformed answer to a call of ours loses no message: it is handled when Slack sends it again", async () => {
    const stranger = lab.slack.human();
    lab.channel.members.add(stranger.user.id);
    const before = lab.incoming.length;
    // A mention comes as two events, and each of them may ask who said it.
    for (let count = 0; count < 2; count += 1) lab.slack.faults.emptyNext("users.info");
    const { deliveries } = stranger.says(lab.channel, "do not lose this", { mention: true });
    await until(() => lab.incoming.length > before, "the message");
    await until(() => deliveries.every(({ isAcknowledged }) => isAcknowledged), "its receipt");
    expect(Math.max(...deliveries.map(({ attempts }) => attempts))).toBeGreaterThan(1);
  });

  it.runIf(mode === "socket").each(Object.entries(FRAMES))(
    "%s is dropped, and the next one is handled",
    async (_, frame) => {
      lab.slack.socketMode.sendRaw(frame);
      await staysUp();
    },
  );
});
