/**
 * Ends the bot by SIGTERM while commands come in, again and again, and tells whether any of them was lost or ran twice,
 * and whether the log alarms anyone although nothing was:
 *
 *   npm run drain -- --times 50 [--threads 3] [--seed 7]
 *
 * It runs the real bot with its web chat, its own store, warm pool and real containers; people send each message until it
 * is taken, as the page does. The oracle is a file in each workspace.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { freePort } from "./lib/free-port.ts";
import { removeLeftovers } from "./lib/leftovers.ts";
import { root } from "./lib/project.mjs";

const { values } = parseArgs({
  options: {
    times: { type: "string", default: "5" },
    threads: { type: "string", default: "3" },
    seed: { type: "string", default: "7" },
  },
});
const MOST_DRAIN_MS = 10_000;
const COMMANDS_PER_THREAD = 12;
/** Said at every start without root or loop devices. */
const KNOWN = ["The disk limit is enforced by a watchdog, not by the kernel."];
const TOKEN = randomBytes(16).toString("hex");
const dataDir = mkdtempSync(join(tmpdir(), "deckhand-drain-"));
const port = await freePort();
/** What people type around the mark that each command leaves: short, long, and in the background of the shell. */
const COMMANDS = [
  (mark: string) => `sleep 0.1; ${mark}`,
  (mark: string) => `${mark}; sleep 2`,
  (mark: string) => `sleep 4 & ${mark}`,
];
const sent = new Map<string, string[]>();
let seed = Number(values.seed);
let isOver = false;
let slowestMs = 0;
const findings: string[] = [];

try {
  let bot = await start();
  const people = Array.from({ length: Number(values.threads) }, () => talk());
  for (let time = 1; time <= Number(values.times); time += 1) {
    await sleep(300 + random() * 2_000);
    await end(bot, time);
    bot = await start();
  }
  isOver = true;
  await Promise.all(people);
  for (const thread of sent.keys()) await check(thread);
  await end(bot, 0);
} finally {
  isOver = true;
  await removeAll();
}
const all = [...sent.values()].flat().length;
for (const finding of findings) console.log(finding);
console.log(
  `${values.times} times SIGTERM with ${all} commands in ${sent.size} threads: ${findings.length} findings, slowest drain ${(slowestMs / 1000).toFixed(1)} s`,
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
      LOG_FORMAT: "json",
      // Of most threads the workspace sleeps, so that it is being woken or made at some of the ends.
      WORKSPACE_CAP: `${Number(values.threads) + 1}`,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  createInterface({ input: bot.stderr }).on("line", readLog);
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

/** A line that would wake an operator, although the bot was only ended and started. */
function readLog(line: string): void {
  const { level, message, error } = asObject(line);
  if (level === "info" || KNOWN.some((known) => known === message)) return;
  findings.push(`In the log: ${message ?? line} ${JSON.stringify(error ?? "")}`);
}

function asObject(line: string): { level?: string; message?: string; error?: unknown } {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

/** Sends one command after the other, each under one id until it is taken, and begins a new thread after some of them. */
async function talk(): Promise<void> {
  while (!isOver) {
    const thread = `web:${randomBytes(12).toString("hex")}`;
    const marks: string[] = [];
    sent.set(thread, marks);
    await untilTaken("PUT", `/api/threads/${thread}`, {});
    for (let count = 1; !isOver && count <= COMMANDS_PER_THREAD; count += 1) {
      const mark = `mark-${count}`;
      const command = COMMANDS[Math.floor(random() * COMMANDS.length)] ?? String;
      const text = `$ ${command(`echo ${mark} >> /workspace/marks`)}`;
      marks.push(mark);
      const id = randomBytes(8).toString("hex");
      await untilTaken("POST", `/api/threads/${thread}/messages`, { id, text });
      await sleep(100 + random() * 400);
    }
  }
}

async function untilTaken(method: string, path: string, body: object): Promise<void> {
  while (!(await isTaken(method, path, body))) await sleep(50);
}

async function isTaken(method: string, path: string, body: object): Promise<boolean> {
  try {
    return (await ask(method, path, body)).status < 300;
  } catch {
    return false; // the bot is away
  }
}

/** Asks the bot itself, which runs the thread's commands in order: by its answer all of them have run. */
async function check(thread: string): Promise<void> {
  const id = randomBytes(8).toString("hex");
  const text = `$ echo "<$(tr '\\n' ' ' < /workspace/marks)>"`;
  await untilTaken("POST", `/api/threads/${thread}/messages`, { id, text });
  const marks = await marksOf(thread);
  for (const mark of sent.get(thread) ?? []) {
    const times = marks.filter((one) => one === mark).length;
    if (times !== 1)
      findings.push(`${thread} ${mark}: ${times === 0 ? "lost" : `ran ${times} times`}`);
  }
}

async function marksOf(thread: string): Promise<string[]> {
  for (let tries = 0; tries < 900; tries += 1) {
    const { text } = await ask("GET", `/api/threads/${thread}/items`);
    const found = /<((?:mark-\d+ )*)>/.exec(text)?.[1];
    if (found !== undefined) return found.split(" ").filter(Boolean);
    await sleep(200);
  }
  return [];
}

async function ask(
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; text: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: answer.status, text: await answer.text() };
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
