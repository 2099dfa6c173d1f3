import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { viewText } from "../../../adapters/shared/view-text.ts";
import { boardLines } from "../../../src/contract/todo-board.ts";
import { neutral, neutralLine } from "../../../src/lib/text/neutral.ts";
import { HOSTILE, SAMPLES, todoList, viewsWith } from "../../contracts/adapter/views.ts";
import { processorMs } from "../../support/longest-work.ts";
import { caseCount } from "../../support/thorough.ts";

/** What platforms act upon. Code is shown as it is, but mentions count in it as well. */
function alarms(text: string): string[] {
  const words = text.replace(/```[\s\S]*?```|`[^`\n]+`/g, " ");
  return [
    ...(text.match(/@(?:everyone|here|channel)|<[!@#]/gi) ?? []),
    ...(words.match(/[a-z][a-z0-9+.-]*:\/\/[\p{L}\p{N}]|\]\(/giu) ?? []),
    ...(text.match(/(?![\n\t])\p{Cc}|[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu) ??
      []),
  ];
}

describe("untrusted words", () => {
  it.each(Object.entries(HOSTILE))("%s does nothing", (_, text) => {
    expect(alarms(neutral(text))).toEqual([]);
    expect(neutralLine(text)).not.toContain("\n");
  });

  it("P-C9 nothing made of hostile pieces does anything", () => {
    const piece = fc.oneof(
      fc.constantFrom(...Object.values(HOSTILE).flatMap((text) => text.split(" "))),
      fc.constantFrom(
        "`",
        "```",
        "\n",
        "](",
        "[",
        "<",
        "@",
        "http",
        "://",
        "|",
        "\u200d",
        "every",
        "one",
      ),
      fc.string({ unit: "binary", maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        expect(alarms(neutral(text))).toEqual([]);
      }),
      { numRuns: caseCount({ perChange: 1_000, all: 5_000 }) },
    );
  });

  it("stays harmless in every view that is cut in the middle of code", () => {
    const picture = "![x](https://e.example/p.png)";
    const text = `@everyone@everyone\`\`\`${picture}${picture}https://e.example/?a\`\`\``;
    for (const view of Object.values(viewsWith(text))) {
      for (let maxChars = 1; maxChars < 800; maxChars += 1) {
        const shown = neutral(viewText(view, { maxChars }));
        expect({ shown, alarms: alarms(shown) }).toEqual({ shown, alarms: [] });
      }
    }
  });

  it("what harms nobody stays as it is", () => {
    const text = "a < b && c > d, Array<string>, me@example.org, `x = 1`, **bold**, 漢字 👨‍👩‍👧 🇩🇪";
    expect(neutral(text)).toBe(text);
    expect(neutral("```js\nlet a;\n```")).toBe("```js\nlet a;\n```");
  });

  it("links can be read, but not followed by accident", () => {
    expect(neutral("see https://a.example/b, please")).toBe("see `https://a.example/b`, please");
    expect(neutral("`a`https://b.example")).toBe("`a` `https://b.example`");
    expect(neutral("[docs](https://a.example)")).toBe("docs (`https://a.example`)");
    expect(neutral("![x](https://a.example/p.png)")).toBe("x (`https://a.example/p.png`)");
  });

  it("reads 200 KB in a moment, whatever it is made of", () => {
    for (const piece of [
      "a",
      "[",
      "](",
      "[a](",
      "<",
      "`",
      "```",
      "@",
      "http://",
      "\u001b]",
      "\u200d",
    ]) {
      const text = piece.repeat(200_000 / piece.length);
      const before = processorMs();
      neutral(text);
      expect(processorMs() - before).toBeLessThan(5_000);
    }
  });
});

describe("every view in words", () => {
  it.each(Object.entries(SAMPLES))("%s says what matters", (_, { view, essential }) => {
    for (const words of essential) expect(viewText(view)).toContain(words);
  });

  it("keeps to the room that there is, and never cuts an approval", () => {
    const long = viewsWith("some words ".repeat(2_000));
    for (const [kind, view] of Object.entries(long)) {
      if (kind === "reply" || kind === "approval") continue;
      expect(viewText(view, { maxChars: 1_000 }).length, kind).toBeLessThanOrEqual(1_000);
    }
    const whole = viewText(SAMPLES.approval.view, { maxChars: 10 });
    for (const words of SAMPLES.approval.essential) expect(whole).toContain(words);
  });

  it("15.19 shows paths as they are in the workspace, and others whole", () => {
    const { view } = SAMPLES.approval;
    if (view.kind !== "approval") throw new Error("no approval");
    const { approval } = view;
    const pathOf = (path: string, outside: boolean) =>
      ({ path, access: "delete", exists: true, outside, sensitive: false }) as const;
    const effect = {
      ...approval.effect,
      paths: [pathOf("/workspace/src/b.ts", false), pathOf("/etc/hosts", true)],
      diffs: [{ path: "/workspace/src/b.ts", diff: "-b" }],
    };
    const text = viewText({ ...view, approval: { ...approval, effect } });
    expect(text).toContain("Deletes `src/b.ts`");
    expect(text).toContain("Change of `src/b.ts`");
    expect(text).toContain("Deletes `/etc/hosts` (outside the workspace)");
    expect(text).not.toContain("/workspace/");
  });

  it("4.11 an approval of high risk says what must be typed, and what each button permits", () => {
    const { view } = SAMPLES.approval;
    if (view.kind !== "approval") throw new Error("no approval");
    const { approval } = view;
    const effect = {
      ...approval.effect,
      risk: "phrase" as const,
      phrase: "delete /opt/old",
      approversNeeded: 2,
      buttons: [
        {
          choice: "timed" as const,
          label: "Approve 5 min",
          asksReason: false,
          grants: "git commit commands for 5 min.",
        },
      ],
    };
    const text = viewText({ ...view, approval: { ...approval, effect } });
    for (const words of [
      "Phrase to type: `delete /opt/old`",
      "Needs a typed phrase: It writes built.txt",
      "2 people",
      "Approve 5 min: git commit commands for 5 min.",
    ]) {
      expect(text).toContain(words);
    }
  });

  it.each([
    ["Hello.", "ℹ️ Hello.", "⚠️ Hello."],
    ["- one\n- two", "- one\n- two", "⚠️\n- one\n- two"],
    ["```\ncode\n```", "```\ncode\n```", "⚠️\n```\ncode\n```"],
    ["1. one", "1. one", "⚠️\n1. one"],
    ["-1 is fine", "ℹ️ -1 is fine", "⚠️ -1 is fine"],
  ])("a notice is what Markdown reads, behind its sign: %j", (text, info, warning) => {
    expect(viewText({ kind: "notice", level: "info", text })).toBe(info);
    expect(viewText({ kind: "notice", level: "warning", text })).toBe(warning);
  });

  it("an approval says the command once and first, then who asked, the agent's words, the level, and who is waited for", () => {
    const { view } = SAMPLES.approval;
    if (view.kind !== "approval") throw new Error("no approval");
    const { approval } = view;
    const effect = {
      ...approval.effect,
      operation: "terminal_operations.run_command",
      command: "sudo install a /etc/a",
      ...{ paths: [], diffs: [], params: [], notes: [], runsAs: "root" as const },
      explanation: "Only root can write to /etc.",
      reasons: ["sudo asks for root", "writes outside the workspace (/etc/a)."],
      approvers: "Olga",
    };
    expect(viewText({ ...view, approval: { ...approval, effect } })).toBe(
      [
        "✋ Approval needed",
        "```",
        "sudo install a /etc/a",
        "```",
        "Runs as root.",
        "Asked by Ada.",
        "The agent's explanation: Only root can write to /etc.",
        "Needs a click: sudo asks for root; writes outside the workspace (/etc/a).",
        "Waiting for Olga.",
      ].join("\n"),
    );
  });

  it("1.25 what was done on behalf of something else stands below it", () => {
    const line = { callId: "1", details: [], status: "success" } as const;
    const text = viewText({
      kind: "activity",
      lines: [
        { ...line, title: "Running subagent" },
        { ...line, title: "Reading file: a", parent: "run_subagent" },
      ],
      status: "done",
      buttons: [],
    });
    expect(text).toBe("Done\n✅ Running subagent\n  ↳ ✅ Reading file: a (run_subagent)");
  });
});

describe("the todo board", () => {
  it("7.19 shows a bar, a sign for each state, and what blocks", () => {
    const { items, ...list } = todoList(["a", "b", "c", "d"]);
    const states = ["completed", "in-progress", "blocked", "not-started"] as const;
    const mixed = items.map((item, index) => ({
      ...item,
      status: states[index] ?? "blocked",
      progress: 0.5,
      blockedReason: "no access",
    }));
    expect(boardLines({ ...list, items: mixed }, 1_000)).toEqual([
      "Todos 1/4 ▰▰▱▱▱▱▱▱▱▱ 25 %",
      "✅ 1. a",
      "🔄 2. b (▰▰▱▱▱ 50 %)",
      "⛔ 3. c (no access)",
      "⬜ 4. d",
    ]);
  });

  it("7.23 never gets longer than it may, and counts what it leaves out", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme", maxLength: 80 }), { maxLength: 60 }),
        fc.integer({ min: 0, max: 3_000 }),
        (titles, maxChars) => {
          const lines = boardLines(todoList(titles), maxChars);
          expect(lines.join("\n").length).toBeLessThanOrEqual(maxChars);
          const left = Number(/^… and (\d+) more$/.exec(lines.at(-1) ?? "")?.[1] ?? 0);
          const shown = lines.filter((line) => /^\p{Extended_Pictographic}/u.test(line)).length;
          if (maxChars > 200 && titles.length > 0) expect(shown + left).toBe(titles.length);
        },
      ),
    );
  });

  it("leaves out completed todos first", () => {
    const { items, ...list } = todoList(Array.from({ length: 30 }, (_, index) => `todo-${index}`));
    const mixed = items.map((item, index) => ({
      ...item,
      status: index < 25 ? ("completed" as const) : ("in-progress" as const),
    }));
    const text = boardLines({ ...list, items: mixed }, 200).join("\n");
    for (let index = 25; index < 30; index += 1) expect(text).toContain(`todo-${index}`);
  });
});

describe("an approval that was decided", () => {
  const { view } = SAMPLES.approval;
  const decided = (more: object) =>
    view.kind === "approval"
      ? viewText({
          ...view,
          approval: {
            ...view.approval,
            decision: { choice: "timed", by: ["x"], names: ["Ada"], at: AT, ...more },
          },
          decidedBy: "Ada",
        })
      : "";
  const AT = new Date().toISOString().replace(/T.*/, "T09:13:00.000Z");

  it("for a time says until when it holds", () => {
    expect(decided({ until: AT.replace("09:13", "14:05") })).toContain(
      "Approved until 14:05 UTC by Ada at 09:13 UTC",
    );
  });

  it("by an older version says what is known", () => {
    expect(decided({})).toContain("Approved for a limited time by Ada at 09:13 UTC");
  });
});
