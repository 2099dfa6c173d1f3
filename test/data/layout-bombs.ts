export const CHARS = 40_000;

const fill = (unit: string) => unit.repeat(Math.ceil(CHARS / unit.length)).slice(0, CHARS);

/** Texts that cost far more to lay out than their length lets expect. */
export const LAYOUT_BOMBS: Readonly<Record<string, string>> = {
  "combining marks": `a${fill("\u0301")}`,
  "combining marks of many kinds": `a${fill("\u0300\u0316\u0334\u20dd\u0483\u0489")}`,
  "combining marks between invisible characters": `a${fill("\u0301\u200b\u0323\u2060")}`,
  "eight marks on every letter": fill("a\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308"),
  "marks on every emoji": fill("😀\u0301\u0302\u0303\u20dd"),
  "joined emoji": fill("👨\u200d"),
  "conjoining Hangul": fill("\u1100"),
  "Devanagari conjuncts": fill("क्"),
  "Tibetan stacks": `ཀ${fill("\u0f90")}`,
  "Arabic with marks": fill(`${"ب\u064b\u0651".repeat(20)} `),
  "Arabic with marks, without a blank": fill("ب\u064b\u0651"),
  "right-to-left overrides": fill("\u202ea"),
  "nested embeddings": `${"\u202b\u202a".repeat(CHARS / 4)}${fill("a").slice(CHARS / 2)}`,
  "mixed directions": fill("aא1ب"),
  "zero-width spaces": fill("\u200b"),
  "zero-width joiners": fill("a\u200d"),
  "soft hyphens": fill("a\u00ad"),
  "variation selectors": fill("☺\ufe0f\ufe0e"),
  "one word": fill("x"),
  "one word of wide characters": fill("漢"),
  "one line of code": `\`\`\`\n${fill("x")}\n\`\`\``,
  "code of combining marks": `\`\`\`\na${fill("\u0301")}\n\`\`\``,
  "a wide table": `${fill("|a").slice(0, 20_000)}|\n${fill("|-").slice(0, 20_000)}|\n${"|b\n".repeat(6)}`,
  "a long table": `|a|b|\n|-|-|\n${"|c|d|\n".repeat(6_000)}`,
  "nested quotes": `${">".repeat(CHARS - 10)} deep`,
  "nested lists": Array.from({ length: 250 }, (_, at) => `${" ".repeat(at * 2)}- x`)
    .join("\n")
    .slice(0, CHARS),
  emphasis: fill("*a **b "),
  "unclosed brackets": fill("["),
  "many links": fill("http://a.b "),
  "back quotes": fill("`a``b"),
  headings: fill("# a\n"),
  "empty lines": fill("a\n\n"),
};
