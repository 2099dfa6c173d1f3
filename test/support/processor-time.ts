import { appendFileSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { afterAll, expect } from "vitest";
import type { FileTime } from "../../scripts/lib/file-time.ts";

/**
 * With TEST_PROCESSOR_TIME=FILE every test file adds a line there: what it took of the processor itself, what the programs
 * took that it started and waited for, and how long it ran. Containers and shared browsers are not in it.
 */
const log = process.env.TEST_PROCESSOR_TIME;

type Spent = Pick<FileTime, "ownMs" | "programsMs">;

const TICK_MS = 10;
const LAST = Symbol.for("deckhand.test.processor-time");
const carried = globalThis as { [LAST]?: Spent };

if (log !== undefined) {
  const startedMs = performance.now();
  afterAll(() => {
    const before = carried[LAST] ?? { ownMs: 0, programsMs: 0 };
    const now = spent();
    carried[LAST] = now;
    const line: FileTime = {
      file: relative(process.cwd(), expect.getState().testPath ?? ""),
      ownMs: Math.round(now.ownMs - before.ownMs),
      programsMs: now.programsMs - before.programsMs,
      rssMb: Math.round(process.memoryUsage.rss() / 2 ** 20),
      wallMs: Math.round(performance.now() - startedMs),
    };
    appendFileSync(log, `${JSON.stringify(line)}\n`);
  });
}

function spent(): Spent {
  const { user, system } = process.cpuUsage();
  const stat = readFileSync("/proc/self/stat", "utf8");
  // The name of the program may hold blanks. Of what follows it, these are the times of ended children.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    ownMs: (user + system) / 1000,
    programsMs: (Number(fields[13]) + Number(fields[14])) * TICK_MS,
  };
}
