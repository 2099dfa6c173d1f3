import { describe, expect, it } from "vitest";
import { ON_PLATFORMS } from "../../support/on-platforms.ts";

function onDiscord(text: string) {
  const { text: read, alarms, raw } = ON_PLATFORMS.Discord({ kind: "reply", text, isFinal: true });
  expect(alarms).toEqual([]);
  return { read, sent: String(raw[0]?.content) };
}

describe("on Discord words are no marks that Markdown does not know", () => {
  it.each([
    ["if (a || b || c)", "if (a \\|\\| b \\|\\| c)"],
    ["x ||| y", "x \\|\\|| y"],
    [">>> print(1)\n1", "\\>>> print(1)\n1"],
    ["-# a comment", "\\-# a comment"],
    ["words\n  -# a comment", "words\n  \\-# a comment"],
  ])("%s", (text, sent) => {
    expect(onDiscord(text)).toEqual({ read: text, sent });
  });

  it.each(["`a || b || c`", "```\na || b || c\n>>> x\n-# y\n#### z\n```"])(
    "and code stays as it is: %s",
    (text) => {
      expect(onDiscord(text).sent).toBe(text);
    },
  );

  it.each(["#### Title", "##### Title", "###### Title"])(
    "%s is a heading that it knows",
    (text) => {
      expect(onDiscord(`${text}\nwords`).sent).toBe("### Title\nwords");
    },
  );
});

describe("on Discord a table loses nothing", () => {
  const cells = (row: string) =>
    onDiscord(`| name | what |\n|---|---|\n${row}`).read.split("\n")[3];

  it.each([
    ["code with marks", "| `__init__` | `**kw**` |", "__init__  **kw**"],
    ["code with a link", "| `[a](https://x.example)` | b |", "[a](https://x.example)  b"],
    ["code with back quotes", "| `` a`b `` | b |", "a`b   b"],
    ["code with a backslash", "| `C:\\*` | b |", "C:\\*  b"],
    ["an escaped bar", "| `a\\|b` | c \\| d |", "a|b   c | d"],
    ["a bar in code", "| `a | b` | c |", "a | b  c"],
    ["more cells than the header", "| a | b | c | d |", "a     b | c | d"],
    ["fewer cells", "| a |", "a"],
    ["bold words, and a name with underscores", "| **a** | __init__.py |", "a     __init__.py"],
    ["escaped marks", "| 2 \\* 3 | \\_x |", "2 * 3  _x"],
    ["a link", "| [a](https://x.example) | b |", "a (https://x.example)  b"],
    ["wide characters", "| 東京 | b |", "東京  b"],
    ["calls", "| <@123456789> | @everyone |", "<@123456789>  @everyone"],
  ])("with %s", (_, row, expected) => {
    expect(cells(row)).toBe(expected);
  });
});
