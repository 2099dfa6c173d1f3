import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limitConnections } from "../../../src/lib/limit-connections.ts";
import { RawConnection, rawRequest, statusOf } from "../../support/raw-http.ts";
import { until } from "../../support/until.ts";
import { OWNER_TOKEN, THREAD, WebLab } from "../../support/web-lab.ts";

let lab: WebLab;
let port: number;
beforeEach(async () => {
  lab = await WebLab.start();
  port = Number(new URL(lab.origin).port);
  await lab.thread();
});
afterEach(() => lab[Symbol.asyncDispose]());

const host = () => `Host: 127.0.0.1:${port}\r\n`;
const upgrade = () =>
  `GET /live HTTP/1.1\r\n${host()}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;

/** What a stranger leaves behind on a connection. */
const STRANGERS: Readonly<Record<string, () => string>> = {
  nothing: () => "",
  "half a request line": () => "GET /api",
  "headers without an end": () => `GET /api/x HTTP/1.1\r\n${host()}X-Slow: `,
  "a body that never comes": () =>
    `POST /api/threads/${THREAD}/messages HTTP/1.1\r\n${host()}Content-Length: 100000\r\n\r\n{`,
  "chunks that never end": () =>
    `POST /api/threads/${THREAD}/files HTTP/1.1\r\n${host()}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`,
  "a WebSocket that says nothing": upgrade,
  "a body for the page": () => `POST / HTTP/1.1\r\n${host()}Content-Length: 100000\r\n\r\nx`,
};

async function openAll(text: string, to = port, count = 205): Promise<RawConnection[]> {
  const all: RawConnection[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const connection = await RawConnection.open(to, `127.0.2.${(turn % 5) + 1}`);
    connection.socket.write(text);
    all.push(connection);
  }
  return all;
}

const asOwner = (to = port) =>
  rawRequest(
    to,
    `GET /api/threads/${THREAD}/items HTTP/1.1\r\nHost: 127.0.0.1:${to}\r\nAuthorization: Bearer ${OWNER_TOKEN}\r\nConnection: close\r\n\r\n`,
  );

describe("205 connections of strangers", () => {
  it.each(Object.entries(STRANGERS))("that send %s keep no user out", async (_, text) => {
    const strangers = await openAll(text());
    try {
      expect(statusOf(await asOwner())).toBe(200);
      using watcher = await lab.connect();
      await until(() => watcher.of("welcome").length === 1, "the welcome");
      await Promise.all(strangers.slice(0, 5).map(({ closed }) => closed));
    } finally {
      for (const one of strangers) one[Symbol.dispose]();
    }
  });

  it("keep the owner out of a server that only counts connections", async () => {
    const careless = createServer((_, response) => response.end());
    careless.maxConnections = 200;
    await new Promise<void>((resolve) => careless.listen(0, "127.0.0.1", resolve));
    const to = (careless.address() as AddressInfo).port;
    const strangers = await openAll("", to);
    expect(statusOf(await asOwner(to))).toBe(0);
    for (const one of strangers) one[Symbol.dispose]();
    careless.closeAllConnections();
    await new Promise((resolve) => careless.close(resolve));
  });

  it("never close a connection that has authenticated before", async () => {
    using watcher = await lab.connect();
    await until(() => watcher.of("welcome").length === 1, "the welcome");
    const strangers = await openAll("", port, 450);
    watcher.tell({ type: "open", thread: THREAD, since: 0 });
    await until(() => watcher.of("items").length === 1, "the items");
    expect(watcher.closedWith).toBeUndefined();
    for (const one of strangers) one[Symbol.dispose]();
  });
});

describe("limits of a server", () => {
  async function limited() {
    const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      if (request.url !== "/") limiter.trust(request.socket, request.url ?? "");
      response.end();
    });
    const limiter = limitConnections(server, {
      mostUntrusted: 6,
      mostUntrustedPerAddress: 3,
      mostPerOwner: 2,
      untrustedLifeMs: 400,
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
      to: (server.address() as AddressInfo).port,
      limiter,
      async [Symbol.asyncDispose]() {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

  it("closes the oldest connection of an address first, and leaves other addresses alone", async () => {
    await using server = await limited();
    using other = await RawConnection.open(server.to, "127.0.3.9");
    const same: RawConnection[] = [];
    for (let turn = 0; turn < 4; turn += 1) same.push(await RawConnection.open(server.to));
    await same[0]?.closed;
    expect(same.slice(1).map(({ isClosed }) => isClosed)).toEqual([false, false, false]);
    expect(other.isClosed).toBe(false);
    for (const one of same) one[Symbol.dispose]();
  });

  it("closes an unauthenticated connection in the end, also one that keeps talking", async () => {
    await using server = await limited();
    using idle = await RawConnection.open(server.to);
    using busy = await RawConnection.open(server.to);
    using known = await RawConnection.open(server.to);
    known.socket.write(get("/ada"));
    const talk = setInterval(() => busy.socket.write(get("/")), 20);
    await Promise.all([idle.closed, busy.closed]);
    clearInterval(talk);
    expect(known.isClosed).toBe(false);
    await until(() => server.limiter.untrusted === 0, "the server to forget both");
  });

  it("lets one owner push out only connections of that owner", async () => {
    await using server = await limited();
    using ada = await RawConnection.open(server.to);
    ada.socket.write(get("/ada"));
    await until(() => ada.received !== "", "the answer");
    const bobs: RawConnection[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const bob = await RawConnection.open(server.to);
      bob.socket.write(get("/bob"));
      await until(() => bob.received !== "" || bob.isClosed, "the answer");
      bobs.push(bob);
    }
    await bobs[0]?.closed;
    expect(ada.isClosed).toBe(false);
    for (const one of bobs) one[Symbol.dispose]();
  });
});
