import type { Hunk } from "../../../../src/lib/patch/patch.ts";

/** Lines of context that may be left out at either end, as patch(1) does. */
const MAX_FUZZ = 2;

/** The hunk itself, then with ever less context; never without any, and never less of what is removed. */
export function* looser(hunk: Hunk): Generator<Hunk> {
  yield hunk;
  for (let fuzz = 1; fuzz <= MAX_FUZZ; fuzz++) {
    const before = Math.min(fuzz, contextAt(hunk, "start"));
    const after = Math.min(fuzz, contextAt(hunk, "end"));
    const lines = hunk.lines.slice(before, hunk.lines.length - after);
    const anchored = lines.some(({ sign }) => sign !== "+");
    if (before + after === 0 || !anchored || hunk.atEnd) return;
    const start = hunk.oldStart === undefined ? {} : { oldStart: hunk.oldStart + before };
    yield { ...hunk, ...start, lines };
  }
}

function contextAt(hunk: Hunk, end: "start" | "end"): number {
  const lines = end === "start" ? hunk.lines : hunk.lines.toReversed();
  const first = lines.findIndex(({ sign }) => sign !== " ");
  return first < 0 ? lines.length : first;
}
