import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable, printableLine, unprintable } from "../../../src/authorization/printable.ts";

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
      { numRuns: 5000 },
    );
  });

  it("lets nothing call people, end a code block or become a link", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = printable(text);
        expect(shown).not.toMatch(/```|<[!@#]|<https?:|@everyone|@here/i);
      }),
      { numRuns: 2000 },
    );
  });

  it("leaves an ordinary command as it is", () => {
    const command =
      "grep -rn '\\.ts$' <(ls) | sed 's/\\\\/x/' > a && echo \"$HOME\" `id` me@example.org";
    expect(printable(command)).toBe(command);
  });
});
