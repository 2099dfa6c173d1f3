import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { until } from "../until.ts";
import { SlackLab } from "./test-lab.ts";

interface Heard {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Reply = (heard: Heard) => {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  afterMs?: number;
};

/** A request URL without any library of Slack's. */
async function openRequestUrl(reply: Reply = () => ({})) {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const one = { headers: request.headers, body: Buffer.concat(chunks).toString() };
    heard.push(one);
    const { status = 200, headers = {}, body = "", afterMs = 0 } = reply(one);
    setTimeout(() => response.writeHead(status, headers).end(body), afterMs);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { heard, url, [Symbol.asyncDispose]: close };
}

const retries = (heard: readonly Heard[]) =>
  heard.map(({ headers }) => [headers["x-slack-retry-num"], headers["x-slack-retry-reason"]]);

describe("requests over HTTP (apis/events-api, authentication/verifying-requests-from-slack)", () => {
  it("are signed over the time and the very bytes", async () => {
    await using app = await openRequestUrl();
    await using lab = await SlackLab.start({ requestUrl: app.url });
    lab.ada.says(lab.channel, "größer 😀");
    await until(() => app.heard.length === 1, "the event");
    const [{ headers, body } = { headers: {}, body: "" }] = app.heard;
    const time = String(headers["x-slack-request-timestamp"]);
    const digest = createHmac("sha256", lab.slack.app.signingSecret).update(`v0:${time}:${body}`);
    expect(headers["x-slack-signature"]).toBe(`v0=${digest.digest("hex")}`);
    expect(Math.abs(Number(time) - Date.now() / 1_000)).toBeLessThan(5);
    expect(JSON.parse(body)).toMatchObject({
      type: "event_callback",
      event: { text: "größer 😀" },
    });
  });

  it("an address is asked for its challenge", async () => {
    const echo: Reply = ({ body }) => ({ body: JSON.parse(body).challenge });
    await using good = await openRequestUrl(echo);
    await using bad = await openRequestUrl();
    await using lab = await SlackLab.start({ requestUrl: good.url });
    expect(await lab.slack.http.verifyUrl()).toBe(true);
    lab.slack.app.requestUrl = bad.url;
    expect(await lab.slack.http.verifyUrl()).toBe(false);
  });

  it.each([
    ["http_error", 5_000, { status: 500 }],
    ["http_timeout", 150, { afterMs: 10_000 }],
    ["http_error", 5_000, { status: 302, headers: { location: "/elsewhere" } }],
  ])(
    "come again after %s within %i ms (%o), numbered and with the reason",
    async (reason, ackMs, reply) => {
      await using app = await openRequestUrl(() => reply);
      await using lab = await SlackLab.start({ requestUrl: app.url, ackMs, retryMs: [0, 0, 0] });
      const [delivery] = lab.ada.says(lab.channel, "hear me").deliveries;
      await until(() => delivery?.isLost === true, "Slack to give up");
      expect(retries(app.heard)).toEqual([
        [undefined, undefined],
        ["1", reason],
        ["2", reason],
        ["3", reason],
      ]);
      expect(new Set(app.heard.map(({ body }) => body)).size).toBe(1);
    },
  );

  it("do not come again to whoever asks for that", async () => {
    await using app = await openRequestUrl(() => ({
      status: 500,
      headers: { "x-slack-no-retry": "1" },
    }));
    await using lab = await SlackLab.start({ requestUrl: app.url, retryMs: [0] });
    lab.ada.says(lab.channel, "hear me");
    await until(() => app.heard.length === 1, "the event");
    lab.ada.says(lab.channel, "and this");
    await until(() => app.heard.length >= 2, "the next event");
    expect(new Set(app.heard.map(({ body }) => body)).size).toBe(app.heard.length);
  });

  it("an action comes as a form with JSON in it, a command as a plain form", async () => {
    await using app = await openRequestUrl();
    await using lab = await SlackLab.start({ requestUrl: app.url });
    await lab.ada.runs(lab.channel, "/todos", "all & more");
    await lab.ada.shortcut("threads");
    const [command, shortcut] = app.heard.map(({ body }) => new URLSearchParams(body));
    expect(command?.get("command")).toBe("/todos");
    expect(command?.get("text")).toBe("all & more");
    expect(command?.has("thread_ts")).toBe(false);
    expect(JSON.parse(shortcut?.get("payload") ?? "")).toMatchObject({
      type: "shortcut",
      callback_id: "threads",
    });
  });

  it("an action comes once, and the person sees that it has failed", async () => {
    await using app = await openRequestUrl(() => ({ status: 500 }));
    await using lab = await SlackLab.start({ requestUrl: app.url, retryMs: [0] });
    await lab.ada.runs(lab.channel, "/todos");
    expect(app.heard).toHaveLength(1);
    expect(lab.ada.failures).toEqual(["/todos: http_error"]);
  });
});
