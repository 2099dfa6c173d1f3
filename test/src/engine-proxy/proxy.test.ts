import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startProxy } from "../../../src/engine-proxy/proxy.ts";
import { readProxySettings } from "../../../src/engine-proxy/settings.ts";
import { containerSpec } from "../../../src/workspace/docker/container-spec.ts";
import { Names } from "../../../src/workspace/names.ts";
import {
  CONTAINER,
  CONTAINER_ID,
  exchange,
  FOREIGN,
  INSTANCE,
  RecordingEngine,
  WORKSPACE,
} from "../../support/recording-engine.ts";
import { until } from "../../support/until.ts";
import { HOSTILE_CONTENTS } from "./hostile-contents.ts";
import { HOSTILE_FORMS } from "./hostile-forms.ts";
import { HOSTILE_FRAMING } from "./hostile-framing.ts";
import {
  ADMITTED,
  ATTACH_REQUEST,
  attachBody,
  CREATE,
  golden,
  HOSTILE,
  raw,
  seccomp,
  specInput,
  UPGRADE,
} from "./hostile-requests.ts";

const ALL_HOSTILE = [...HOSTILE, ...HOSTILE_FORMS, ...HOSTILE_FRAMING, ...HOSTILE_CONTENTS];

let engine: RecordingEngine;
let proxy: AsyncDisposable;
let socketPath: string;
const log: string[] = [];

function start(directory = engine.directory): Promise<AsyncDisposable> {
  socketPath = join(directory, "proxy.sock");
  const env = { ENGINE_SOCKET: engine.socketPath, ENGINE_PROXY_SOCKET: socketPath };
  return startProxy({
    settings: readProxySettings(env),
    seccomp,
    log: (level, message, fields) => log.push(`${level} ${message} ${JSON.stringify(fields)}`),
  });
}

beforeAll(async () => {
  engine = await RecordingEngine.start();
  proxy = await start();
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
});
beforeEach(() => {
  engine.received.length = 0;
  log.length = 0;
});

function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}

describe("the engine proxy", () => {
  it.each(ADMITTED)(
    "admits %s and sends the engine its own request",
    async (_, bytes, status, sent) => {
      expect(statusOf(await exchange(socketPath, bytes))).toBe(status);
      const seen = engine.received.map(({ method, url, body }) =>
        // The body of a stream's request may reach the engine after its head.
        status === 101 ? `${method} ${url}` : `${method} ${url} ${body}`.trim(),
      );
      expect(seen).toContain(status === 101 ? sent.split(" ", 2).join(" ") : sent);
    },
  );

  it.each(ALL_HOSTILE)("refuses %s", async (_, bytes) => {
    const answer = await exchange(socketPath, bytes);
    expect([0, 400, 403, 413, 417, 431]).toContain(statusOf(answer));
    expect(engine.changes).toEqual([]);
    expect(answer).not.toContain("SECRET");
  });

  it("has at least 80 hostile requests to refuse, all different", () => {
    const seen = new Map<string, string>();
    const repeated = ALL_HOSTILE.filter(([title, bytes]) => {
      const before = seen.get(bytes);
      seen.set(bytes, title);
      return before !== undefined;
    });
    expect(repeated).toEqual([]);
    expect(ALL_HOSTILE.length).toBeGreaterThanOrEqual(80);
  });

  it("refuses a second request that hides behind the body of a first one", async () => {
    const hidden = raw("POST /containers/prune");
    await exchange(socketPath, raw("GET /info") + hidden);
    await exchange(socketPath, raw("POST /containers/create?name=x", hidden));
    // The stream that it would be part of is refused.
    await exchange(
      socketPath,
      raw(ATTACH_REQUEST.replace(CONTAINER, FOREIGN), attachBody, UPGRADE) + hidden,
    );
    await exchange(socketPath, raw(ATTACH_REQUEST, `${attachBody} `, UPGRADE) + hidden);
    expect(engine.changes).toEqual([]);
  });

  it("makes no container from another image", async () => {
    const imageId = `sha256:${"c".repeat(64)}`;
    const other = JSON.stringify(
      containerSpec({ ...specInput, imageId }, new Names(INSTANCE), WORKSPACE),
    );
    expect(statusOf(await exchange(socketPath, raw(`POST ${CREATE}`, other)))).toBe(404);
    expect(engine.changes).toEqual([]);
  });

  it("asks the engine nothing about a container that is not named like the bot's", async () => {
    await exchange(socketPath, raw(`GET /containers/${FOREIGN}/json`));
    await exchange(socketPath, raw(`GET /containers/${CONTAINER_ID}/json`));
    expect(engine.received).toEqual([]);
  });

  it("sends the engine none of a request's headers", async () => {
    const names = [
      "X-Registry-Auth",
      "X-HTTP-Method-Override",
      "Authorization",
      "Cookie",
      "X-Forwarded-For",
    ];
    const headers = names.map((name) => `${name}: SMUGGLED\r\n`).join("");
    expect(statusOf(await exchange(socketPath, raw(`POST ${CREATE}`, golden, headers)))).toBe(201);
    expect(
      statusOf(await exchange(socketPath, raw(ATTACH_REQUEST, attachBody, UPGRADE + headers))),
    ).toBe(101);
    const own = ["connection", "content-length", "content-type", "host", "upgrade"];
    const seen = engine.received.flatMap((one) => Object.keys(one.headers));
    expect(seen.filter((name) => !own.includes(name))).toEqual([]);
    expect(JSON.stringify(engine.received)).not.toContain("SMUGGLED");
  });

  it.each([
    ["a head", "POST /containers/create HTTP/1.1\r\nHost: x\r\n"],
    ["a body", `POST ${CREATE} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{`],
    [
      "the body of a stream",
      `${ATTACH_REQUEST} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n${UPGRADE}\r\n{`,
    ],
  ])("lets go of a connection whose request stops within %s", async (_, bytes) => {
    const slow = join(engine.directory, "slow.sock");
    await using patient = await startProxy({
      settings: readProxySettings({ ENGINE_SOCKET: engine.socketPath, ENGINE_PROXY_SOCKET: slow }),
      seccomp,
      log: () => {},
      requestWithinMs: 200,
    });
    expect(patient).toBeDefined();
    expect([0, 400, 408]).toContain(statusOf(await exchange(slow, bytes)));
    expect(engine.received).toEqual([]);
  });

  it("logs what it refused, and why", async () => {
    await exchange(socketPath, raw("POST /containers/prune"));
    expect(log).toEqual([expect.stringMatching(/^warn Refused a request\. .*prune/)]);
  });

  it("hides from the bot what it has no need to know", async () => {
    expect(await exchange(socketPath, raw("GET /info"))).not.toContain("host");
  });

  it("keeps the first bot that it has seen, also after a restart", async () => {
    expect(readFileSync(join(engine.directory, "instance"), "utf8")).toBe(INSTANCE);
    await proxy[Symbol.asyncDispose]();
    proxy = await start();
    const list = (instance: string) => {
      const filters = encodeURIComponent(`{"label":["deckhand.instance=${instance}"]}`);
      return exchange(socketPath, raw(`GET /volumes?filters=${filters}`));
    };
    expect(statusOf(await list("0123456789ab"))).toBe(403);
    expect(statusOf(await list(INSTANCE))).toBe(200);
    expect(readdirSync(engine.directory).sort()).toEqual(["docker.sock", "instance", "proxy.sock"]);
  });

  it("carries a stream both ways, its end included", async () => {
    const attach = ADMITTED.find(([title]) => title === "the channel");
    const socket = connect({ path: socketPath, allowHalfOpen: true });
    let received = "";
    socket.on("data", (piece) => {
      received += piece.toString("latin1");
    });
    socket.write(attach?.[1] ?? "");
    await until(() => received.endsWith("hello"), "what the engine says first");
    const much = "x".repeat(3_000_000);
    socket.end(much);
    await until(() => received.endsWith("x") && received.length > much.length, "the echo");
    await until(() => socket.readableEnded, "the end of the other side");
    expect(received.endsWith(`hello${much}`)).toBe(true);
  });

  it("reads the body before a stream also where it comes in pieces", async () => {
    const socket = connect({ path: socketPath, allowHalfOpen: true });
    let received = "";
    socket.on("data", (piece) => {
      received += piece.toString("latin1");
    });
    const request = ADMITTED.find(([title]) => title === "the channel")?.[1] ?? "";
    const bodyAt = request.length - attachBody.length;
    for (const piece of [request.slice(0, bodyAt), ...request.slice(bodyAt)]) {
      socket.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => received.endsWith("hello"), "what the engine says first");
    socket.end("and the rest");
    await until(() => received.endsWith("and the rest"), "the echo");
  });

  it("says that the engine does not answer", async () => {
    await using other = await startProxy({
      settings: readProxySettings({
        ENGINE_SOCKET: join(engine.directory, "gone.sock"),
        ENGINE_PROXY_SOCKET: join(engine.directory, "second.sock"),
      }),
      seccomp,
      log: (level, message) => log.push(`${level} ${message}`),
    });
    expect(other).toBeDefined();
    const answer = await exchange(join(engine.directory, "second.sock"), raw("GET /info"));
    expect(statusOf(answer)).toBe(502);
    expect(answer).toContain("does not answer");
  });

  it("names every setting that it cannot use", () => {
    const env = { ENGINE_SOCKET: "docker.sock", WORKSPACE_PIDS: "few" };
    expect(() => readProxySettings(env)).toThrow(
      /ENGINE_SOCKET[\s\S]*WORKSPACE_PIDS|WORKSPACE_PIDS[\s\S]*ENGINE_SOCKET/,
    );
  });
});
