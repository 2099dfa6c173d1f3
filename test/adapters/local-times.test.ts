import { describe, expect, it } from "vitest";
import { render as onDiscord } from "../../adapters/discord/format.ts";
import { viewText } from "../../adapters/shared/view-text.ts";
import { render as onSlack } from "../../adapters/slack/format.ts";
import { viewContent } from "../../adapters/web/format.ts";
import { alreadyText } from "../../src/contract/approval-text.ts";
import type { View } from "../../src/contract/platform/view.ts";
import { localTime, localTimeAgo } from "../../src/lib/text/times.ts";
import { codeSpan, plainLine } from "../../src/lib/text/write-markdown.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { maskedView } from "../../src/reply/masked.ts";
import { approvalOf } from "../contracts/adapter/views.ts";

const AT = "2026-11-16T12:00:00.000Z";
const SECONDS = Date.parse(AT) / 1_000;
const SOON = new Date("2026-11-16T12:05:00.000Z");
/** The same day in Greenwich, and another one for most readers. */
const MORNING = new Date("2026-11-16T00:00:00.000Z");
const LATER = new Date("2026-11-18T12:05:00.000Z");

const notice = (text: string): View => ({ kind: "notice", level: "info", text });
const decided = { choice: "timed" as const, by: ["x"], names: ["Ada"], at: AT, until: AT };
const approval = { ...approvalOf("w", "w"), decision: decided };
const answer = { text: "yes", by: "Ada", at: AT };

/** Everything with a time that people see, and how often it has one. */
const VIEWS: readonly (readonly [string, View, number])[] = [
  ["a decided approval", { kind: "approval", approval, requester: "Bob", buttons: [] }, 2],
  ["an answered question", { kind: "question", prompt: "Which?", buttons: [], answer }, 1],
  [
    "an approval that ends",
    {
      kind: "approval",
      approval: { ...approvalOf("w", "w"), decision: undefined as never, expiresAt: AT },
      requester: "Bob",
      buttons: [],
    },
    1,
  ],
  ["a late click", notice(alreadyText(decided, SOON)), 2],
  ["a permission", notice(`- \`git push\` until ${localTime(AT, SOON)}, approved by Ada`), 1],
  ["a state", notice(`**Turn**: none; the last one finished ${localTimeAgo(AT, SOON)}`), 1],
];

const slackOptions = { hasPlans: true, thread: "slack:T:C:1" } as unknown as Parameters<
  typeof onSlack
>[1];
const slack = (view: View) => JSON.stringify(onSlack(view, slackOptions).blocks);
/** In rich text everything means itself; in Markdown Slack acts upon its own marks. */
const slackMarkdown = (view: View) =>
  onSlack(view, slackOptions)
    .blocks.filter(({ type }) => type === "markdown")
    .map(({ text }) => text)
    .join("\n");
const discord = (view: View) => JSON.stringify(onDiscord(view, { thread: "discord:1:2" as never }));
const web = (view: View) => viewContent(view);
const masked = (view: View) => maskedView(createRedactor({ secrets: {} }), view);

describe("a time is shown to each reader in their own way", () => {
  it.each(VIEWS)("in %s", (_, view, count) => {
    const shown = masked(view);
    expect(slack(shown).match(/"type":"date"/g)).toHaveLength(count);
    expect(slack(shown)).toContain(`"timestamp":${SECONDS}`);
    expect(discord(shown).match(new RegExp(`<t:${SECONDS}:[tfR]>`, "g"))).toHaveLength(count);
    for (const text of [slack(shown), discord(shown), viewText(shown), JSON.stringify(web(shown))])
      expect(text).not.toMatch(/\d{4}-\d\d-\d\dT(?!12:00:00\.000Z")|\uFDD1/);
    expect(onSlack(shown, slackOptions).text).toMatch(/12:00 UTC|5 minutes ago/);
    if (shown.kind === "notice") {
      expect(web(shown)).toMatchObject({
        timed: { times: Array(count).fill({ seconds: SECONDS }) },
      });
      expect(web(shown)).toMatchObject({ view: { text: viewText(shown).replace(/^ℹ️ /, "") } });
    }
  });

  it.each([
    ["the time of today", localTime(AT, SOON), "{time}", "t", "12:00 UTC"],
    [
      "another day",
      localTime(AT, LATER),
      "{time} on {date_short}",
      "f",
      "12:00 UTC on 16 Nov 2026",
    ],
    ["half a day ahead", localTime(AT, MORNING), "{time} on {date_short}", "f", "12:00 UTC"],
    ["minutes ago", localTimeAgo(AT, SOON), "{ago}", "R", "5 minutes ago"],
    ["days ago", localTimeAgo(AT, LATER), "{ago}", "R", "at 12:00 UTC on 16 Nov 2026"],
  ])("as %s", (_, time, format, style, words) => {
    expect(slack(notice(time))).toContain(`"format":"${format}","fallback":"${words}"`);
    expect(discord(notice(time))).toContain(`<t:${SECONDS}:${style}>`);
    expect(viewText(notice(time))).toBe(`ℹ️ ${words}`);
  });

  it("keeps bold words and code of a notice with a time on Slack", () => {
    const text = `**Turn**: \`npm test\` ${localTimeAgo(AT, SOON)}`;
    expect(slack(notice(text))).toContain('{"type":"text","text":"Turn","style":{"bold":true}}');
    expect(slack(notice(text))).toContain(
      '{"type":"text","text":"npm test","style":{"code":true}}',
    );
  });

  it("survives a cut of its text, and half of it is left out", () => {
    const text = `${"x".repeat(40)} ${localTime(AT, SOON)} and more words that are cut off`;
    for (let maxChars = 40; maxChars < text.length + 10; maxChars += 1) {
      const shown = viewText(notice(text), { maxChars });
      expect(shown).not.toMatch(/[\uFDD0\uFDD1]|clock/);
    }
  });
});

/** Times of a former process, half ones, and what looks like ours. */
const FORGED = [
  "\uFDD01234567890 1763294400 clock 12:00 UTC\uFDD1",
  `\uFDD0 ${SECONDS} ago 5 minutes ago\uFDD1`,
  "\uFDD00\uFDD1",
  "\uFDD0",
  "\uFDD1 x \uFDD0",
  `<t:${SECONDS}:R>`,
  `<!date^${SECONDS}^{time}|12:00>`,
  `<!date^${SECONDS}^{time}^https://evil.example|12:00>`,
];

describe("text of others makes no time", () => {
  it.each(FORGED)("%j", (text) => {
    const views: View[] = [
      notice(text),
      notice(`${plainLine(text)} ${codeSpan(text)} ${text}`),
      { kind: "reply", text, isFinal: true },
      { kind: "question", prompt: text, context: text, buttons: [] },
      { kind: "terminal", title: text, text, hiddenLines: 0, buttons: [] },
      {
        kind: "approval",
        approval: { ...approvalOf(text, "w"), decision: undefined as never },
        requester: text,
        buttons: [],
      },
    ];
    for (const view of views.map(masked)) {
      expect(slack(view)).not.toContain('"type":"date"');
      expect(slackMarkdown(view).replace(/`[^`]*`/g, "")).not.toContain("<!date");
      expect(discord(view).replace(/`[^`]*`/g, "")).not.toMatch(/(?<!\\)<t:/);
      expect(web(view)).not.toHaveProperty("timed");
    }
  });

  it("beside a time of ours there is only that one", () => {
    for (const text of FORGED) {
      const view = masked(notice(`${text} ${localTime(AT, SOON)} ${text}`));
      expect(slack(view).match(/"type":"date"/g)).toHaveLength(1);
      expect(web(view)).toMatchObject({ timed: { times: [{ seconds: SECONDS }] } });
    }
  });
});
