import { describe, expect, it } from "vitest";
import { ownSleep } from "../own-clock.ts";
import { until } from "../until.ts";
import { SlackLab, SocketClient } from "./test-lab.ts";
import { isFields } from "./values.ts";

const eventIds = (client: SocketClient) =>
  client.envelopes.map(({ payload }) => (isFields(payload) ? payload.event_id : undefined));

describe("Socket Mode (apis/events-api/using-socket-mode)", () => {
  it("greets, and tells how many connections there are", async () => {
    await using lab = await SlackLab.start();
    using first = await lab.connect();
    using second = await lab.connect();
    expect(first.heard[0]).toMatchObject({ type: "hello", num_connections: 1 });
    expect(second.heard[0]).toMatchObject({ type: "hello", num_connections: 2 });
    expect(first.heard[0]?.connection_info).toEqual({ app_id: lab.slack.app.id });
  });

  it("an address serves one connection, and a made-up one none", async () => {
    await using lab = await SlackLab.start();
    const { body } = await lab.call("apps.connections.open", {}, lab.slack.app.appToken);
    using first = await SocketClient.connect(String(body.url));
    using second = await SocketClient.connect(String(body.url));
    expect([first.isClosed, second.isClosed]).toEqual([false, true]);
  });

  it("takes ten connections, and sends the eleventh away", async () => {
    await using lab = await SlackLab.start();
    using stack = new DisposableStack();
    for (let number = 0; number < 10; number += 1) stack.use(await lab.connect());
    const eleventh = stack.use(await lab.connect());
    expect(eleventh.heard).toEqual([{ type: "disconnect", reason: "too_many_websockets" }]);
    await until(() => eleventh.isClosed, "the end");
    expect(lab.slack.socketMode.connections).toBe(10);
  });

  it("tells a mention twice, with two ids", async () => {
    await using lab = await SlackLab.start();
    using client = await lab.connect();
    const { message } = lab.ada.says(lab.channel, "a < b", { mention: true });
    await client.atLeast(2);
    expect(client.events.map(({ type }) => type)).toEqual(["message", "app_mention"]);
    for (const { ts, text, channel } of client.events) {
      expect({ ts, text, channel }).toEqual({
        ts: message.ts,
        text: `<@${lab.slack.app.user.id}> a &lt; b`,
        channel: lab.channel.id,
      });
    }
    expect(new Set(eventIds(client)).size).toBe(2);
  });

  it("an event goes to one of several connections", async () => {
    await using lab = await SlackLab.start();
    using first = await lab.connect();
    using second = await lab.connect();
    for (const text of ["1", "2", "3", "4"]) lab.ada.says(lab.channel, text);
    await until(() => first.envelopes.length + second.envelopes.length >= 4, "four events");
    expect([first.envelopes.length, second.envelopes.length]).toEqual([2, 2]);
  });

  it("what is not acknowledged in time comes again, as itself and as a retry", async () => {
    await using lab = await SlackLab.start({ ackMs: 30, retryMs: [0, 0, 0] });
    using client = await lab.connect();
    client.answer = undefined;
    const [delivery] = lab.ada.says(lab.channel, "hear me").deliveries;
    await client.atLeast(4);
    await until(() => delivery?.isLost === true, "Slack to give up");
    expect(
      client.envelopes.map(({ retry_attempt, retry_reason }) => [retry_attempt, retry_reason]),
    ).toEqual([
      [undefined, undefined],
      [1, "timeout"],
      [2, "timeout"],
      [3, "timeout"],
    ]);
    expect(new Set(eventIds(client)).size).toBe(1);
    expect(new Set(client.envelopes.map(({ envelope_id }) => envelope_id)).size).toBe(4);
  });

  it("what was acknowledged does not come again", async () => {
    await using lab = await SlackLab.start({ ackMs: 500, retryMs: [0] });
    using client = await lab.connect();
    const [delivery] = lab.ada.says(lab.channel, "hear me").deliveries;
    await until(() => delivery?.isAcknowledged === true, "the acknowledgement");
    await ownSleep(600);
    expect(client.envelopes).toHaveLength(1);
  });

  it("warns before it takes a connection away, and still delivers until then", async () => {
    await using lab = await SlackLab.start();
    using client = await lab.connect();
    lab.slack.socketMode.disconnect("warning", 100);
    lab.ada.says(lab.channel, "just in time");
    await client.atLeast(1);
    expect(client.heard.map(({ type }) => type)).toEqual(["hello", "disconnect", "events_api"]);
    expect(client.heard[1]).toMatchObject({ reason: "warning" });
    await until(() => client.isClosed, "the end");
  });

  it("what is said between two connections is delivered to the second", async () => {
    await using lab = await SlackLab.start();
    using first = await lab.connect();
    lab.slack.socketMode.disconnect("refresh_requested");
    await until(() => first.isClosed && lab.slack.socketMode.connections === 0, "the end");
    lab.ada.says(lab.channel, "anybody?");
    using second = await lab.connect();
    await second.atLeast(1);
    expect(second.events).toMatchObject([{ text: "anybody?" }]);
  });

  it("a connection that breaks before its acknowledgement brings the event again", async () => {
    await using lab = await SlackLab.start({ retryMs: [0] });
    using first = await lab.connect();
    first.answer = undefined;
    lab.ada.says(lab.channel, "hear me");
    await first.atLeast(1);
    lab.slack.socketMode.drop();
    using second = await lab.connect();
    await second.atLeast(1);
    expect(eventIds(second)).toEqual(eventIds(first));
  });

  it("a switched-off Socket Mode gives no address", async () => {
    await using lab = await SlackLab.start();
    using client = await lab.connect();
    lab.slack.socketMode.disconnect("link_disabled");
    await until(() => client.isClosed, "the end");
    const { body } = await lab.call("apps.connections.open", {}, lab.slack.app.appToken);
    expect(body).toMatchObject({ ok: false });
  });

  it("notes what it does not understand", async () => {
    await using lab = await SlackLab.start();
    using client = await lab.connect();
    client.socket.send("hello?");
    client.answer = () => ({ text: "events take no answer" });
    lab.ada.says(lab.channel, "hi");
    await until(() => lab.slack.socketMode.complaints.length === 2, "two complaints");
    expect(lab.slack.socketMode.complaints).toEqual([
      expect.stringContaining("not an acknowledgement"),
      expect.stringContaining("takes no response"),
    ]);
  });
});
