import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { verifyStore } from "../../src/audit/verify.ts";
import { openStore } from "../../src/store/open-store.ts";
import { makeDataDirectory } from "../support/data-directory.ts";
import { caseCount } from "../support/thorough.ts";

const POINTS = ["before append", "after append", "after note", "before effect", "after effect"];
/** Enough that every point is met at several of its visits. */
const KILLS = caseCount({ perChange: 60, all: 200 });
const PROGRAM = fileURLToPath(new URL("../support/audit-program.ts", import.meta.url));

it(`P-X5 killed ${KILLS} times, every effect has its record, and the chain is whole`, async () => {
  const directory = makeDataDirectory("audit-kill");
  const [file, effects] = [join(directory, "deckhand.sqlite"), join(directory, "effects")];
  await writeFile(effects, "");
  try {
    await run("warm-up", ["exit"]).ended; // keeps what it has compiled for those that come after
    for (let kill = 0; kill < KILLS; kill += 2) await Promise.all([doomed(kill), doomed(kill + 1)]);
    await using store = await openStore({ kind: "sqlite", file });
    const { records, breaks } = await verifyStore(store);
    expect(breaks).toEqual([]);
    const recorded = new Set<unknown>();
    for (const { data } of await store.read("audit")) recorded.add(callIdOf(data));
    const done = (await readFile(effects, "utf8")).trim().split("\n");
    expect(done.length).toBeGreaterThan(KILLS);
    expect(records).toBeGreaterThanOrEqual(done.length);
    expect(done.filter((id) => !recorded.has(id))).toEqual([]);
  } finally {
    await rm(directory, { recursive: true });
  }

  /** Two at a time, as two replicas: every fifth by the clock, the others at a named point. */
  async function doomed(kill: number): Promise<void> {
    const isByClock = kill % 5 === 4;
    const point = POINTS[Math.floor(kill / 2) % POINTS.length] ?? "";
    const { child, ended } = run(`run-${kill}`, isByClock ? [] : [point, String(1 + (kill % 9))]);
    if (isByClock) {
      await sleep(250 + ((kill * 37) % 400));
      child.kill("SIGKILL");
    }
    const [code, signal] = await ended;
    expect({ code, signal }).toEqual({ code: null, signal: "SIGKILL" });
  }

  function run(name: string, point: readonly string[]) {
    const args = [PROGRAM, file, effects, name, ...point];
    const env = { ...process.env, NODE_COMPILE_CACHE: join(directory, "compiled") };
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
    return { child, ended: once(child, "exit") };
  }
}, 600_000);

function callIdOf(data: unknown): unknown {
  return (data as { entry: { callId?: string } }).entry.callId;
}
