import fc from "fast-check";
import MarkdownIt from "markdown-it";
import { describe, expect, it } from "vitest";
import { render } from "../../../adapters/slack/format.ts";
import { streamMarkdown } from "../../../adapters/slack/rendering/markdown.ts";
import type { View, ViewKind } from "../../../src/contract/platform/view.ts";
import { HOSTILE, viewsWith } from "../../contracts/adapter/views.ts";
import { DISGUISING_SEEDS } from "../../support/property-seed.ts";
import { fieldsIn, isFields, stringIn } from "../../support/slack/values.ts";
import { caseCount } from "../../support/thorough.ts";

/**
 * A reader of Markdown that shares nothing with the adapter. Entities stay as they are: Slack acts upon a real angle bracket
 * only.
 */
const reader = new MarkdownIt({ html: false, linkify: false, breaks: true }).disable([
  "entity",
  // Slack reads words behind a bar in angle brackets as the name of the link.
  "autolink",
]);

interface Meaning {
  readonly mentions: readonly string[];
  /** Words and address of each link where they differ. */
  readonly disguised: readonly string[];
  readonly pictures: readonly string[];
}

function meaningOf(markdown: string): Meaning {
  const inline = reader.parse(markdown, {}).flatMap(({ children }) => children ?? []);
  const words = inline.filter(({ type }) => type === "text").map(({ content }) => content);
  const mentions = words.join("\n").match(/<(?:[@#!][^>\n]*|[a-z][\w+.-]*:[^>|\n]*\|[^>\n]*)>/gi);
  const links = inline.flatMap((token, index) =>
    token.type === "link_open"
      ? [{ href: String(token.attrGet("href")), words: inline[index + 1]?.content ?? "" }]
      : [],
  );
  return {
    mentions: mentions ?? [],
    disguised: links
      .filter(({ href, words }) => reader.normalizeLinkText(href) !== words && href !== words)
      .map(({ href, words }) => `${words} -> ${href}`),
    pictures: inline.filter(({ type }) => type === "image").map(({ content }) => content),
  };
}

const NOTHING: Meaning = { mentions: [], disguised: [], pictures: [] };

/** Elements of rich text that show words and do nothing else. */
const PLAIN = ["text", "date"];

/** What Slack would do with a block beyond showing its words. */
function effectsOf(block: unknown, isBold: boolean): unknown[] {
  if (!isFields(block)) return [];
  if (block.type === "markdown") {
    const meaning = meaningOf(stringIn(block.text));
    return JSON.stringify(meaning) === JSON.stringify(NOTHING) ? [] : [meaning];
  }
  if (block.type !== "rich_text")
    return fieldsIn(block.tasks).flatMap((task) => effectsOf(task.details, false));
  return fieldsIn(block.elements)
    .flatMap(({ elements }) => fieldsIn(elements))
    .filter(({ type, style }) => {
      const styles = isFields(style) ? Object.keys(style) : [];
      const isKnown = styles.every((name) => name === "code" || (isBold && name === "bold"));
      return !PLAIN.includes(stringIn(type)) || !isKnown;
    });
}

function check(kind: ViewKind, text: string): void {
  const view: View = viewsWith(text)[kind];
  const { blocks } = render(view, { root: "1.2", hasPlans: kind === "activity" });
  const effects = blocks.flatMap((block) => effectsOf(block, kind === "notice"));
  expect({ text, kind, effects }).toEqual({ text, kind, effects: [] });
}

const pieces = [
  ...["@everyone", "@here", "<!channel>", "<@U0123ABC>", "<!subteam^S1>", "<#C1>", "<!date^1^x|y>"],
  ...[
    "https://e.example/?a",
    "[x](https://e.example)",
    "[x][a]",
    "[a]: https://e.example\n",
    "http",
  ],
  ...[
    "<https://e.example|bank>",
    "<https://e.example>",
    "![x](https://e.example/p.png)",
    "mailto:a@b.c",
  ],
  ...[
    "```",
    "````",
    "~~~",
    "`",
    "``",
    "\\",
    "\n",
    "\n\n",
    " ",
    "    ",
    "word",
    "# ",
    "> ",
    "- ",
    "1. ",
  ],
  ...["**", "_", "~~", "<", ">", "&lt;", "&amp;", "&", "](", "[", "]", "(", ")", "|", "---", "\t"],
  ...["\u202e", "\u200b", "\u00a0", "\r", "😀", "a_b_c", "$x$", "<b>", "<!--", "<!DOCTYPE html>"],
];
const hostile = fc
  .array(fc.constantFrom(...pieces), { maxLength: 25 })
  .map((parts) => parts.join(""));
const kinds = Object.keys(viewsWith("")) as ViewKind[];

describe("P-C9 on Slack an independent reader finds no call and no link that the words do not show", () => {
  it.each(Object.entries(HOSTILE))("in %s", (_, text) => {
    for (const kind of kinds) check(kind, text);
  });

  it("in none of many texts, in any view", () => {
    fc.assert(
      fc.property(hostile, fc.constantFrom(...kinds), (text, kind) => check(kind, text)),
      { numRuns: caseCount({ perChange: 2_000, all: 50_000 }) },
    );
  });

  it.each(DISGUISING_SEEDS)("in none of the texts of seed %i, in any view", (seed) => {
    fc.assert(
      fc.property(hostile, fc.constantFrom(...kinds), (text, kind) => check(kind, text)),
      { seed, numRuns: caseCount({ perChange: 1_000, all: 50_000 }) },
    );
  });

  it("in none of many texts while a reply is streamed", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect({ text, ...meaningOf(streamMarkdown(text)) }).toEqual({ text, ...NOTHING });
      }),
      { numRuns: caseCount({ perChange: 1_000, all: 30_000 }) },
    );
  });
});

describe("the reader itself", () => {
  it.each([
    ["<@U1>", { mentions: ["<@U1>"] }],
    ["&lt;@U1>", {}],
    ["`<@U1>`", {}],
    ["\\`<@U1>\\`", { mentions: ["<@U1>"] }],
    ["[x](https://e.example)", { disguised: ["x -> https://e.example"] }],
    ["[https://e.example](https://e.example)", {}],
    ["<https://e.example>", {}],
    ["<https://e.example|bank>", { mentions: ["<https://e.example|bank>"] }],
    ["![x](https://e.example/p.png)", { pictures: ["x"] }],
    ["[x]\n\n[x]: https://e.example", { disguised: ["x -> https://e.example"] }],
  ])("finds what is in %j", (text, found) => {
    expect(meaningOf(text)).toEqual({ ...NOTHING, ...found });
  });
});
