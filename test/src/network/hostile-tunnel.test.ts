import { connect as connectHttp2 } from "node:http2";
import { duplexPair } from "node:stream";
import { describe, expect, it } from "vitest";
import { authorityHeaders, SESSION_OPTIONS } from "../../../src/contract/workspace/tunnel.ts";
import { Connector } from "../../../src/network/connector.ts";
import { WorkspaceEgress } from "../../../src/network/egress.ts";
import { memoryDocuments, NO_LIMITS } from "../../support/network/local-tunnel.ts";

function serveOver(stream: ReturnType<typeof duplexPair>[0]) {
  const asked: string[] = [];
  const egress = new WorkspaceEgress({
    gate: {
      decide: async (_conversation, { host }) => {
        asked.push(host);
        return { outcome: "refused", reason: "No." };
      },
    },
    connector: new Connector(),
    limits: NO_LIMITS,
    documents: memoryDocuments(),
    log: () => {},
  });
  return { asked, service: egress.serve("test:thread", stream) };
}

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const frame = (type: number, payload: Buffer, flags = 0, stream = 0) => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};
const SETTINGS = frame(4, Buffer.alloc(0));

const ATTACKS: Readonly<Record<string, Buffer>> = {
  "no HTTP/2": Buffer.from("GET / HTTP/1.1\r\n\r\n"),
  zeros: Buffer.alloc(1024 * 1024),
  "a frame that is longer than allowed": Buffer.concat([
    PREFACE,
    SETTINGS,
    frame(0, Buffer.alloc(1024 * 1024), 0, 1),
  ]),
  "data on a stream that is not there": Buffer.concat([
    PREFACE,
    SETTINGS,
    frame(0, Buffer.alloc(100), 0, 7),
  ]),
  "headers that cannot be decoded": Buffer.concat([
    PREFACE,
    SETTINGS,
    frame(1, Buffer.alloc(200, 0xff), 4, 1),
  ]),
  "a continuation of nothing": Buffer.concat([PREFACE, SETTINGS, frame(9, Buffer.alloc(10), 4, 1)]),
  "a window of zero bytes more": Buffer.concat([PREFACE, SETTINGS, frame(8, Buffer.alloc(4))]),
  "settings of a wrong size": Buffer.concat([PREFACE, frame(4, Buffer.alloc(5))]),
  "a flood of settings": Buffer.concat([
    PREFACE,
    ...Array.from({ length: 50_000 }, () => SETTINGS),
  ]),
  "a flood of pings": Buffer.concat([
    PREFACE,
    SETTINGS,
    ...Array.from({ length: 200_000 }, () => frame(6, Buffer.alloc(8))),
  ]),
};

describe("the bot's end of a tunnel", () => {
  it.each(Object.entries(ATTACKS))(
    "ends the session of a peer that sends %s",
    { timeout: 60_000 },
    async (_what, bytes) => {
      const [ours, theirs] = duplexPair();
      const { service, asked } = serveOver(ours);
      theirs.on("error", () => {}); // cut off
      theirs.resume();
      theirs.write(bytes);
      // Pings are answered; what is never read piles up, and the session has a bound for that.
      theirs.end();
      expect(await service.ended).toMatch(/\.$|:/);
      expect(asked).toEqual([]);
    },
  );

  it("ends the session of a peer that says nothing", { timeout: 60_000 }, async () => {
    const [ours, theirs] = duplexPair();
    theirs.resume();
    const { service } = serveOver(ours);
    expect(await service.ended).toBe("The tunnel's program says nothing.");
  });

  it("answers requests that are not of the tunnel's program with an error, and asks no gate", async () => {
    const [ours, theirs] = duplexPair();
    const { service, asked } = serveOver(ours);
    const client = connectHttp2("http://bot", {
      ...SESSION_OPTIONS,
      createConnection: () => theirs,
    });
    client.on("error", () => {}); // the end of the test
    const statusOf = (headers: Record<string, string>) =>
      new Promise((resolve) => {
        const stream = client.request(headers);
        stream.once("response", (response) => resolve(response[":status"]));
        stream.once("error", () => resolve("error"));
        stream.resume();
      });
    const good = authorityHeaders({ authority: "site.test:443", via: "connect" });
    expect(await statusOf(good)).toBe(403);
    expect(asked).toEqual(["site.test"]);
    for (const bad of [
      { ":method": "GET", ":path": "/", ":authority": "site.test:443" },
      { ...good, ":authority": "%zz" },
      { ...good, ":authority": encodeURIComponent("si\0te.test:443") },
      { ...good, ":authority": encodeURIComponent("u@site.test:443") },
      { ...good, "deckhand-via": "udp" },
    ]) {
      expect(await statusOf(bad), JSON.stringify(bad)).toBe(400);
    }
    expect(asked).toEqual(["site.test"]);
    service.close("Over.");
    expect(await service.ended).toBe("Over.");
  });
});
