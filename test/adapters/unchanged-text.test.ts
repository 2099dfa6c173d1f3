import { describe, expect, it } from "vitest";
import type { View } from "../../src/contract/platform/view.ts";
import { ON_PLATFORMS } from "../support/on-platforms.ts";

/** Texts that platforms would act upon, and that people copy. */
const CODE = [
  "<!DOCTYPE html>",
  "<!-- a comment -->",
  "<@U0123ABC> <@123456789> <@!1> <@&2>",
  "<#C0123> <#123456789>",
  "<!channel> <!here> <!subteam^S1>",
  "&amp; &lt;b&gt; &#96;",
  "<https://x.example|y> <mailto:a@b.c|d>",
  "@everyone @here @channel",
  "<t:1700000000:R> <:smile:123> </deploy:7>",
  ":smile: :+1:",
  "*a* _b_ ~c~ ||d|| **e** __f__ # g > h",
  "[words](https://x.example) ![x](https://x.example/p.png)",
  "https://x.example/?a=b_c&d=*e*",
  "C:\\new\\_table\\n \\` \\\\",
  "cat <<'EOF' | grep -v '^#' > \"$OUT\"",
  "if (a < b && c > d) { x |= y; }",
  "std::vector<int>&& v = std::move(w);",
  "git log --format='%h <%ae>' @{u}..HEAD",
  "  indented\n\ttab\n    more",
  "- one\n1. two\n7. three\n# four\n> five\n-# six",
] as const;
const TICKS = [
  "echo `date`",
  "a ``b`` c",
  "``` fence ```",
  "x\n```js\nlet a;\n```\ny",
  "`",
  "echo `<@U0123ABC>` <!here>",
  "`<@123456789>`",
  "a`@everyone",
  "x `[bank](https://x.example)` ``<#C1>``",
] as const;

function viewsWithCode(code: string): [string, View][] {
  const fence = code.includes("```") ? "`````" : "```";
  const span = code.includes("\n") ? "code" : code;
  const few = code.includes("`") ? 2 : 1;
  const quotes = "`".repeat(code.includes("``") ? 4 : few);
  const blank = code.includes("`") ? " " : "";
  const buttons: [] = [];
  return [
    [
      "a code block of a reply",
      { kind: "reply", text: `See:\n${fence}\n${code}\n${fence}\nSo.`, isFinal: true },
    ],
    [
      "a code block in a list",
      {
        kind: "reply",
        text: `1. Do:\n   ${fence}sh\n${code.replace(/^/gm, "   ")}\n   ${fence}\n2. Done`,
        isFinal: true,
      },
    ],
    [
      "inline code of a reply",
      { kind: "reply", text: `See ${quotes}${blank}${span}${blank}${quotes}.`, isFinal: true },
    ],
    ["terminal output", { kind: "terminal", title: "$ x", text: code, hiddenLines: 0, buttons }],
    [
      "the newest output of a call",
      {
        kind: "activity",
        lines: [{ callId: "1", title: "x", details: [], status: "running", output: code }],
        status: "working",
        buttons,
      },
    ],
    ["a diff", { kind: "diff", title: "1 file", diff: code, buttons }],
  ];
}

describe.each(Object.entries(ON_PLATFORMS))("on %s text arrives unchanged", (_, shown) => {
  it.each(CODE)("%s", (code) => {
    for (const [where, view] of viewsWithCode(code)) {
      const { text, alarms } = shown(view);
      const expected = where === "inline code of a reply" && code.includes("\n") ? "code" : code;
      expect(text, where).toContain(expected);
      expect(alarms, where).toEqual([]);
    }
  });

  it.each(TICKS)("with back quotes in it: %s", (code) => {
    for (const [where, view] of viewsWithCode(code)) {
      if (where.startsWith("inline") && code.includes("\n")) continue;
      const { text, alarms } = shown(view);
      expect(text, where).toContain(code);
      expect(alarms, where).toEqual([]);
    }
  });

  it.each([...CODE, ...TICKS].filter((code) => !code.includes("\n")))(
    "in the line of a call: %s",
    (code) => {
      const line = { callId: "1", title: `Running: ${code}`, details: [], status: "success" };
      const view = { kind: "activity", lines: [line], status: "done", buttons: [] } as View;
      const { text, alarms } = shown(view);
      const calls = /@(?=everyone|here)/g;
      expect(text.replaceAll("＠", "@").replace(calls, "@")).toContain(code.trim());
      expect(alarms).toEqual([]);
    },
  );
});

describe.each(Object.entries(ON_PLATFORMS))("on %s words outside of code", (_, shown) => {
  const reply = (text: string) => shown({ kind: "reply", text, isFinal: true });

  it.each([
    "<!channel> <@U0123> <@123456789> <@&456> <#C1>",
    "@everyone and @here",
    "[your bank](https://evil.example)",
    "[your bank][1]\n\n[1]: https://evil.example",
    "[your bank][1]\n\n> [1]: https://evil.example",
    "<https://evil.example|your bank>",
    "![x](https://evil.example/p.png)",
    "` <@123456789> [a](https://evil.example)",
    "```` \n``` <@123456789> @everyone ```\n <!channel>",
    "`a``<@123456789>`` `<!channel>",
    "\\`<@123456789>\\` [a](https://evil.example)",
  ])("call no one and disguise no link: %s", (text) => {
    expect(reply(text).alarms).toEqual([]);
    for (const kind of ["question", "notice"] as const) {
      const view = { kind, prompt: text, text, level: "info", buttons: [] } as unknown as View;
      expect(shown(view).alarms, kind).toEqual([]);
    }
  });

  it.each([
    ["see https://ci.example/run/7, please", "see https://ci.example/run/7, please"],
    ["[the run](https://ci.example/run/7)", "the run (https://ci.example/run/7)"],
    ["[https://ci.example/run/7](https://ci.example/run/7)", "https://ci.example/run/7"],
    ["[ci.example/run/7](https://ci.example/run/7/)", "https://ci.example/run/7/"],
    ["<https://ci.example/run/7>", "https://ci.example/run/7"],
    ["![logo](https://ci.example/a.png)", "logo (https://ci.example/a.png)"],
    ["[wiki](https://w.example/A_(b))", "wiki (https://w.example/A_(b))"],
    ["[wiki](https://w.example/(a)_(b)_c)", "wiki (https://w.example/(a)_(b)_c)"],
    ["[`run.ts`](https://ci.example/run.ts)", "`run.ts` (https://ci.example/run.ts)"],
    ["[see `a` and `b`](https://ci.example/7)", "see `a` and `b` (https://ci.example/7)"],
    ["[https://bank.example](https://ci.example/7)", "https://bank.example (https://ci.example/7)"],
    [
      "[![passing](https://b.example/i.svg)](https://ci.example/7)",
      "passing (https://b.example/i.svg) (https://ci.example/7)",
    ],
    ['[the run](https://ci.example/run/7 "a title")', "the run (https://ci.example/run/7)"],
  ])("links stay clickable, and say where they lead: %s", (text, expected) => {
    const { text: read, raw } = reply(text);
    expect(read).toBe(expected);
    const address = /https:\/\/[^\s,]+?(?=\)?$|,)/.exec(expected)?.[0] ?? "";
    expect(JSON.stringify(raw).replace(/`[^`]*`/g, "")).toContain(address);
  });
});
