import { lstatSync } from "node:fs";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rawRequest, statusOf } from "../../support/raw-http.ts";
import { until } from "../../support/until.ts";
import { WebBot } from "../../support/web-bot.ts";
import { OWNER_TOKEN } from "../../support/web-lab.ts";

let bot: WebBot;
let thread: string;
let port: number;
const rejections: unknown[] = [];
const noteRejection = (reason: unknown) => rejections.push(reason);
beforeAll(async () => {
  process.on("unhandledRejection", noteRejection);
  bot = await WebBot.start();
  thread = await bot.thread();
  port = Number(new URL(bot.lab.origin).port);
});
afterAll(async () => {
  await bot[Symbol.asyncDispose]();
  process.off("unhandledRejection", noteRejection);
});

async function send(method: string, path: string, content: string | Uint8Array = "") {
  const bytes = Buffer.from(content as string);
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${OWNER_TOKEN}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${bytes.byteLength}\r\n\r\n`;
  const response = await rawRequest(port, Buffer.concat([Buffer.from(head, "latin1"), bytes]));
  const body = response.slice(response.indexOf("\r\n\r\n") + 4);
  return { status: statusOf(response), message: Buffer.from(body, "latin1").toString() };
}

/** As they stand in a URL. */
const BAD_TEXTS = {
  NUL: "%00",
  "NUL inside": "a%00b",
  "bytes that are no UTF-8": "%ff%fe",
  "half an escape": "%",
  "an escape of no digits": "%zz",
  "an overlong slash": "%c0%af",
  "a surrogate": "%ed%a0%80",
  "a cut character": "%e2%82",
  "8 KB": "a".repeat(8_192),
  "a name of 300 bytes": "a".repeat(300),
  blanks: "%20%20",
};
const BAD_NUMBERS = [
  "abc",
  "-1",
  "1.5",
  "1e9",
  "NaN",
  "Infinity",
  "0x10",
  "",
  "%00",
  "9".repeat(40),
];

describe("bad query parameters", () => {
  const cases = Object.entries(BAD_TEXTS).flatMap(([name, text]) => [
    [name, "workspace", `path=${text}`],
    [name, "workspace/file", `path=${text}`],
  ]);
  const numbers = BAD_NUMBERS.flatMap((text) => [
    [text.slice(0, 20), "items", `before=${text}`],
    [text.slice(0, 20), "timeline", `before=${text}`],
  ]);
  const arrays = [
    ["twice", "workspace", "path=a&path=b"],
    ["as an array", "workspace", "path[]=a"],
    ["as an object", "workspace/file", "path[__proto__]=a"],
    ["twice", "items", "before=1&before=2"],
  ];
  it.each([...cases, ...numbers, ...arrays])("%s in %s is a 400", async (_, route, query) => {
    const { status, message } = await send("GET", `/api/threads/${thread}/${route}?${query}`);
    expect(status).toBe(400);
    expect(JSON.parse(message).message).toMatch(/^The parameter "(path|before)" must /);
  });

  it("a careless server, which hands the path on as it is, fails with a 500: the control", async () => {
    const careless = new Hono().get("/", (asked) =>
      asked.json(lstatSync(asked.req.query("path") ?? "", { throwIfNoEntry: false }) ?? {}),
    );
    careless.onError((_, asked) => asked.text("", 500));
    const statusOfPath = async (text: string) => (await careless.request(`/?path=${text}`)).status;
    expect(await statusOfPath(BAD_TEXTS.NUL)).toBe(500);
    expect(await statusOfPath(BAD_TEXTS["8 KB"])).toBe(500);
    expect(await statusOfPath("none")).toBe(200);
  });

  it("a good path and number are still answered", async () => {
    for (const query of ["workspace", "workspace?path=", "items?before=7", "timeline?before=7"])
      expect((await send("GET", `/api/threads/${thread}/${query}`)).status).toBe(200);
    const missing = await send("GET", `/api/threads/${thread}/workspace?path=n%C3%A4+x`);
    expect([missing.status, missing.message]).toEqual([403, expect.stringContaining("nä x")]);
  });
});

describe("bad parts of the path", () => {
  const parts = [...Object.values(BAD_TEXTS), "__proto__", "constructor", "..%2f..", "{}"];
  const routes: readonly [string, (part: string) => string, object?][] = [
    ["PUT", (part) => `/api/threads/${part}`, {}],
    ["GET", (part) => `/api/threads/${part}/items`],
    ["GET", (part) => `/api/threads/${thread}/files/${part}`],
    ["GET", (part) => `/api/threads/${thread}/${part}`],
    ["GET", (part) => `/page/${part}`],
    ["GET", (part) => `/${part}`],
    ["PATCH", (part) => `/api/threads/${thread}/messages/${part}`, { id: "edit-0001", text: "x" }],
    ["DELETE", (part) => `/api/threads/${thread}/messages/${part}`, { id: "gone-0001" }],
    ["POST", (part) => `/api/threads/${thread}/terminals/${part}/size`, { rows: 9, cols: 9 }],
  ];
  it.each([...routes])("%s %s answers with 4xx", async (method, route, body) => {
    for (const part of parts) {
      const { status } = await send(method, route(part), body && JSON.stringify(body));
      expect([400, 401, 403, 404, 414, 431], `${route(part).slice(0, 90)}`).toContain(status);
    }
  });
});

const id = "event-0001";
/** Each body has one field of each route; `bad` takes its place. */
const BODIES: readonly (readonly [string, string, (bad: unknown) => object])[] = [
  ["POST", "messages", (bad) => ({ id, text: bad })],
  ["POST", "messages", (bad) => ({ id: bad, text: "x" })],
  ["POST", "messages", (bad) => ({ id, text: "x", attachments: bad })],
  ["POST", "messages", (bad) => ({ id, text: "x", attachments: [bad] })],
  ["POST", "messages", (bad) => ({ id, text: "x", pointedAt: bad })],
  ["POST", "messages", (bad) => ({ id, text: "x", isAside: bad })],
  ["PATCH", "messages/m1", (bad) => ({ id, text: bad })],
  ["DELETE", "messages/m1", (bad) => ({ id: bad })],
  ["PATCH", "", (bad) => ({ title: bad })],
  ["POST", "clicks", (bad) => ({ id, action: bad })],
  ["POST", "clicks", (bad) => ({ id, action: "a:b", typed: bad })],
  ["POST", "stop", (bad) => ({ id: bad })],
  ["POST", "archive", (bad) => ({ id: bad })],
  ["POST", "terminal/input", (bad) => ({ id, input: bad })],
  ["POST", "terminals/t/size", (bad) => ({ rows: bad, cols: 9 })],
  ["POST", "settings", (bad) => ({ name: bad, value: 1 })],
  ["POST", "settings", (bad) => ({ name: "maxIterations", value: bad })],
];
const BAD_VALUES: Readonly<Record<string, unknown>> = {
  NUL: "a\0b",
  "half a surrogate pair": "\ud800",
  "the other half": "x\udfff",
  null: null,
  "a fraction": 1.5,
  "an array": [["x"]],
  "an object": { length: 3, __proto__: null },
  "400 KB": "a".repeat(400_000),
};

describe("bad bodies", () => {
  it.each(BODIES)("%s %s refuses every bad value", async (method, route, body) => {
    for (const [name, bad] of Object.entries(BAD_VALUES)) {
      const path = `/api/threads/${thread}${route && `/${route}`}`;
      const { status, message } = await send(method, path, JSON.stringify(body(bad)));
      expect([400, 403, 404, 413], `${name}: ${message}`).toContain(status);
      expect(JSON.parse(message).message.length).toBeLessThan(600);
    }
  });

  const deep = "[".repeat(200_000) + "]".repeat(200_000);
  it.each<[string, string | Uint8Array]>([
    ["nothing", ""],
    ["half of it", '{"id":'],
    ["deep nesting", deep],
    ["deep objects", `${'{"a":'.repeat(60_000)}1${"}".repeat(60_000)}`],
    ["deep nesting in a field", `{"id":${deep}}`],
    ["a prototype", '{"__proto__":{"id":"event-0001","text":"x"}}'],
    ["a constructor", '{"constructor":{"prototype":{"id":"event-0001"}}}'],
    ["bytes that are no UTF-8", new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])],
    ["1 MB", JSON.stringify({ id, text: "a".repeat(1_000_000) })],
    ["a million keys", `{${Array.from({ length: 30_000 }, (_, at) => `"k${at}":1`).join()}}`],
    ["a number", "1"],
    ["a word", '"x"'],
    ["null", "null"],
  ])("refuses %s at every route", async (_, body) => {
    for (const [method, route] of BODIES) {
      const path = `/api/threads/${thread}${route && `/${route}`}`;
      expect([400, 403, 404, 413]).toContain((await send(method, path, body)).status);
    }
  });
});

describe("bad frames", () => {
  it.each([
    "",
    "null",
    "[]",
    '{"__proto__":{"type":"hello"}}',
    '{"type":"open","thread":"web:\\u0000","since":0}',
    '{"type":"open","thread":"web:x","since":-1}',
    '{"type":"open","thread":"web:x","since":1e999}',
    '{"type":"follow","thread":"web:x","terminal":[],"fromIndex":0}',
    "[".repeat(30_000),
  ])("closes the connection for %j", async (frame) => {
    using watcher = await bot.watch("owner");
    await until(() => watcher.of("welcome").length === 1, "the welcome");
    watcher.socket.send(frame);
    await until(() => watcher.closedWith === 1008, "the end");
  });

  it("refuses an unknown terminal and thread by a message", async () => {
    using watcher = await bot.watch("owner");
    const terminal = "\0\ud800%00";
    watcher.tell({ type: "open", thread: "web:__proto__", since: 0 });
    watcher.tell({ type: "follow", thread: "web:__proto__", terminal, fromIndex: 0 });
    await until(
      () => watcher.of("problem").length + watcher.of("followEnded").length === 2,
      "both",
    );
  });
});

describe("bad requests", () => {
  it.each([
    ["another verb", "BREW /api/x HTTP/1.1\r\nHost: HOST\r\n\r\n"],
    [
      "two lengths",
      "POST /api/x HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    ],
    [
      "length and chunks",
      "POST /api/x HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
    ["no host", "GET /api/x HTTP/1.1\r\n\r\n"],
    ["two hosts", "GET /api/x HTTP/1.1\r\nHost: HOST\r\nHost: evil.example\r\n\r\n"],
    ["a host of junk", "GET /api/x HTTP/1.1\r\nHost: [::1\r\nConnection: close\r\n\r\n"],
    [
      "an absolute address",
      "GET http://evil.example/api/x HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
    ],
    ["an address of junk", "GET http:// HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"],
    ["a header of 64 KB", `GET / HTTP/1.1\r\nHost: HOST\r\nX: ${"a".repeat(65_536)}\r\n\r\n`],
    [
      "another expectation",
      "GET /api/x HTTP/1.1\r\nHost: HOST\r\nExpect: miracle\r\nConnection: close\r\n\r\n",
    ],
  ])("refuses %s", async (_, text) => {
    const status = statusOf(await rawRequest(port, text.replace("HOST", `127.0.0.1:${port}`)));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });
});

it("nothing of all this was an error of the bot", () => {
  expect(bot.problems).toEqual([]);
  expect(bot.lab.problems).toEqual([]);
  expect(rejections).toEqual([]);
});
