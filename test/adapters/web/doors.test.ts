import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import WebSocket from "ws";
import { CLOSED } from "../../../adapters/web/protocol.ts";
import { until } from "../../support/until.ts";
import { MATE_TOKEN, OWNER_TOKEN, THREAD, WebLab } from "../../support/web-lab.ts";

let lab: WebLab;
beforeEach(async () => {
  lab = await WebLab.start({ env: { WEB_PEOPLE: `mate:member:${MATE_TOKEN}` } });
});
afterEach(() => lab[Symbol.asyncDispose]());

/** With headers that no browser lets a page set. */
function bare(path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(lab.origin);
    request({ host: "127.0.0.1", port, path, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}

function upgrade(headers: Record<string, string>, path = "/live"): Promise<string> {
  const socket = new WebSocket(`${lab.origin.replace("http", "ws")}${path}`, { headers });
  return new Promise((resolve) => {
    socket.on("open", () => {
      socket.terminate();
      resolve("open");
    });
    socket.on("error", (error) => resolve(error.message));
  });
}

describe("who is let in", () => {
  it("the printed address carries the owner's token in its fragment, which no server is sent", () => {
    const address = new URL(lab.adapter.address);
    expect(address.hash).toBe(`#token=${OWNER_TOKEN}`);
    expect(address.hostname).toBe("127.0.0.1");
  });

  it.each([
    ["no token", ""],
    ["another token", "not-the-token-0123456789"],
    ["the token with something behind it", `${OWNER_TOKEN}0`],
    ["the beginning of the token", OWNER_TOKEN.slice(0, -1)],
  ])("%s is refused at every request", async (_, token) => {
    await lab.thread();
    for (const [method, path] of [
      ["PUT", `/api/threads/${THREAD}`],
      ["POST", `/api/threads/${THREAD}/messages`],
      ["POST", `/api/threads/${THREAD}/clicks`],
      ["GET", `/api/threads/${THREAD}/items`],
      ["GET", "/api/anything"],
    ] as const) {
      const body = method === "GET" ? {} : { body: {} };
      expect((await lab.request(method, path, { token, ...body })).status).toBe(401);
    }
    expect(lab.incoming).toEqual([]);
  });

  it("a WebSocket with a bad token is closed and told why, and hears nothing before", async () => {
    using watcher = await lab.connect("not-the-token-0123456789");
    await until(() => watcher.closedWith === CLOSED.badToken, "the end");
    expect(watcher.heard).toEqual([]);
  });

  it("a WebSocket that asks before it says who it is is closed", async () => {
    using watcher = await lab.connect();
    using silent = new WebSocketWithout(lab.origin);
    await until(() => watcher.of("welcome").length === 1, "the welcome");
    await silent.opened;
    silent.socket.send(JSON.stringify({ type: "open", thread: THREAD, since: 0 }));
    await until(() => silent.code === CLOSED.badToken, "the end");
  });

  it("refuses further bad tokens of an address after twenty, and still accepts good ones", async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      const token = `wrong-token-01234${turn}`;
      expect((await lab.request("GET", "/api/x", { token })).status).toBe(401);
    }
    const another = { token: "another-wrong-token-1" };
    expect((await lab.request("GET", "/api/x", another)).status).toBe(429);
    expect((await lab.request("GET", "/api/x")).status).toBe(404);
    using refused = await lab.connect("another-wrong-token-2");
    await until(() => refused.closedWith === CLOSED.tooMany, "the end");
    using watcher = await lab.connect();
    await until(() => watcher.of("welcome").length === 1, "the welcome");
  });

  it("P-A1 each token is its own person: the second one comes as a member", async () => {
    await lab.thread();
    await lab.say("hello", {}, MATE_TOKEN);
    const body = { id: crypto.randomUUID(), action: "approve:a1:once" };
    await lab.request("POST", `/api/threads/${THREAD}/clicks`, { token: MATE_TOKEN, body });
    await lab.request("POST", `/api/threads/${THREAD}/clicks`, {
      body: { ...body, id: "other-id-1" },
    });
    expect(lab.incoming.map(({ type, actor }) => [type, actor.id, actor.kind])).toEqual([
      ["message", "mate", "member"],
      ["click", "mate", "member"],
      ["click", "owner", "owner"],
    ]);
  });

  it("a token that was made here lets the same pages in after a restart", async () => {
    await using own = await WebLab.start({ usesMadeToken: true });
    const before = new URL(own.adapter.address).hash;
    await own.restart();
    expect(new URL(own.adapter.address).hash).toBe(before);
    expect(before.length).toBeGreaterThan(30);
  });
});

describe("where requests come from", () => {
  it.each(["evil.example", "127.0.0.1.evil.example", "127.0.0.1:1", "localhost", "[::1]:1"])(
    "a request for the host %s is refused, whatever it carries",
    async (host) => {
      const authorization = `Bearer ${OWNER_TOKEN}`;
      for (const path of ["/", "/page/page.js", "/api/x"])
        expect(await bare(path, { host, authorization })).toBe(421);
      expect(await upgrade({ host })).toContain("403");
    },
  );

  it.each(["https://evil.example", "null", "http://127.0.0.1", "http://localhost:1"])(
    "a request from the origin %s is refused",
    async (origin) => {
      const { host } = new URL(lab.origin);
      const authorization = `Bearer ${OWNER_TOKEN}`;
      expect(await bare("/api/x", { host, origin, authorization })).toBe(421);
      expect(await upgrade({ origin })).toContain("403");
    },
  );

  it("its own addresses are welcome, and those that the operator names", async () => {
    await using proxied = await WebLab.start({ env: { WEB_ORIGINS: "https://deck.example.org" } });
    const { port } = new URL(lab.origin);
    expect(await bare("/", { host: `localhost:${port}` })).toBe(200);
    expect(await bare("/", { host: `127.0.0.1:${port}`, origin: lab.origin })).toBe(200);
    expect(new URL(proxied.adapter.address).origin).toBe("https://deck.example.org");
  });

  it("another site's page cannot embed or load anything", async () => {
    const { host } = new URL(lab.origin);
    const foreign = { host, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
    expect(await bare("/page/page.js", foreign)).toBe(421);
    expect(await upgrade({}, "/elsewhere")).toContain("403");
  });
});

describe("what every answer says", () => {
  it.each(["/", "/page/page.js", "/page/page.css", "/api/x", "/nothing"])(
    "%s allows no script, style or frame but our own, and is never stored",
    async (path) => {
      const { headers } = await lab.request("GET", path);
      const policy = headers.get("content-security-policy") ?? "";
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
      ]) {
        expect(policy).toContain(rule);
      }
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    },
  );

  it("the page holds no token, and another nonce each time", async () => {
    const [first, second] = await Promise.all([
      lab.request("GET", "/", { token: "" }),
      lab.request("GET", "/", { token: "" }),
    ]);
    const texts = [await first.text(), await second.text()];
    expect(texts[0]).not.toContain(OWNER_TOKEN);
    expect(texts[0]).not.toBe(texts[1]);
    expect(first.headers.get("content-security-policy")).not.toBe(
      second.headers.get("content-security-policy"),
    );
  });
});

/** A connection that has not said who it is. */
class WebSocketWithout implements Disposable {
  readonly socket: WebSocket;
  readonly opened: Promise<unknown>;
  code: number | undefined;

  constructor(origin: string) {
    this.socket = new WebSocket(`${origin.replace("http", "ws")}/live`);
    this.opened = new Promise((resolve) => this.socket.once("open", resolve));
    this.socket.on("close", (code) => {
      this.code = code;
    });
  }

  [Symbol.dispose](): void {
    this.socket.terminate();
  }
}
