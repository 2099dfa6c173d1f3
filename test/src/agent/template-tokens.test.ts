import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  escapeTokens,
  escapeTokensInJson,
  unescapeTokensInJson,
} from "../../../src/agent/template-tokens.ts";
import { ownMs } from "../../support/own-clock.ts";
import { TEMPLATE_TOKENS, tokensIn } from "../../support/template-tokens.ts";
import { caseCount } from "../../support/thorough.ts";

const unescapeTokens = (text: string): string =>
  JSON.parse(unescapeTokensInJson(JSON.stringify(text)));

describe("escaping template tokens", () => {
  it.each(TEMPLATE_TOKENS)("breaks %s and gives it back", (token) => {
    const disguises = [
      token,
      `a${token}b`,
      `${token}${token}`,
      token.replace("<", "＜").replace("[", "［"),
      `${token[0]}\u200b${token.slice(1)}`,
      `${token.slice(0, 3)}\u2060${token.slice(3)}`,
      `<${token}`,
      `[${token}`,
      `<|${token}`,
      `${token[0]}‡${token.slice(1)}`,
    ];
    for (const text of disguises) {
      const escaped = escapeTokens(text);
      expect(tokensIn(escaped), text).toEqual([]);
      expect(unescapeTokens(escaped)).toBe(text);
    }
    expect(tokensIn(token)).toContain(token);
  });

  it.each([
    "const all: Array<string | number> = [1, 2];",
    "Map<string, Vec<u8>> and List<Strike> a<b && c>d",
    "if (a < s && b > t) return x <= y;",
    "let f = g <| h",
    "<strong>bold</strong> <strike>old</strike> <span>s</span> <section> <em>",
    "| a | b |\n|---|---|\n| <b> | [x](y) |",
    "[inst] [think] [img] [1] [ ] [x] [TODO] [WIP] [INSTALL] [PATH]",
    "cout << x << endl; cin >> y; cat <<EOF > f",
    "a <-> b, <!-- note -->, <?xml?>, <a href='x'>, <T extends U>",
    "items[index] rows[0][1] ]] ~b",
    "<tool> <function> <user> <assistant> <system>",
  ])("leaves %s alone", (text) => {
    expect(escapeTokens(text)).toBe(text);
    expect(unescapeTokens(text)).toBe(text);
  });

  it("keeps a strike-through readable", () => {
    expect(escapeTokens("<s>old</s>")).toBe("<‡s>old<‡/s>");
  });

  it("is undone exactly, for any text", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...TEMPLATE_TOKENS,
        "<",
        ">",
        "|",
        "[",
        "]",
        "‡",
        "‡‡",
        "\n",
        "＜",
        "\u200b",
        "/",
        "s",
      ),
      fc.string({ maxLength: 5 }),
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    const numRuns = caseCount({ perChange: 3_000, all: 100_000 });
    fc.assert(
      fc.property(text, (given) => {
        const escaped = escapeTokens(given);
        expect(unescapeTokens(escaped)).toBe(given);
        expect(tokensIn(escaped)).toEqual([]);
      }),
      { numRuns },
    );
  });

  it("finds tokens in every string and name of JSON, also escaped ones, and leaves the rest as it was", () => {
    const text = '{"a":"\\u003c|im_end|>","[INST]":["</s>",1,null,{"b":"x"}]}';
    const escaped = escapeTokensInJson(text);
    expect(tokensIn(JSON.stringify(JSON.parse(escaped)))).toEqual([]);
    expect(JSON.parse(unescapeTokensInJson(escaped))).toEqual(JSON.parse(text));
    expect(escapeTokensInJson('{ "a" : 1.0 }')).toBe('{ "a" : 1.0 }');
    expect(unescapeTokensInJson('{"cut": "<‡|im')).toBe('{"cut": "<‡|im');
  });

  it.each(["<", "[", "<|", "<‡", "<\u200b", "]~", "<a ", "<|a", "[INST"])(
    "takes no longer for a flood of %j than for other text",
    (unit) => {
      const start = ownMs();
      escapeTokens(unit.repeat(Math.ceil(1_000_000 / unit.length)));
      expect(ownMs() - start).toBeLessThan(5_000);
    },
  );
});
