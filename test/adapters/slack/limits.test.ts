import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { render } from "../../../adapters/slack/format.ts";
import { isStreamable, streamMarkdown } from "../../../adapters/slack/rendering/markdown.ts";
import { SAMPLES, viewsWith } from "../../contracts/adapter/views.ts";
import { alarmsIn } from "../../support/slack/alarms.ts";
import { checkMessageBlocks } from "../../support/slack/block-check.ts";
import { caseCount } from "../../support/thorough.ts";

const ROOT = "1700000000.000100";
const KINDS = fc.constantFrom(...(Object.keys(SAMPLES) as (keyof typeof SAMPLES)[]));

describe("P-C6 what is shown keeps to Slack's limits", () => {
  it("whatever the words are", () => {
    const words = fc.oneof(
      fc.string({ unit: "binary", maxLength: 400 }),
      fc.string({ unit: "grapheme", maxLength: 400 }),
      fc
        .array(fc.constantFrom("```", "`", "&", "<!here>", "](", "https://a.b ", "\n", "word "))
        .map((parts) => parts.join("")),
    );
    // Most of what is said is short; what is long is where limits are met.
    const long = fc.tuple(words, fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 8, 40));
    fc.assert(
      fc.property(long, KINDS, fc.boolean(), ([text, times], kind, hasPlans) => {
        const view = viewsWith(text.repeat(times).slice(0, 7_500))[kind];
        const { blocks, text: fallback } = render(view, { root: ROOT, hasPlans });
        checkMessageBlocks(blocks);
        expect(fallback.length).toBeGreaterThan(0);
        expect(fallback.length).toBeLessThanOrEqual(4_000);
      }),
      { numRuns: caseCount({ perChange: 800, all: 20_000 }) },
    );
  });

  it("a reply of any characters that is as long as promised is shown whole", () => {
    const pieces = ["](", "a://b ", "www.a ", "`", "```\n", "&", "😀", "x"];
    for (const piece of pieces) {
      const text = piece.repeat(Math.floor(7_500 / piece.length));
      const { blocks } = render(
        { kind: "reply", text, isFinal: true, footer: "f".repeat(200) },
        { root: ROOT, hasPlans: true },
      );
      checkMessageBlocks(blocks);
    }
  });

  it("P-A6 an approval that has no room can be denied and not approved", () => {
    const { view } = SAMPLES.approval;
    if (view.kind !== "approval") throw new Error("no approval");
    const paths = Array.from({ length: 900 }, (_, index) => ({
      path: `/p${index}`,
      access: "write" as const,
      exists: true,
      outside: false,
      sensitive: false,
    }));
    const effect = { ...view.approval.effect, paths };
    const buttons = [
      { action: "approve:a1:once", label: "Approve once" },
      { action: "approve:a1:deny", label: "Deny" },
      { action: "approve:a1:deny:reason", label: "Deny with reason" },
    ];
    const { blocks } = render(
      { ...view, approval: { ...view.approval, effect }, buttons },
      { root: ROOT, hasPlans: true },
    );
    checkMessageBlocks(blocks);
    const shown = JSON.stringify(blocks);
    expect(shown).not.toContain("approve:a1:once");
    expect(shown).toContain("approve:a1:deny");
    expect(shown).toContain("cannot be approved");
  });
});

describe("P-C9 nobody is called and nothing is fetched by what is shown", () => {
  const FRAGMENTS = [
    ...["<!channel>", "<@U123>", "<!subteam^S1>", "@everyone", "@here", "<https://e.example|x>"],
    ...["https://e.example/?a", "[x](https://e.example)", "![x](https://e.example/p.png)", "&lt;"],
    ...["```", "`", "\n", " ", "word", "\u202e", "\u200b", "<", ">", "&", "](", "mailto:a@b.c"],
  ];
  const words = fc
    .array(fc.constantFrom(...FRAGMENTS), { maxLength: 25 })
    .map((parts) => parts.join(""));
  const seen = { user: "U", ts: ROOT, channel: "C", files: [], reactions: new Map() };

  // An edit has Slack look for names, and no switch for what is fetched.
  it("in no view, posted, whispered or edited", () => {
    fc.assert(
      fc.property(words, KINDS, fc.boolean(), fc.boolean(), (text, kind, hasPlans, isEdit) => {
        const view = viewsWith(text)[kind];
        const { text: fallback, blocks } = render(view, { root: ROOT, hasPlans });
        const unfurls = { links: false, media: false };
        const message = { ...seen, unfurls, parsesNames: isEdit, text: fallback };
        expect(alarmsIn({ ...message, blocks: [...blocks] })).toEqual([]);
      }),
      { numRuns: caseCount({ perChange: 2_000, all: 50_000 }) },
    );
  });

  it("in no stream, which has no switch for what is fetched", () => {
    fc.assert(
      fc.property(words, (text) => {
        if (!isStreamable(text)) return;
        const markdown = streamMarkdown(text);
        const blocks = [{ type: "markdown", text: markdown }];
        const message = { ...seen, unfurls: {}, parsesNames: false, text: markdown };
        expect(alarmsIn({ ...message, blocks, stream: "open" })).toEqual([]);
      }),
      { numRuns: 5_000 },
    );
  });
});
