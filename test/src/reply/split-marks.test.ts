import { describe, expect, it } from "vitest";
import { readMarkdown } from "../../../src/lib/text/markdown.ts";
import { splitText } from "../../../src/reply/split.ts";

const LIMITS = Array.from({ length: 40 }, (_, index) => 400 + 7 * index);
const numbered = (times: number, line: (index: number) => string) =>
  Array.from({ length: times }, (_, index) => line(index));

/** All code of a text, line by line. */
function codeLines(markdown: string): string[] {
  return readMarkdown(markdown).flatMap((piece) =>
    piece.kind === "fence" ? piece.code.split("\n").filter((line) => line !== "") : [],
  );
}

describe("code that a cut goes through is the same code in all parts", () => {
  const code = numbered(70, (index) => (index % 3 === 0 ? `  if step ${index}` : `step ${index}`));
  const within = (prefix: string) => code.map((line) => `${prefix}${line}`).join("\n");

  it.each([
    ["on its own", `\`\`\`sh\n${within("")}\n\`\`\`\nEnd <@1>.`],
    ["in a point of a list", `1. Do:\n   \`\`\`sh\n${within("   ")}\n   \`\`\`\n2. Then.`],
    ["deep in a list", `- a\n  - b\n\n      ~~~sh\n${within("      ")}\n      ~~~\n- c`],
    ["right behind a point's mark", `- \`\`\`sh\n${within("  ")}\n  \`\`\`\n- c`],
    ["in a quote", `> \`\`\`sh\n${within("> ")}\n> \`\`\`\nEnd.`],
    [
      "with a long line of attributes",
      `\`\`\`ts title="src/a/very/long/path/to/some/file.ts" {1,3-5}\n${within("")}\n\`\`\`\nEnd.`,
    ],
  ])("%s", (_, text) => {
    expect(codeLines(text)).toEqual(code);
    for (const limit of LIMITS) {
      const parts = splitText(text, limit);
      expect(parts.map(({ source }) => source).join("")).toBe(text);
      expect(parts.flatMap((part) => codeLines(part.text))).toEqual(code);
      for (const part of parts) expect(part.text.length).toBeLessThanOrEqual(limit);
    }
  });
});

describe("no part ends with what belongs to the next one", () => {
  const words = (index: number) => "some words ".repeat(4 + (index % 7)).trim();

  it.each<[string, (index: number) => string, RegExp]>([
    ["an underlined heading", (n) => `Part ${n}\n=======\n\n${words(n)}`, /\n=+$/],
    ["a heading underlined by dashes", (n) => `Part ${n}\n-------\n\n${words(n)}`, /\n-+$/],
    ["a line in bold", (n) => `**Part ${n}**\n\n${words(n)}`, /\*\*$/],
    ["a line in bold with a colon", (n) => `**Part ${n}**:\n${words(n)}`, /\*\*:$/],
    ["two headings", (n) => `# Part ${n}\n\n## Sub ${n}\n\n${words(n)}`, /\n#+ [^\n]*$/],
    [
      "a heading and the beginning of code",
      (n) => `## Part ${n}\n\`\`\`js\nlet a${n};\n\`\`\`\n${words(n)}`,
      /#+ [^\n]*$|```js\n?(?:```)?$/,
    ],
    [
      "a table's header",
      (n) => `${words(n)}\n| name | number |\n|---|---|\n| a${n} | ${n} |`,
      /\| name \| number \|(?:\n\|---\|---\|)?$/,
    ],
  ])("%s", (_, section, left) => {
    const text = numbered(40, section).join("\n\n");
    for (const limit of LIMITS) {
      const parts = splitText(text, limit);
      expect(parts.map(({ source }) => source).join("")).toBe(text);
      for (const part of parts.slice(0, -1)) expect(part.text.trimEnd()).not.toMatch(left);
    }
  });

  it("a table right behind a line with a bar repeats its header, too", () => {
    const header = "| name | number |\n|---|---|\n";
    const rows = numbered(60, (index) => `| a${index} | ${index} |`).join("\n");
    const parts = splitText(`yes | no:\n${header}${rows}`, 420);
    expect(parts.length).toBeGreaterThan(2);
    for (const { text } of parts.slice(1)) expect(text.startsWith(header)).toBe(true);
  });
});

describe("a cut between words goes through no", () => {
  it.each([
    ["code", "`git push --force origin main`"],
    ["code with back quotes in it", "`` echo `date +%s` now ``"],
    ["link", "[the run of last night](https://ci.example/run/7)"],
    ["bold words", "**never on a Friday night**"],
  ])("%s", (_, mark) => {
    const text = numbered(60, (index) => `${"word ".repeat(index % 5)}${mark}`).join(" ");
    for (const limit of LIMITS) {
      const parts = splitText(text, limit).map(({ text: shown }) => shown);
      expect(parts.join("")).toBe(text);
      expect(parts.flatMap((part) => part.split(mark)).join("")).not.toMatch(/[`*[\]]/);
    }
  });
});
