import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitText } from "../../../src/reply/split.ts";
import { processorMs } from "../../support/longest-work.ts";
import { caseCount } from "../../support/thorough.ts";

const sources = (text: string, limit: number) => splitText(text, limit).map(({ source }) => source);

describe("splitting a long text", () => {
  it("leaves a short one alone", () => {
    expect(splitText("hello", 100)).toEqual([{ text: "hello", source: "hello" }]);
    expect(splitText("", 100)).toEqual([{ text: "", source: "" }]);
  });

  it("prefers paragraphs to lines, lines to words, and words to characters", () => {
    const a = "a".repeat(30);
    expect(sources(`${a}\n\n${a}\n${a}`, 64)).toEqual([`${a}\n\n`, `${a}\n${a}`]);
    expect(sources(`${a}\n${a} ${a}`, 70)).toEqual([`${a}\n`, `${a} ${a}`]);
    expect(sources(`${a} ${a} ${a}`, 70)).toEqual([`${a} ${a} `, a]);
    expect(sources("b".repeat(10), 6)).toEqual(["bbbb", "bbbbbb"]);
  });

  it("15.13 closes a code fence that it cuts and opens it again with its language", () => {
    const code = Array.from({ length: 200 }, (_, index) => `const line${index} = ${index};`);
    const text = `Look:\n\n\`\`\`typescript\n${code.join("\n")}\n\`\`\`\n\nDone.`;
    const parts = splitText(text, 2000);
    expect(parts.length).toBeGreaterThan(2);
    for (const { text: shown } of parts) {
      expect(shown.length).toBeLessThanOrEqual(2000);
      expect(shown.match(/^```/gm)?.length ?? 0).toBe(2);
    }
    expect(parts[1]?.text).toMatch(/^```typescript\nconst line\d+/);
    const lines = parts.flatMap(({ text: shown }) => shown.match(/^const .*$/gm) ?? []);
    expect(lines).toEqual(code);
  });

  it("knows ~~~ fences and longer ones, and that shorter marks inside are text", () => {
    const inside = "```\nnot a fence\n```\n".repeat(40);
    for (const marker of ["~~~", "````"]) {
      const parts = splitText(`${marker}md\n${inside}${marker}\nend`, 400);
      for (const { text } of parts.slice(1, -1)) {
        expect(text.startsWith(`${marker}md\n`)).toBe(true);
        expect(text.endsWith(marker)).toBe(true);
      }
    }
  });

  it("closes what is still open while the text is being written", () => {
    expect(splitText("```js\nlet a", 1000)[0]?.text).toBe("```js\nlet a\n```");
  });

  it("keeps families, flags and accents whole", () => {
    const family = "👨‍👩‍👧‍👦";
    for (const character of [family, "🇩🇪", "e\u0301", "각", "👍🏽"]) {
      for (let limit = 16; limit < 50; limit += 1) {
        const text = character.repeat(60);
        const pieces = sources(text, limit);
        expect(pieces.join("")).toBe(text);
        for (const piece of pieces) expect(piece.replaceAll(character, "")).toBe("");
      }
    }
  });

  it("cuts 200 KB in a moment, whatever it is made of", () => {
    for (const piece of ["\n\n", "a", "漢", "🇩🇪", "`", "```\n", "\n", " "]) {
      const text = piece.repeat(200_000 / piece.length);
      const before = processorMs();
      expect(sources(text, 4000).join("")).toBe(text);
      expect(processorMs() - before).toBeLessThan(5_000);
    }
  });

  const awkward = fc.oneof(
    fc.constantFrom("\n", "\n\n", " ", "```\n", "```js\n", "~~~\n", "`", "👨‍👩‍👧", "🇫🇷", "\u0301"),
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.string({ unit: "binary", maxLength: 40 }),
  );
  const anyText = fc.array(awkward, { maxLength: 120 }).map((pieces) => pieces.join(""));

  it("P-C6 loses nothing, keeps to the limit and to whole characters, for any text and any limit", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 1500 }), (text, limit) => {
        const parts = splitText(text, limit);
        expect(parts.map(({ source }) => source).join("")).toBe(text);
        for (const [index, part] of parts.entries()) {
          expect(part.text.length).toBeLessThanOrEqual(Math.max(4, limit));
          expect(part.text).toContain(part.source);
          if (index > 0) expect(part.source).not.toBe("");
          if (text.isWellFormed()) expect(part.source.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: caseCount({ perChange: 500, all: 3_000 }) },
    );
  });

  it("cuts between characters only, unless one alone is longer than the room", () => {
    const characters = new Intl.Segmenter("en", { granularity: "grapheme" });
    fc.assert(
      fc.property(anyText, fc.integer({ min: 200, max: 600 }), (text, limit) => {
        const starts = new Set(Array.from(characters.segment(text), ({ index }) => index));
        fc.pre(Math.max(...longest(starts, text.length)) < limit / 8);
        let at = 0;
        for (const source of sources(text, limit)) {
          at += source.length;
          expect(at === text.length || starts.has(at)).toBe(true);
        }
      }),
      { numRuns: caseCount({ perChange: 300, all: 1_000 }) },
    );
  });

  it("a text that grows keeps every part but the last", () => {
    fc.assert(
      fc.property(
        anyText,
        fc.integer({ min: 4, max: 700 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (text, limit, share) => {
          const prefix = text.slice(0, Math.floor(text.length * share));
          const early = splitText(prefix, limit).slice(0, -1);
          expect(splitText(text, limit).slice(0, early.length)).toEqual(early);
        },
      ),
      { numRuns: caseCount({ perChange: 500, all: 3_000 }) },
    );
  });

  it("every part of well-made Markdown has its fences balanced", () => {
    const prose = fc.lorem({ mode: "sentences", maxCount: 8 });
    const block = fc
      .tuple(
        fc.constantFrom("", "js", "python"),
        fc.array(fc.lorem({ maxCount: 6 }), { maxLength: 60 }),
      )
      .map(([language, lines]) => `\`\`\`${language}\n${lines.join("\n")}\n\`\`\``);
    fc.assert(
      fc.property(
        fc.array(fc.oneof(prose, block), { maxLength: 12 }),
        fc.integer({ min: 400, max: 3000 }),
        (blocks, limit) => {
          for (const { text } of splitText(blocks.join("\n\n"), limit)) {
            expect((text.match(/^```/gm)?.length ?? 0) % 2).toBe(0);
          }
        },
      ),
      { numRuns: caseCount({ perChange: 150, all: 500 }) },
    );
  });
});

/** The lengths of the characters that begin at these places. */
function longest(starts: ReadonlySet<number>, end: number): number[] {
  const places = [...starts, end];
  return places.map((place, index) => place - (places[index - 1] ?? 0));
}

describe("where a long text is cut", () => {
  const row = (index: number) => `| file-${index}.ts | ${index * 37} | fine |\n`;
  const rows = Array.from({ length: 120 }, (_, index) => row(index)).join("");
  const head = "| file | lines | state |\n| --- | ---: | --- |\n";

  it.each([
    ["with bars around it", head, rows],
    ["without", "file | lines\n--- | ---\n", rows.replace(/^\| (.*) \| fine \|$/gm, "$1")],
  ])("a table that goes on repeats its header, %s", (_, header, body) => {
    const text = `Before:\n\n${header}${body}\nAfter.`;
    const parts = splitText(text, 1_000);
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.map(({ source }) => source).join("")).toBe(text);
    for (const { text: shown } of parts.slice(1, -1)) expect(shown.startsWith(header)).toBe(true);
    for (const { text: shown } of parts) expect(shown.length).toBeLessThanOrEqual(1_000);
  });

  it("bars in code are no table", () => {
    const text = `\`\`\`\n${head}${rows}\`\`\`\n`;
    for (const { text: shown } of splitText(text, 1_000).slice(1))
      expect(shown).not.toContain("| file |");
  });

  it.each([900, 950, 1_000, 1_037, 1_111])("no heading is left at the end, at %i", (limit) => {
    const text = Array.from(
      { length: 40 },
      (_, index) => `## Section ${index}\n\n${"some words ".repeat(5 + (index % 7))}\n\n`,
    ).join("");
    const parts = splitText(text, limit);
    expect(parts.map(({ source }) => source).join("")).toBe(text);
    for (const { source } of parts) expect(source.trimEnd()).not.toMatch(/(^|\n)#+ [^\n]*$/);
  });
});
