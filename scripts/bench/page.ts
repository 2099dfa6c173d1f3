import type { Page as Tab } from "playwright-core";
import { buildPage } from "../../adapters/web/page.ts";
import { launchBrowser } from "../../test/browser/rig.ts";
import { THREAD, WebLab } from "../../test/support/web-lab.ts";
import { reply } from "../../test/support/web-views.ts";
import { rounded, timed } from "./figures.ts";

const MESSAGES = 1_000;
const UPDATES = 200;
const UPDATE_EVERY_MS = 20;
/** Longer than this, and people feel that the page does not answer. */
const WORST_MS = 200;

const TEXT =
  "Some **words** with `code`, a [link](https://example.org/a) and a list:\n\n- one\n- two\n\n" +
  "```js\nconst answer = 42;\nconsole.log(answer);\n```\n";

/** A thread of 1,000 messages: read back to its beginning, then watched while its last answer grows. */
export async function benchPage() {
  const browser = await launchBrowser();
  const lab = await WebLab.start({ page: await buildPage() });
  try {
    await fill(lab);
    const tab = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await tab.addInitScript(watchLongTasks);
    const openMs = await timed(async () => {
      await tab.goto(
        `${lab.origin}/#thread=${THREAD}&token=${new URL(lab.adapter.address).hash.slice(7)}`,
      );
      await tab.locator(".item").nth(20).waitFor({ state: "attached" });
    });
    const opening = await longTasks(tab);
    const scrollMs = await timed(() => scrollToBeginning(tab));
    const scrolling = await longTasks(tab);
    await streamAnswer(lab, tab);
    const updating = await longTasks(tab);
    const all = [...opening, ...scrolling, ...updating];
    const worst = Math.max(0, ...all);
    return {
      longTasks: all.length,
      worstMs: rounded(worst),
      openingLongTasks: opening.length,
      scrollingLongTasks: scrolling.length,
      updatingLongTasks: updating.length,
      openMs: rounded(openMs),
      scrollMs: rounded(scrollMs),
      messages: MESSAGES,
      ok: worst <= WORST_MS,
    };
  } finally {
    await browser.close();
    await lab[Symbol.asyncDispose]();
  }
}

async function fill(lab: WebLab): Promise<void> {
  await lab.thread();
  for (let turn = 0; turn < MESSAGES / 2; turn += 1) {
    await lab.say(`Message ${turn}: what about this?`);
    await lab.adapter.post(THREAD, reply(`Answer ${turn}. ${TEXT}`), `answer ${turn}`);
  }
}

async function scrollToBeginning(tab: Tab): Promise<void> {
  await tab.locator(".scroller").hover();
  for (let turns = 0; turns < 2_000; turns += 1) {
    if ((await tab.locator(".item").count()) >= MESSAGES) return;
    await tab.mouse.wheel(0, -5_000);
    await tab.waitForTimeout(16);
  }
  throw new Error("The beginning of the thread never came into sight.");
}

/** With the whole thread on the page. */
async function streamAnswer(lab: WebLab, tab: Tab): Promise<void> {
  const post = await lab.adapter.post(THREAD, reply("", false), "stream");
  for (let update = 1; update <= UPDATES; update += 1) {
    const isFinal = update === UPDATES;
    const text = isFinal ? "The end." : TEXT.repeat(1 + update / 20);
    await lab.adapter.edit(THREAD, post, reply(text, isFinal));
    await tab.waitForTimeout(UPDATE_EVERY_MS);
  }
  await tab.getByText("The end.").first().waitFor({ state: "attached" });
}

/** Runs in the page: what kept it busy for 50 ms and more. */
function watchLongTasks(): void {
  const page = globalThis as unknown as { longTasks: number[] };
  page.longTasks = [];
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) page.longTasks.push(duration);
  });
  observer.observe({ type: "longtask" as "measure" }); // browsers know more kinds than Node
}

/** Since one last asked. */
function longTasks(tab: Tab): Promise<number[]> {
  return tab.evaluate("globalThis.longTasks.splice(0)");
}
