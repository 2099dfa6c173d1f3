import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { viewText } from "../../../adapters/shared/view-text.ts";
import { count } from "../../../src/contract/display.ts";
import type { View } from "../../../src/contract/platform/view.ts";

const terminal = (hiddenLines: number): View => ({
  kind: "terminal",
  title: "$ ls",
  text: "a",
  hiddenLines,
  buttons: [],
});

describe("a count agrees with its noun", () => {
  it.each([
    [count(1, "line"), "1 line"],
    [count(0, "line"), "0 lines"],
    [viewText(terminal(1)).split("\n")[0], "$ ls (1 more line above)"],
    [viewText(terminal(2)).split("\n")[0], "$ ls (2 more lines above)"],
  ])("%s", (text, expected) => expect(text).toBe(expected));

  it("in the block that is one character too long", () => {
    const shown = (chars: number) =>
      viewText({ ...terminal(0), text: "x".repeat(chars) } as View, { maxChars: 164 });
    expect(shown(101)).toContain("… 1 more character");
    expect(shown(101)).not.toContain("characters");
    expect(shown(102)).toContain("… 2 more characters");
  });

  /** Numbers that are never one, or that the reader takes for a size. */
  const FIXED = /\$\{(?:[A-Z_]+|[\w.]*(?:bytes|limit|limits\.\w+)|mostBytes|[^}]*\/ 1000)\}/;
  const NOUNS =
    "lines|files|steps|messages|memories|records|rows|columns|threads|journals|commands";
  const PLURAL = new RegExp(`\\$\\{(?!count|counted)([^{}]+)\\} (?:more )?(?:${NOUNS})\\b`);

  it.each(["src/intake", "src/conversation", "src/reply", "src/audit/describe.ts", "adapters"])(
    "%s writes no number before a plural noun of its own",
    (folder) => {
      const files = folder.endsWith(".ts")
        ? [folder]
        : readdirSync(folder, { recursive: true, encoding: "utf8" })
            .filter((name) => /\.tsx?$/.test(name))
            .map((name) => `${folder}/${name}`);
      const found = files.flatMap((file) =>
        readFileSync(file, "utf8")
          .split("\n")
          .filter(
            (line) => PLURAL.test(line) && !FIXED.test(line) && !/=== "?1"? \?|> 1 \?/.test(line),
          )
          .map((line) => `${file}: ${line.trim()}`),
      );
      expect(found).toEqual([]);
    },
  );
});
