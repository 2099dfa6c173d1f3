import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Fate } from "./bot.ts";

const BOT = fileURLToPath(new URL("./bot.ts", import.meta.url));

/** Runs a bot to its death. */
export async function liveAndDie(fate: Fate): Promise<void> {
  const doomed = spawn(process.execPath, [BOT, JSON.stringify(fate)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const complaint = doomed.stderr.toArray();
  const [, signal] = (await once(doomed, "exit")) as [number | null, string | null];
  expect(signal, (await complaint).join("")).toBe("SIGKILL");
}
