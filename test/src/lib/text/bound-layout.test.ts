import { describe, expect, it } from "vitest";
import { boundLayout } from "../../../../src/lib/text/bound-layout.ts";
import { CHARS, LAYOUT_BOMBS } from "../../../data/layout-bombs.ts";

const HEBREW = "שלום לכולם, זה build #42 של deckhand-api והוא עבר. ".repeat(200);
const ARABIC = "اكتمل النشر في staging بعد 42 ثانية. ".repeat(200);

/** The longest run of marks, and the most changes of direction in a line without an override: what costs a renderer time. */
function costOf(text: string) {
  const runs = text.match(/[\p{M}\p{Cf}]+/gu) ?? [];
  const lines = text.split("\n").filter((line) => !line.startsWith("\u202d"));
  return {
    marks: Math.max(0, ...runs.map((run) => [...run].length)),
    turns: Math.max(0, ...lines.map((line) => line.match(/[\u0590-\u08ff]+/gu)?.length ?? 0)),
  };
}

describe("texts that are made to freeze a renderer", () => {
  it.each(Object.entries(LAYOUT_BOMBS))(
    "%s: hold few marks at a time and few turns a line",
    (_, text) => {
      const { marks, turns } = costOf(boundLayout(text));
      expect(marks).toBeLessThanOrEqual(10);
      expect(turns).toBeLessThanOrEqual(CHARS / 40);
    },
  );

  it.each(Object.entries(LAYOUT_BOMBS))(
    "%s: are bounded once, however often they pass",
    (_, text) => {
      const bounded = boundLayout(text);
      expect(boundLayout(bounded).length).toBeLessThan(bounded.length * 1.01);
    },
  );

  it.each([
    ["Hebrew with English names", HEBREW],
    ["Arabic with English names", ARABIC],
    ["plain English", "The build passed. ".repeat(500)],
    ["source code", "const a = { b: [1, 2, 3] };\n".repeat(500)],
    ["emoji", "👍 done 👨‍👩‍👧 🎉 ".repeat(100)],
  ])("%s stays as it is", (_, text) => {
    expect(boundLayout(text)).toBe(text);
  });
});
