import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { THREAD } from "../support/web-lab.ts";
import { reply } from "../support/web-views.ts";
import { launchBrowser, Rig } from "./rig.ts";

const CHARS = 40_000;

let browser: Browser;
let rig: Rig;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  rig = await Rig.start(browser);
  await rig.lab.thread();
});
afterEach(() => rig[Symbol.asyncDispose]());

const fill = (unit: string) => unit.repeat(Math.ceil(CHARS / unit.length)).slice(0, CHARS);

/** Texts that cost far more to lay out than their length lets expect. */
const BOMBS: Readonly<Record<string, string>> = {
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

/** Processor time of the page's main thread, so that other work on this machine does not count. */
async function mainThreadMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000;
}

async function measured(page: Page, work: () => Promise<unknown>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await mainThreadMs(session);
  await work();
  return (await mainThreadMs(session)) - before;
}

async function shown(page: Page, key: string): Promise<void> {
  await rig.lab.adapter.post(THREAD, reply(`after ${key}`), `after ${key}`);
  await page.locator(".items").getByText(`after ${key}`, { exact: true }).waitFor();
  await page.evaluate("document.body.offsetHeight");
}

/** What a page that shows 32,000 combining marks as they are has to do: the control. */
async function carelessCost(): Promise<number> {
  const page = await browser.newPage();
  const cost = await measured(page, async () => {
    await page.setContent(`<p>a${"\u0301".repeat(32_000)}</p>`);
    await page.evaluate("document.body.offsetHeight");
  });
  await page.close();
  return cost;
}

describe("texts that are made to freeze the page", () => {
  it("cost less than half of what combining marks cost a page that shows them as they are", async () => {
    const most = (await carelessCost()) / 2;
    const page = await rig.open();
    await page.goto(`${rig.lab.origin}/#thread=${THREAD}`);
    await shown(page, "start");
    const costs: Record<string, number> = {};
    for (const [name, text] of Object.entries(BOMBS)) {
      costs[name] = await measured(page, async () => {
        await rig.lab.adapter.post(THREAD, reply(text), name);
        await shown(page, name);
      });
      await rig.lab.adapter.post(THREAD, reply("gone"), name);
      await rig.lab.adapter.edit(
        THREAD,
        await rig.lab.adapter.post(THREAD, reply(text), name),
        reply("gone"),
      );
    }
    const frozen = Object.entries(costs).filter(([, ms]) => ms > most);
    expect({ most, frozen }).toEqual({ most, frozen: [] });
  }, 240_000);
});
