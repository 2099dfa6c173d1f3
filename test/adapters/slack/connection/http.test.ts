import { createHmac } from "node:crypto";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RawConnection } from "../../../support/raw-http.ts";
import type { Delivery } from "../../../support/slack/deliveries.ts";
import { SlackLab } from "../../../support/slack-lab.ts";
import { caseCount } from "../../../support/thorough.ts";

let lab: SlackLab;
let event: string;
beforeEach(async () => {
  lab = await SlackLab.start({ mode: "http", retryMs: [] });
  event = JSON.stringify(mention().payload);
});
afterEach(() => lab[Symbol.asyncDispose]());

/** An event of a mention, as Slack would send it, not yet sent. */
function mention(text = "hello"): Delivery {
  const url = lab.slack.app.requestUrl;
  // Nobody listens there.
  lab.slack.app.requestUrl = "http://127.0.0.1:1/";
  const { deliveries } = lab.ada.says(lab.channel, text, { mention: true });
  lab.slack.app.requestUrl = url;
  const [first] = deliveries;
  if (!first) throw new Error("Slack tells nothing.");
  return first;
}

interface Sent {
  readonly secret?: string;
  readonly atSeconds?: number;
  readonly headers?: Record<string, string>;
  readonly path?: string;
  readonly method?: string;
}

function signed(body: string, sent: Sent = {}): Promise<number> {
  const { secret = lab.slack.app.signingSecret, atSeconds = Math.floor(Date.now() / 1000) } = sent;
  const digest = createHmac("sha256", secret).update(`v0:${atSeconds}:${body}`).digest("hex");
  return post(
    body,
    {
      "content-type": "application/json",
      "x-slack-request-timestamp": String(atSeconds),
      "x-slack-signature": `v0=${digest}`,
      ...sent.headers,
    },
    sent,
  );
}

function post(body: string, headers: Record<string, string>, sent: Sent = {}): Promise<number> {
  const address = new URL(sent.path ?? "", lab.adapter.address);
  return new Promise((resolve, reject) => {
    const asking = request(address, { method: sent.method ?? "POST", headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asking.on("error", reject);
    asking.end(body);
  });
}

const now = () => Math.floor(Date.now() / 1000);

/** With every change enough to change each place once. */
const CHANGED = caseCount({ perChange: 1_500, all: 10_000 });

describe("P-C1 requests that are not Slack's", () => {
  it("a signed one is taken", async () => {
    expect(await signed(event)).toBe(200);
    expect(await lab.heard(1)).toHaveLength(1);
  });

  it.each<[string, () => Promise<number>, number]>([
    ["without a signature", () => post(event, { "x-slack-request-timestamp": String(now()) }), 401],
    ["without a time", () => signed(event, { headers: { "x-slack-request-timestamp": "" } }), 401],
    ["with a time that is none", () => signed(event, { atSeconds: Number.NaN }), 401],
    ["signed with another secret", () => signed(event, { secret: "0".repeat(32) }), 401],
    ["from the past", () => signed(event, { atSeconds: now() - 302 }), 401],
    ["from the future", () => signed(event, { atSeconds: now() + 302 }), 401],
    ["of another version", () => signed(event, { headers: { "x-slack-signature": "v1=00" } }), 401],
    ["at another path", () => signed(event, { path: "/" }), 404],
    ["that only look", () => signed("", { method: "GET" }), 405],
    ["that are no JSON", () => signed("{"), 400],
  ])("%s are refused", async (_, send, status) => {
    expect(await send()).toBe(status);
    expect(lab.incoming).toEqual([]);
  });

  it("just within five minutes are taken", async () => {
    expect(await signed(event, { atSeconds: now() - 295 })).toBe(200);
  });

  it(`${CHANGED} that were changed in one place are refused`, async () => {
    const atSeconds = now();
    const good = createHmac("sha256", lab.slack.app.signingSecret)
      .update(`v0:${atSeconds}:${event}`)
      .digest("hex");
    const send = (number: number) => {
      const [body, at, signature] = changed(number, [event, String(atSeconds), `v0=${good}`]);
      return post(body, {
        "content-type": "application/json",
        "x-slack-request-timestamp": at,
        "x-slack-signature": signature,
      });
    };
    const statuses = new Set<number>();
    for (let first = 0; first < CHANGED; first += 50) {
      const some = Array.from({ length: 50 }, (_, index) => send(first + index));
      for (const status of await Promise.all(some)) statuses.add(status);
    }
    expect([...statuses]).toEqual([401]);
    expect(lab.incoming).toEqual([]);
  });

  it("that are too large are refused before they are read, whether they say so or not", async () => {
    const signature = { "x-slack-signature": "v0=00", "x-slack-request-timestamp": String(now()) };
    const headers = { ...signature, "content-length": String(100 * 1024 * 1024) };
    expect(await beginning(headers)).toBe(413);
    expect(await beginning({ ...signature, "transfer-encoding": "chunked" })).toBe(413);
  });

  it("100 MB from somebody who sends slowly and does not listen take no memory", async () => {
    const signature = { "x-slack-signature": "v0=00", "x-slack-request-timestamp": String(now()) };
    const before = bufferBytes();
    const { sent, mostBytes } = await trickled({ ...signature, "transfer-encoding": "chunked" });
    expect(sent).toBeLessThan(100 * MB);
    expect(mostBytes - before).toBeLessThan(10 * MB);
  });
});

/** One character of one of them is another one: each of them in turn, each place in its turn. */
function changed<Texts extends readonly string[]>(number: number, texts: Texts): Texts {
  const which = number % texts.length;
  return texts.map((text, index) => {
    if (index !== which) return text;
    const place = Math.floor(number / texts.length) % text.length;
    const shift = 1 + (number % 93);
    const letter = String.fromCharCode(33 + ((text.charCodeAt(place) - 33 + shift) % 94));
    return text.slice(0, place) + letter + text.slice(place + 1);
  }) as unknown as Texts;
}

const MB = 1024 * 1024;

function bufferBytes(): number {
  const { external, arrayBuffers } = process.memoryUsage();
  return external + arrayBuffers;
}

/** Goes on sending until the line is cut, or 100 MB are gone. */
async function trickled(headers: Record<string, string>) {
  const piece = Buffer.alloc(MB);
  const asking = request(new URL(lab.adapter.address ?? ""), { method: "POST", headers });
  asking.on("error", () => undefined);
  const isCut = new Promise<"cut">((resolve) => asking.on("close", () => resolve("cut")));
  let [sent, mostBytes] = [0, 0];
  while (sent < 100 * MB) {
    const written = new Promise((resolve) => asking.write(piece, resolve));
    if ((await Promise.race([written, isCut])) === "cut") break;
    sent += piece.length;
    mostBytes = Math.max(mostBytes, bufferBytes());
    await sleep(10);
  }
  return { sent, mostBytes };
}

/** Sends as long as it is let, and gives what was answered. */
function beginning(headers: Record<string, string>): Promise<number> {
  const piece = Buffer.alloc(64 * 1024);
  return new Promise((resolve, reject) => {
    const asking = request(new URL(lab.adapter.address ?? ""), { method: "POST", headers });
    let sent = 0;
    const more = () => {
      sent += piece.length;
      if (sent > 20 * 1024 * 1024) reject(new Error("20 MB were taken."));
      else if (!asking.destroyed) asking.write(piece, () => setImmediate(more));
    };
    asking.on("response", (answer) => {
      answer.resume();
      asking.destroy();
      resolve(answer.statusCode ?? 0);
    });
    asking.on("error", () => undefined);
    more();
  });
}

describe("P-C2 a request that somebody has caught", () => {
  it("does nothing when it is sent again", async () => {
    const atSeconds = now();
    expect(await signed(event, { atSeconds })).toBe(200);
    for (let round = 0; round < 20; round += 1) {
      const copies = Array.from({ length: 50 }, () => signed(event, { atSeconds }));
      expect(new Set(await Promise.all(copies))).toEqual(new Set([409]));
    }
    expect(lab.incoming).toHaveLength(1);
  });

  it("that could not be kept may come again as it is", async () => {
    const { receive } = lab;
    const atSeconds = now();
    lab.receive = () => Promise.reject(new Error("the store is away"));
    expect(await signed(event, { atSeconds })).toBe(500);
    lab.receive = receive;
    expect(await signed(event, { atSeconds })).toBe(200);
    expect(lab.incoming).toHaveLength(1);
  });

  it("has the same id in every process, so that it counts once after a restart, too", async () => {
    const atSeconds = now();
    await signed(event, { atSeconds });
    await lab.another();
    const address = lab.slack.app.requestUrl ?? "";
    expect(await signed(event, { atSeconds, path: address })).toBe(200);
    const [first, second] = lab.incoming;
    expect(second?.id).toBe(first?.id);
  });
});

describe("Slack's own questions", () => {
  it("the address is confirmed", async () => {
    expect(await lab.slack.http.verifyUrl()).toBe(true);
  });
});

it("once closed, nothing listens any more, and closing again does no harm", async () => {
  const address = lab.adapter.address ?? "";
  await lab.adapter[Symbol.asyncDispose]();
  await lab.adapter[Symbol.asyncDispose]();
  await expect(fetch(address)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
});

describe("connections that are not Slack's", () => {
  it.each<[string, string]>([
    ["nothing", ""],
    ["headers without an end", "POST / HTTP/1.1\r\nHost: x\r\nX-Slow: "],
    ["a body that never comes", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"],
  ])("keep no event out, though 300 of them send %s", async (_, text) => {
    const port = Number(new URL(lab.adapter.address ?? "").port);
    const strangers: RawConnection[] = [];
    for (let turn = 0; turn < 300; turn += 1) {
      const stranger = await RawConnection.open(port);
      stranger.socket.write(text);
      strangers.push(stranger);
    }
    expect(await signed(event)).toBe(200);
    await Promise.all(strangers.slice(0, 200).map(({ closed }) => closed));
    for (const one of strangers) one[Symbol.dispose]();
  });
});
