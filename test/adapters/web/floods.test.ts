import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { WebSocket } from "ws";
import { StoredUploadBudget } from "../../../src/conversation/upload-budget.ts";
import { auditLab } from "../../support/audit.ts";
import { until } from "../../support/until.ts";
import { OWNER_TOKEN, THREAD, WebLab } from "../../support/web-lab.ts";

const KB = 1024;
const GUEST = "guest-token-0123456789";
const at = `/api/threads/${THREAD}/files`;

let lab: WebLab;
let budgets: Awaited<ReturnType<typeof auditLab>>;
beforeEach(async () => {
  budgets = await auditLab();
  const uploadBudget = new StoredUploadBudget({
    documents: budgets.store.documents("uploads"),
    bytesPerHour: 100 * KB,
  });
  lab = await WebLab.start({ uploadBudget, env: { WEB_PEOPLE: `gus:member:${GUEST}` } });
  await lab.thread();
});
afterEach(async () => {
  await lab[Symbol.asyncDispose]();
  await budgets[Symbol.asyncDispose]();
});

const upload = (bytes: number, token = OWNER_TOKEN) =>
  lab.request("POST", at, { token, body: new Uint8Array(bytes) });

it("refuses uploads beyond the person's share with what to do, and keeps nothing of them", async () => {
  expect((await upload(60 * KB)).status).toBe(200);
  const refused = await upload(60 * KB);
  expect(refused.status).toBe(429);
  expect(await refused.json()).toEqual({ message: expect.stringMatching(/Try again in \d+ min/) });
  expect((await upload(40 * KB)).status).toBe(200);
  expect((await upload(60 * KB, GUEST)).status).toBe(200);
  expect(await readdir(join(lab.directory, "files"))).toHaveLength(3);
});

it("counts simultaneous uploads together, also without an announced length", async () => {
  const chunked = () =>
    fetch(`${lab.origin}${at}`, {
      method: "POST",
      headers: { authorization: `Bearer ${OWNER_TOKEN}` },
      body: new Blob([new Uint8Array(20 * KB)]).stream(),
      duplex: "half",
    } as RequestInit);
  const known = await Promise.all(Array.from({ length: 20 }, () => upload(20 * KB)));
  expect(known.filter(({ ok }) => ok)).toHaveLength(5);
  expect((await chunked()).status).toBe(429);
});

it("returns a large file whole, as it is read", async () => {
  const bytes = new Uint8Array(90 * KB).map((_, index) => index % 251);
  const uploaded = await lab.request("POST", at, { body: bytes });
  const file = (await uploaded.json()) as { id: string };
  const back = await lab.request("GET", `${at}/${file.id}`);
  expect(new Uint8Array(await back.arrayBuffer())).toEqual(bytes);
});

it.each([
  ["without a token", false],
  ["with a good token", true],
])("cuts off a connection %s that sends without waiting", async (_, hasToken) => {
  const socket = new WebSocket(`${lab.origin.replace("http", "ws")}/live`);
  await new Promise((resolve) => socket.once("open", resolve));
  let isClosed = false;
  socket.once("close", () => {
    isClosed = true;
  });
  socket.on("error", () => undefined);
  if (hasToken) socket.send(JSON.stringify({ type: "hello", token: OWNER_TOKEN }));
  const open = JSON.stringify({ type: "open", thread: THREAD, since: 0 });
  for (let sent = 0; sent < 5_000; sent += 1) socket.send(open);
  await until(() => isClosed, "the connection is closed");
  expect((await lab.request("GET", `/api/threads/${THREAD}/items`)).status).toBe(200);
  expect(lab.problems).toEqual([]);
});
