import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Edit, findEdits } from "./candidates.ts";

export interface DrawnMutant extends Edit {
  readonly file: string;
}

/** The page is left out: only a browser runs it. */
const SOURCES = ["src/**/*.ts", "adapters/**/*.ts", "sandbox-image/server/**/*.ts"];
const LEFT_OUT = ["adapters/web/page/**"];

interface Draw {
  readonly count: number;
  readonly seed: number;
}

/** Edits over all sources, each one drawn with the same chance. */
export function drawMutants(root: string, draw: Draw): DrawnMutant[] {
  const files = globSync(SOURCES, { cwd: root, exclude: LEFT_OUT }).sort();
  const all = files.flatMap((file) =>
    findEdits(file, readFileSync(join(root, file), "utf8")).map((edit) => ({ ...edit, file })),
  );
  return pick(all, draw);
}

/** Always the same ones for a seed. */
export function pick<One>(from: readonly One[], { count, seed }: Draw): One[] {
  const left = [...from];
  const random = mulberry32(seed);
  const drawn: One[] = [];
  while (drawn.length < count && left.length > 0) {
    drawn.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return drawn;
}

/** A small generator whose numbers depend on nothing but the seed. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
