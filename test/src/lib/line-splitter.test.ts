import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LINE_LIMIT_BYTES } from "../../../src/contract/workspace/channel.ts";
import { LineSplitter } from "../../../src/lib/line-splitter.ts";
import { caseCount } from "../../support/thorough.ts";

function splitAll(chunks: readonly Buffer[]): { lines: string[]; overlong: number } {
  const lines: string[] = [];
  let overlong = 0;
  const on = {
    line: (line: string) => lines.push(line),
    overlong: () => {
      overlong += 1;
    },
  };
  const splitter = new LineSplitter(on, LINE_LIMIT_BYTES);
  for (const chunk of chunks) splitter.push(chunk);
  return { lines, overlong };
}

/** The same bytes cut at the given places. */
function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const borders = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b)];
  return borders.map((from, index) => bytes.subarray(from, borders[index + 1] ?? bytes.length));
}

describe("the line splitter", () => {
  it("gives the same lines however the bytes are cut", () => {
    const line = fc
      .string({ unit: "grapheme", minLength: 1 })
      .filter((text) => !/[\r\n]/.test(text));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat()), (lines, places) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
        expect(splitAll(cutAt(bytes, places)).lines).toEqual(lines);
      }),
      { numRuns: caseCount({ perChange: 1_000, all: 5_000 }) },
    );
  });

  it("passes over empty lines, which every attach sends first", () => {
    expect(splitAll([Buffer.from('\n\n{"a":1}\n\n')]).lines).toEqual(['{"a":1}']);
  });

  it("throws an overlong line away up to its end and reads on", () => {
    const flood = Buffer.alloc(1024 * 1024, "x");
    const chunks = Array.from({ length: LINE_LIMIT_BYTES / flood.length + 3 }, () => flood);
    const { lines, overlong } = splitAll([...chunks, Buffer.from("\nnext\n")]);
    expect(lines).toEqual(["next"]);
    expect(overlong).toBe(1);
  });
});
