import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { removeLeftovers } from "../../lib/leftovers.ts";
import type { BenchRun } from "./comparison.ts";

const Printed = z
  .object({ name: z.string(), ok: z.boolean() })
  .catchall(z.union([z.number(), z.string(), z.boolean()]));

export interface Bench {
  readonly name: string;
  readonly tree: string;
  readonly image: string;
  readonly temporary: string;
  readonly signal: AbortSignal;
}

/** One run of a benchmark in a process of its own, which leaves no container behind even when it is killed. */
export async function runBench({ name, tree, image, temporary, signal }: Bench): Promise<BenchRun> {
  signal.throwIfAborted();
  mkdirSync(temporary, { recursive: true });
  try {
    const args = [join(tree, "scripts/bench/main.ts"), name, "--brief", "--json"];
    const child = spawn(process.execPath, args, {
      cwd: tree,
      env: { ...process.env, WORKSPACE_IMAGE: image, TMPDIR: temporary },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const end = () => child.kill();
    signal.addEventListener("abort", end);
    const output = await text(child.stdout);
    signal.removeEventListener("abort", end);
    signal.throwIfAborted();
    return readRun(name, output);
  } finally {
    await removeLeftovers(temporary);
    rmSync(temporary, { recursive: true, force: true });
  }
}

function readRun(name: string, output: string): BenchRun {
  const line = output.trim().split("\n").at(-1) ?? "";
  if (line === "") throw new Error(`bench ${name} failed: its error is above.`);
  const { name: _, ok, ...rest } = Printed.parse(JSON.parse(line));
  const figures = Object.entries(rest).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number",
  );
  return { figures: Object.fromEntries(figures), ok };
}
