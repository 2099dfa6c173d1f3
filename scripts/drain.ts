/**
 * Ends the bot by SIGTERM while commands come in, again and again, and tells whether any of them was lost or ran twice:
 *
 *   npm run drain -- --times 50 [--threads 3] [--seed 7]
 *
 * It runs the real bot with its web chat, its own store and real containers; people send each message until it is taken,
 * as the page does. The oracle is a file in each workspace.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { freePort } from "./lib/free-port.ts";
import { readInstance, removeLeftovers } from "./lib/leftovers.ts";
import { root } from "./lib/project.mjs";

const run = promisify(execFile);
const { values } = parseArgs({
  options: {
    times: { type: "string", default: "5" },
    threads: { type: "string", default: "3" },
    seed: { type: "string", default: "7" },
  },
});
const MOST_DRAIN_MS = 10_000;
const TOKEN = randomBytes(16).toString("hex");
const dataDir = mkdtempSync(join(tmpdir(), "deckhand-drain-"));
const port = await freePort();
const threads = Array.from(
  { length: Number(values.threads) },
  () => `web:${randomBytes(12).toString("hex")}`,
);
const sent = new Map<string, string[]>(threads.map((thread) => [thread, []]));
let seed = Number(values.seed);
let isOver = false;
let slowestMs = 0;
const findings: string[] = [];

try {
  let bot = await start();
  for (const thread of threads) await ask("PUT", `/api/threads/${thread}`, {});
  const people = threads.map((thread) => talk(thread));
  for (let time = 1; time <= Number(values.times); time += 1) {
    await sleep(300 + random() * 2_000);
    await end(bot, time);
    bot = await start();
  }
  isOver = true;
  await Promise.all(people);
  for (const thread of threads) await check(thread);
  await end(bot, 0);
} finally {
  isOver = true;
  await removeAll();
}
const all = [...sent.values()].flat().length;
for (const finding of findings) console.log(finding);
console.log(
  `${values.times} times SIGTERM with ${all} commands: ${findings.length} findings, slowest drain ${(slowestMs / 1000).toFixed(1)} s`,
);
process.exitCode = findings.length > 0 ? 1 : 0;

async function start(): Promise<ChildProcess> {
  const bot = spawn(process.execPath, [join(root, "src/main.ts")], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      DOCKER_HOST: process.env.DOCKER_HOST,
      WORKSPACE_IMAGE: process.env.WORKSPACE_IMAGE,
      DECKHAND_DATA_DIR: dataDir,
      WEB_PORT: `${port}`,
      WEB_TOKEN: TOKEN,
      WORKSPACE_POOL: "0",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  bot.stdout.on("data", (piece) => {
    said += piece;
  });
  while (!said.includes("is ready")) {
    if (bot.exitCode !== null) throw new Error(`The bot ended with ${bot.exitCode}.`);
    await sleep(20);
  }
  return bot;
}

async function end(bot: ChildProcess, time: number): Promise<void> {
  const from = performance.now();
  const ended = once(bot, "exit");
  bot.kill("SIGTERM");
  const [code] = await ended;
  const ms = performance.now() - from;
  slowestMs = Math.max(slowestMs, ms);
  if (code !== 0) findings.push(`Time ${time}: the bot ended with ${code}.`);
  if (ms > MOST_DRAIN_MS) findings.push(`Time ${time}: the bot took ${Math.round(ms)} ms.`);
}

/** Sends one command after the other, each under one id until it is taken. */
async function talk(thread: string): Promise<void> {
  for (let count = 1; !isOver; count += 1) {
    const mark = `mark-${count}`;
    const body = {
      id: randomBytes(8).toString("hex"),
      text: `$ sleep 0.1; echo ${mark} >> /workspace/marks`,
    };
    sent.get(thread)?.push(mark);
    while (!(await isTaken(thread, body))) await sleep(50);
    await sleep(100 + random() * 400);
  }
}

async function isTaken(thread: string, body: object): Promise<boolean> {
  try {
    return (await ask("POST", `/api/threads/${thread}/messages`, body)) < 300;
  } catch {
    return false; // the bot is away
  }
}

async function check(thread: string): Promise<void> {
  const expected = sent.get(thread) ?? [];
  let marks: string[] = [];
  for (let tries = 0; tries < 600; tries += 1) {
    marks = await marksOf(thread);
    if (expected.every((mark) => marks.includes(mark))) break;
    await sleep(200);
  }
  for (const mark of expected) {
    const times = marks.filter((one) => one === mark).length;
    if (times !== 1)
      findings.push(`${thread} ${mark}: ${times === 0 ? "lost" : `ran ${times} times`}`);
  }
}

async function marksOf(thread: string): Promise<string[]> {
  const key = createHash("sha256").update(thread).digest("hex").slice(0, 40);
  const name = `deckhand-${instance()}-${key}`;
  const { stdout } = await run("docker", ["exec", name, "cat", "/workspace/marks"]).catch(() => ({
    stdout: "",
  }));
  return stdout.split("\n").filter(Boolean);
}

async function ask(method: string, path: string, body: object): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await answer.text();
  return answer.status;
}

function instance(): string {
  return readInstance(readFileSync(join(dataDir, "instance.json"), "utf8"));
}

async function removeAll(): Promise<void> {
  await removeLeftovers(dataDir);
  rmSync(dataDir, { recursive: true, force: true });
}

/** The same numbers for the same seed (mulberry32). */
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
