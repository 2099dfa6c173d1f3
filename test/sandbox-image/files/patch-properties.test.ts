import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyHunks } from "../../../sandbox-image/server/files/patch/apply-hunks.ts";
import { Budget } from "../../../sandbox-image/server/files/patch/find-lines.ts";
import { parsePatch } from "../../../src/lib/patch/parse-patch.ts";
import { processorMs } from "../../support/longest-work.ts";
import { caseCount } from "../../support/thorough.ts";
import { unifiedDiff } from "./diff.ts";

const apply = (text: string, diff: string) => {
  const [file] = parsePatch(diff);
  return applyHunks(text, file?.hunks ?? [], "f", new Budget()).text;
};

const line = fc.constantFrom(
  "a",
  "b",
  "c",
  "",
  " ",
  "-",
  "+",
  "--- x",
  "+++ y",
  "@@ -1 +1 @@",
  "\\ x",
  "é\u2028z",
  "\r",
  "tab\t",
);
const text = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
  .map(([lines, newline]) => lines.join("\n") + (lines.length > 0 && newline ? "\n" : ""));

describe("P-I1 the patch code", () => {
  it("applies every diff, and takes it back by its reverse", () => {
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 3 }), (before, after, context) => {
        fc.pre(before !== after && before !== "" && after !== "");
        const there = unifiedDiff(before, after, "f", context);
        // A patch without any CR for a file with CRLF lines gets the file's line ends: another promise.
        fc.pre(there.includes("\r") || !(before + after).includes("\r"));
        expect(apply(before, there)).toBe(after);
        expect(apply(after, unifiedDiff(after, before, "f", context))).toBe(before);
      }),
      { numRuns: caseCount({ perChange: 500, all: 3000 }) },
    );
  });

  it("applies every diff in a file that has grown before the place", () => {
    const unique = fc.uniqueArray(
      fc.string({ minLength: 3, maxLength: 6, unit: fc.constantFrom("x", "y", "z") }),
      { minLength: 8, maxLength: 20 },
    );
    fc.assert(
      fc.property(
        unique,
        fc.nat(),
        fc.array(fc.constantFrom("new", "lines"), { maxLength: 9 }),
        (lines, pick, added) => {
          const before = `${lines.join("\n")}\n`;
          const after = `${lines.with(pick % lines.length, "CHANGED").join("\n")}\n`;
          const grown = added.map((one) => `${one}\n`).join("");
          expect(apply(grown + before, unifiedDiff(before, after, "f"))).toBe(grown + after);
        },
      ),
      { numRuns: caseCount({ perChange: 300, all: 1000 }) },
    );
  });

  it("answers anything with a result or a sentence, never with a bug", () => {
    const piece = fc.constantFrom(
      "--- a/f\n",
      "+++ b/f\n",
      "@@ -1,2 +1,2 @@\n",
      "@@ -0,0 +1 @@\n",
      "@@\n",
      " a\n",
      "-a\n",
      "+b\n",
      "\\ No newline\n",
      "diff --git a/f b/f\n",
      "rename from f\n",
      "rename to g\n",
      "new file mode 100644\n",
      "*** Begin Patch\n",
      "*** Update File: f\n",
      "*** End Patch\n",
      "\r\n",
      "\u2028",
      '"',
      '+++ "b/\\303\n',
      "--- /dev/null\n",
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(piece, fc.string()), { maxLength: 20 }),
        text,
        (pieces, before) => {
          try {
            for (const { hunks } of parsePatch(pieces.join("")))
              applyHunks(before, hunks, "f", new Budget());
          } catch (error) {
            expect((error as Error).name).toMatch(/^(?:ToolError|PatchError)$/);
          }
        },
      ),
      { numRuns: caseCount({ perChange: 500, all: 3000 }) },
    );
  });

  it("takes bounded time for repetitive files and for patches that fit nowhere", () => {
    const same = "x\n".repeat(200_000);
    const hunk = `@@ -1,1001 +1,1001 @@\n${" x\n".repeat(1000)}-y\n+z\n`;
    const began = processorMs();
    expect(() => apply(same, `--- a/f\n+++ b/f\n${hunk.repeat(200)}`)).toThrow();
    const far = `@@ -1,1001 +1,1001 @@\n${" x\n".repeat(1000)}-x\n+z\n`;
    expect(() => apply(`${same}y\n`, `--- a/f\n+++ b/f\n${far.repeat(300)}`)).toThrow();
    expect(processorMs() - began).toBeLessThan(20_000);
  });

  it("takes bounded time for a header of a million odd characters", () => {
    const began = processorMs();
    for (const odd of ["\r", "\u2028", '"\\', " ", "\t", "@@ "]) {
      expect(() => parsePatch(`--- a/f${odd.repeat(500_000)}\n+++ b/f\n`)).toThrow();
    }
    expect(processorMs() - began).toBeLessThan(20_000);
  });
});
