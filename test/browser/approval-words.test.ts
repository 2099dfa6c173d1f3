import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApprovalEffect } from "../../src/contract/permission/approval.ts";
import { CARD_PARTS, HOSTILE_WORDS } from "../support/approval-words.ts";
import { THREAD } from "../support/web-lab.ts";
import { approvalView } from "../support/web-views.ts";
import { launchBrowser, Rig } from "./rig.ts";

let browser: Browser;
let rig: Rig;
let page: Page;
beforeAll(async () => {
  browser = await launchBrowser();
  rig = await Rig.start(browser);
  await rig.lab.thread();
  page = await rig.open();
  await page.goto(`${rig.lab.origin}/#thread=${THREAD}`);
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await browser.close();
});

let cards = 0;

/** The lines that people read on a card, and what on it can be clicked or loads something. */
async function shownCard(effect: Partial<ApprovalEffect>) {
  const mark = `mark-${++cards}`;
  const params = [...(effect.params ?? []), { name: mark, value: "1" }];
  const view = approvalView({ id: mark, effect: { ...effect, params } });
  const post = await rig.lab.adapter.post(THREAD, view, mark);
  const card = page.locator(".approval", { hasText: mark });
  await card.scrollIntoViewIfNeeded();
  const readLines = async () =>
    (await card.innerText()).split("\n").filter((line) => line.trim() !== "");
  // A card that has just come is laid out a moment later.
  await expect.poll(async () => (await readLines()).length).toBeGreaterThan(0);
  const lines = await readLines();
  const active = await card.locator("a, img, iframe, script, button").count();
  await rig.lab.adapter.edit(THREAD, post, { kind: "reply", text: "gone", isFinal: true });
  return { lines, active };
}

describe.each(Object.entries(CARD_PARTS))("%s on an approval card of the page", (_, part) => {
  it("adds no line, link or button of its own", async () => {
    const plain = await shownCard(part("plain words"));
    for (const text of HOSTILE_WORDS) {
      const { lines, active } = await shownCard(part(text));
      expect({ text, lines: lines.length, active }).toEqual({
        text,
        lines: plain.lines.length,
        active: plain.active,
      });
    }
  }, 120_000);
});
