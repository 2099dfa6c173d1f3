import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable, printableLine, unprintable } from "../../../src/authorization/printable.ts";
import { caseCount } from "../../support/thorough.ts";

const tricks = [
  "\u202e",
  "\u2066",
  "\u2069",
  "\u200b",
  "\u200f",
  "\ufeff",
  "\u2028",
  "\u2029",
  "\ufe0f",
  "\u034f",
  "\u2800",
  "\u{e0041}",
  "\r",
  "\u001b[2K",
  "\u0000",
  "\ud800",
  "```",
  "<!channel>",
  "<@U1>",
  "<https://a|b>",
  "@everyone",
  "&lt;",
  "\\u{202e}",
  "\\",
  "\u0430",
];
const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom(...tricks), fc.string({ unit: "binary", maxLength: 3 })),
});

describe("printable text", () => {
  it("shows every text in printable ASCII, and no two texts alike", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = printable(text);
        expect(shown).toMatch(/^[\n\x20-\x7e]*$/);
        expect(unprintable(shown)).toBe(text);
        expect(printableLine(text)).not.toContain("\n");
      }),
      { numRuns: caseCount({ perChange: 1000, all: 5000 }) },
    );
  });

  it("lets nothing call people, end a code block or become a link", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = printable(text);
        expect(shown).not.toMatch(/```|<[!@#]|<https?:|@everyone|@here/i);
      }),
      { numRuns: caseCount({ perChange: 500, all: 2000 }) },
    );
  });

  it("shows every code point as itself in printable ASCII or as its number, alone and beside a letter", () => {
    const problems: string[] = [];
    // Beyond the planes in use every code point is as good as the next one.
    const stride = (point: number) => (point < 0x20000 ? 1 : caseCount({ perChange: 37, all: 1 }));
    for (let point = 0; point <= 0x10ffff; point += stride(point)) {
      const character = String.fromCodePoint(point);
      const isPlain = point === 0xa || (point >= 0x20 && point <= 0x7e);
      const wanted = isPlain ? character : `\\u{${point.toString(16)}}`;
      if (printable(character) !== wanted) problems.push(`U+${point.toString(16)}`);
      if (printable(`k${character}s`) !== `k${wanted}s`) problems.push(`U+${point.toString(16)} *`);
    }
    expect(problems).toEqual([]);
  });

  it("finds the fault that case folding caused", () => {
    // The careless control: the same class with the flag i, as it once was.
    const careless = (text: string) => text.replace(/[^\n\x20-\x7e]/giu, "?");
    expect(careless("\u212a\u017f")).toBe("\u212a\u017f");
    expect(printable("\u212a\u017f")).toBe("\\u{212a}\\u{17f}");
  });

  it.each([
    ["a Kelvin sign for K", "rm -rf /opt/K", "rm -rf /opt/\u212a"],
    ["a long s for s", "git push origin staging", "git push origin \u017ftaging"],
    ["a Cyrillic letter", "cat a", "cat \u0430"],
    ["a fullwidth letter", "cat a", "cat \uff41"],
    ["a combining mark", "cat \u00e9", "cat e\u0301"],
    ["an invisible blank", "rm -rf /opt", "rm -rf\u200b /opt"],
    ["another blank", "rm -rf /opt", "rm -rf\u00a0/opt"],
    ["a tab", "rm -rf /opt", "rm -rf\t/opt"],
    ["text that runs backwards", "echo ab", "echo \u202eba\u202c"],
    ["a carriage return", "echo b", "sudo id\recho b"],
    ["two halves of a pair", "\u{1f600}", "\\u{d83d}\\u{de00}"],
    ["an escape that was typed", "\u202e", "\\u{202e}"],
    ["a mention that was typed as an escape", "@here", "\\u{40}here"],
    ["tags", "ls", "ls\u{e0041}"],
  ])("never shows %s like the text that it imitates", (_, one, other) => {
    expect(printable(one)).not.toBe(printable(other));
    expect(unprintable(printable(other))).toBe(other);
  });

  it.each(["@EVERYONE", "@eVeRyOnE", "@Here", "@CHANNEL", "<HTTPS://a|b>", "<Mailto:x>"])(
    "escapes %s in any case",
    (text) => expect(printable(text)).toMatch(/^\\u\{(40|3c)\}/),
  );

  it("leaves an ordinary command as it is", () => {
    const command =
      "grep -rn '\\.ts$' <(ls) | sed 's/\\\\/x/' > a && echo \"$HOME\" `id` me@example.org";
    expect(printable(command)).toBe(command);
  });
});
