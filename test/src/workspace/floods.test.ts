import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { LineSplitter } from "../../../src/lib/line-splitter.ts";
import { PacedProgress } from "../../../src/workspace/channel/paced-progress.ts";
import { sampleOf } from "../../support/thorough.ts";

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL("../../support/flood-program.ts", import.meta.url));
const Figures = z.object({ heldMb: z.number(), heldLongMb: z.number(), ratio: z.number() });

async function growth(kind: string, mode: "careful" | "careless") {
  const args = ["--expose-gc", "--no-warnings", PROGRAM, kind, mode];
  const { stdout } = await run(process.execPath, args, { timeout: 300_000 });
  return Figures.parse(JSON.parse(stdout));
}

const KINDS = [
  "stderr",
  "foreign results",
  "overlong lines",
  "notifications",
  "progress",
  "terminal",
];
/** An overlong line ends the channel: not even a careless client hears more. */
const KEPT = KINDS.filter((kind) => kind !== "overlong lines");
/** For six workspaces: 2 M characters of unread terminal output, 256 KB of errors and an unfinished line of 8 MB. */
const HELD_LIMIT_MB = 6 * (2 + 0.25 + 8);
/** What garbage collection may vary by between two measurements. */
const NOISE_MB = 2;

describe("the bot's memory under floods from six hostile workspaces", () => {
  it.each(KINDS)(
    "holds no more than the limits allow, and no more after twice as long: %s",
    async (kind) => {
      const { heldMb, heldLongMb } = await growth(kind, "careful");
      expect(heldMb).toBeLessThan(HELD_LIMIT_MB);
      expect(heldLongMb).toBeLessThan(heldMb + NOISE_MB);
    },
  );

  it("holds no more than the limits allow of a line that never ends", async () => {
    expect((await growth("crumbs", "careful")).heldLongMb).toBeLessThan(HELD_LIMIT_MB);
  });

  it.each(sampleOf(KEPT, 1))(
    "grows with the flood in a client that keeps what it hears (careless control): %s",
    async (kind) => {
      const { heldMb, heldLongMb } = await growth(kind, "careless");
      expect(heldLongMb).toBeGreaterThan(HELD_LIMIT_MB);
      expect(heldLongMb).toBeGreaterThan(1.5 * heldMb);
    },
  );

  it("hands on the first and the latest of many progress messages, cut to their end", async () => {
    const heard: string[] = [];
    const progress = new PacedProgress((message) => heard.push(message));
    for (let count = 0; count < 1000; count += 1) progress.tell(`${count}`);
    await expect.poll(() => heard).toEqual(["0", "999"]);
    progress.tell(`${"x".repeat(1e6)}end`);
    await expect.poll(() => heard.at(-1)?.endsWith("end")).toBe(true);
    expect(heard.at(-1)?.length).toBeLessThanOrEqual(16 * 1024);
    progress.tell("late");
    progress.end();
    expect(heard).not.toContain("late");
  });

  it("joins a line of single bytes to what one piece gives, and reports an overlong one once", () => {
    const lines: string[] = [];
    let overlong = 0;
    const splitter = new LineSplitter(
      { line: (line) => lines.push(line), overlong: () => (overlong += 1) },
      10,
    );
    for (const byte of Buffer.from("0123456789\n\nab\n01234567890123\nc\n")) {
      splitter.push(Buffer.from([byte]));
    }
    splitter.push(Buffer.from("d\n01234567890\ne\n"));
    expect(lines).toEqual(["0123456789", "ab", "c", "d", "e"]);
    expect(overlong).toBe(2);
  });
});
