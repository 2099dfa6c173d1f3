import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BadTokens } from "../../../adapters/web/server/bad-tokens.ts";
import { rawRequest, statusOf } from "../../support/raw-http.ts";
import { OWNER_TOKEN, THREAD, WebLab } from "../../support/web-lab.ts";

let lab: WebLab;
let port: number;
beforeEach(async () => {
  lab = await WebLab.start();
  port = Number(new URL(lab.origin).port);
  await lab.thread();
});
afterEach(() => lab[Symbol.asyncDispose]());

type Headers = Readonly<Record<string, string>>;

async function ask(path: string, headers: Headers, method = "GET"): Promise<number> {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, connection: "close", ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return statusOf(await rawRequest(port, `${method} ${path} HTTP/1.1\r\n${head}\r\n`));
}

const EVIL = "https://evil.example";
const bearer = { authorization: "Bearer some-guessed-token-0000" };
const upgrade = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
};
const fetched = (site: string, mode: string, dest: string) => ({
  "sec-fetch-site": site,
  "sec-fetch-mode": mode,
  "sec-fetch-dest": dest,
});

/** Every way in which another site makes a visitor's browser send something: path, headers, method. */
const ATTACKS: [string, string, Headers, string?][] = [
  ["an iframe", "/api/x", fetched("cross-site", "navigate", "iframe")],
  ["a frame", "/api/x", fetched("cross-site", "navigate", "frame")],
  ["an object", "/api/x", fetched("cross-site", "navigate", "object")],
  ["an embed", "/api/x", fetched("cross-site", "navigate", "embed")],
  ["a pop-up", "/api/x", fetched("cross-site", "navigate", "document")],
  ["an image", "/api/x", fetched("cross-site", "no-cors", "image")],
  ["a script", "/page/page.js", fetched("cross-site", "no-cors", "script")],
  ["a style sheet", "/page/page.css", fetched("cross-site", "no-cors", "style")],
  ["a video", "/api/x", fetched("cross-site", "no-cors", "video")],
  ["fetch without CORS", "/api/x", fetched("cross-site", "no-cors", "empty")],
  ["fetch with CORS", "/api/x", { origin: EVIL, ...fetched("cross-site", "cors", "empty") }],
  ["a preflight", "/api/x", { origin: EVIL }, "OPTIONS"],
  ["a form", "/api/x", { origin: EVIL, ...fetched("cross-site", "navigate", "document") }, "POST"],
  ["a sandboxed form", "/api/x", { origin: "null" }, "POST"],
  ["a form that posts to the page", "/", fetched("cross-site", "navigate", "document"), "POST"],
  ["an iframe of the page", "/", fetched("cross-site", "navigate", "iframe")],
  ["a beacon", "/api/x", { origin: EVIL }, "POST"],
  ["EventSource", "/api/x", { origin: EVIL, accept: "text/event-stream" }],
  ["a WebSocket", "/live", { ...upgrade, origin: EVIL }],
  ["a WebSocket of a sandboxed frame", "/live", { ...upgrade, origin: "null" }],
  ["a WebSocket by another port", "/live", { ...upgrade, origin: "http://127.0.0.1:1" }],
  ["a WebSocket by metadata alone", "/live", { ...upgrade, "sec-fetch-site": "cross-site" }],
  ["another port of this machine", "/api/x", fetched("same-site", "no-cors", "image")],
  ["a sibling domain", "/page/page.js", fetched("same-site", "no-cors", "script")],
  ["metadata nobody has defined", "/api/x", { "sec-fetch-site": "elsewhere" }],
  ["DNS rebinding", "/api/x", { host: "evil.example" }],
  ["DNS rebinding with our port", "/api/x", { host: "evil.example:4170" }],
  ["DNS rebinding of a WebSocket", "/live", { ...upgrade, host: "evil.example" }],
  [
    "rebinding that claims to be same-origin",
    "/",
    { host: "e.example", origin: "http://e.example" },
  ],
  ["an old browser's image", "/api/x", { referer: `${EVIL}/page` }],
  ["an old browser's broken referer", "/api/x", { referer: "about" }],
];

describe("requests that another site causes", () => {
  it.each(ATTACKS)("refuses %s, with or without a token", async (_, path, headers, method) => {
    for (const token of [{}, bearer, { authorization: `Bearer ${OWNER_TOKEN}` }])
      expect([403, 421]).toContain(await ask(path, { ...headers, ...token }, method));
  });

  it.each([
    ["another site's", "evil.example"],
    ["the same", "own"],
  ])("refuses a second Host header, %s (a proxy may have gone by it)", async (_, second) => {
    const own = `127.0.0.1:${port}`;
    const hosts = [own, second === "own" ? own : second].map((host) => `Host: ${host}\r\n`);
    for (const lines of [hosts, hosts.toReversed()]) {
      const head = `GET /api/x HTTP/1.1\r\n${lines.join("")}Authorization: Bearer ${OWNER_TOKEN}\r\n`;
      expect(statusOf(await rawRequest(port, `${head}Connection: close\r\n\r\n`))).toBe(421);
    }
  });

  it("counts none of them: the next bad token is still answered with 401", async () => {
    for (let round = 0; round < 3; round += 1)
      for (const [, path, headers, method] of ATTACKS)
        await ask(path, { ...headers, ...bearer }, method);
    expect(await ask("/api/x", bearer)).toBe(401);
  });

  it("does not count requests without a token, which old browsers send without a trace", async () => {
    for (let round = 0; round < 60; round += 1) expect(await ask("/api/x", {})).toBe(401);
    expect(await ask("/api/x", bearer)).toBe(401);
    expect(await ask("/api/x", { authorization: `Bearer ${OWNER_TOKEN}` })).toBe(404);
  });

  it.each<[string, string, Headers]>([
    ["the page itself", "/", fetched("same-origin", "navigate", "document")],
    ["a typed address", "/", fetched("none", "navigate", "document")],
    ["a link in Slack", "/", fetched("cross-site", "navigate", "document")],
    ["an old browser that follows a link", "/", { referer: `${EVIL}/page` }],
    ["the page's own request", "/api/x", fetched("same-origin", "cors", "empty")],
    ["an old browser's own request", "/api/x", {}],
    ["a name in capitals", "/", { host: "LOCALHOST" }],
  ])("admits %s", async (_, path, headers) => {
    const host = headers.host === undefined ? {} : { host: `${headers.host}:${port}` };
    const token = { authorization: `Bearer ${OWNER_TOKEN}` };
    expect([200, 404]).toContain(await ask(path, { ...headers, ...host, ...token }));
  });
});

describe("bad tokens", () => {
  it("counts a repeated bad token once for its address", () => {
    const limiter = new BadTokens();
    for (let turn = 0; turn < 20; turn += 1)
      expect(limiter.isOverLimit("1.2.3.4", "a")).toBe(false);
    expect(limiter.isOverLimit("1.2.3.4", "a")).toBe(true);
    expect(limiter.isOverLimit("1.2.3.4", "b")).toBe(false);
  });

  it("limits each address by itself, an IPv6 network as one, and forgets after a minute", () => {
    let now = 0;
    const limiter = new BadTokens(() => now);
    for (let turn = 0; turn < 20; turn += 1)
      expect(limiter.isOverLimit(`2001:db8::${turn.toString(16)}`, `t${turn}`)).toBe(false);
    expect(limiter.isOverLimit("2001:db8::ffff", "u")).toBe(true);
    expect(limiter.isOverLimit("2001:db8:0:1::1", "u")).toBe(false);
    expect(limiter.isOverLimit("::ffff:10.0.0.1", "u")).toBe(false);
    now = 60_001;
    expect(limiter.isOverLimit("2001:db8::ffff", "u")).toBe(false);
  });

  it("keeps a bounded number of addresses", () => {
    const limiter = new BadTokens();
    for (let turn = 0; turn < 20_000; turn += 1)
      limiter.isOverLimit(`10.${turn >> 16}.${(turn >> 8) & 255}.${turn & 255}`, `t${turn}`);
    expect(limiter.addresses).toBe(1_000);
  });

  it("locks nobody out of a thread while another address guesses", async () => {
    const guesses = Array.from({ length: 100 }, (_, turn) =>
      lab.request("GET", "/api/x", { token: `guess-number-${turn}-0000` }),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect((await lab.request("GET", `/api/threads/${THREAD}/items`)).status).toBe(200);
  });
});
