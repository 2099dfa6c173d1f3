import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LAYOUT_BOMBS } from "../data/layout-bombs.ts";
import { THREAD } from "../support/web-lab.ts";
import { reply } from "../support/web-views.ts";
import { launchBrowser, Rig } from "./rig.ts";

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
    for (const [name, text] of Object.entries(LAYOUT_BOMBS)) {
      // A busy machine makes a page slower, never faster: what is too slow once gets two more tries.
      for (let attempt = 0; attempt < 3 && (costs[name] ?? Infinity) > most; attempt += 1) {
        const key = `${name} ${attempt}`;
        costs[name] = await measured(page, async () => {
          await rig.lab.adapter.post(THREAD, reply(text), key);
          await shown(page, key);
        });
        const post = await rig.lab.adapter.post(THREAD, reply(text), key);
        await rig.lab.adapter.edit(THREAD, post, reply("gone"));
      }
    }
    const frozen = Object.entries(costs).filter(([, ms]) => ms > most);
    expect({ most, frozen }).toEqual({ most, frozen: [] });
  }, 240_000);
});
