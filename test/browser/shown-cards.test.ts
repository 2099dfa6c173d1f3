import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { WebHooks } from "../../adapters/web/hooks.ts";
import { alreadyText } from "../../src/contract/approval-text.ts";
import type { View } from "../../src/contract/platform/view.ts";
import { localTime, localTimeAgo } from "../../src/lib/text/times.ts";
import { THREAD } from "../support/web-lab.ts";
import { approvalView } from "../support/web-views.ts";
import { panelHooks } from "./panel-hooks.ts";
import { keepScreenshot, launchBrowser, Rig } from "./rig.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const notice = (text: string): View => ({ kind: "notice", level: "info", text });
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

async function withRig(hooks: WebHooks, work: (rig: Rig) => Promise<void>): Promise<void> {
  await using rig = await Rig.start(browser, { hooks });
  await rig.lab.thread();
  await work(rig);
  expect(rig.complaints).toEqual([]);
}

const goTo = (page: Page, rig: Rig) =>
  page.goto(`${new URL(rig.lab.adapter.address).origin}/#thread=${THREAD}`);

it("a notice shows times in the browser's own way, and nothing else looks like one", async () => {
  await withRig({}, async (rig) => {
    const at = minutesAgo(5);
    const decision = { choice: "timed" as const, by: ["x"], names: ["Ada"], at, until: at };
    const forged = "\uFDD01 1763294400 ago FORGED\uFDD1 \uFDD0";
    const lines = [
      `**Turn**: none; the last one finished ${localTimeAgo(at, new Date())}`,
      `- \`git push\` until ${localTime(at)}, approved by Ada ${forged}`,
    ];
    await rig.lab.adapter.post(THREAD, notice(lines.join("\n")), "1");
    await rig.lab.adapter.post(THREAD, notice(alreadyText(decision, new Date())), "2");
    const page = await rig.open({ width: 390, height: 800, colorScheme: "dark" });
    await goTo(page, rig);
    await page.locator(".notice time").first().waitFor();
    expect(await page.locator(".notice time").allInnerTexts()).toEqual([
      expect.stringMatching(/^[56] minutes ago$/),
      expect.stringMatching(/^\d\d:\d\d$/),
      expect.stringMatching(/^\d\d:\d\d$/),
      expect.stringMatching(/^[56] minutes ago$/),
    ]);
    expect(await page.locator(".notice time").first().getAttribute("datetime")).toBe(
      `${at.slice(0, 19)}.000Z`,
    );
    await keepScreenshot(page, "times-phone-dark");
  });
});

it("a command's card says how it ended once", async () => {
  await withRig({}, async (rig) => {
    for (const [key, title] of [
      ["1", "✅ $ ls (exit code 0, 0.1 s)"],
      ["2", "❌ $ npm test (exit code 1, 12 s)"],
      ["3", "Terminal (asleep), lines 1-2 of 2"],
    ] as const) {
      const view: View = { kind: "terminal", title, text: "a\nb", hiddenLines: 0, buttons: [] };
      await rig.lab.adapter.post(THREAD, view, key);
    }
    const page = await rig.open({ width: 390, height: 800, colorScheme: "dark" });
    await goTo(page, rig);
    await page.locator(".terminal-excerpt h3").nth(2).waitFor();
    expect(await page.locator(".terminal-excerpt h3").allInnerTexts()).toEqual([
      "$ ls (exit code 0, 0.1 s)",
      "$ npm test (exit code 1, 12 s)",
      "Terminal (asleep), lines 1-2 of 2",
    ]);
    await keepScreenshot(page, "commands-phone-dark");
  });
});

it("the terminal of a workspace that sleeps is shown as it was, with nothing to type into", async () => {
  const terminal: WebHooks["terminal"] = {
    list: async ({ thread }) => [
      { id: thread, title: "/workspace", state: "asleep", rows: 24, cols: 80 },
    ],
    follow: async (_asker, _terminal, { onOutput }) =>
      onOutput({ fromIndex: 0, text: "agent$ npm test\r\n42 tests passed\r\n", ended: true }),
  };
  await withRig({ ...panelHooks(), terminal }, async (rig) => {
    await rig.lab.adapter.post(THREAD, notice("Hello."), "1");
    const page = await rig.open({ width: 390, height: 800, colorScheme: "dark" });
    await goTo(page, rig);
    await page.getByRole("button", { name: "Terminal", exact: true }).click();
    await page.locator(".xterm-rows").getByText("42 tests passed").first().waitFor();
    await page.getByText("The workspace is asleep.").waitFor();
    expect(await page.getByRole("button", { name: "Fit" }).count()).toBe(0);
    expect(await page.getByRole("textbox", { name: "Line for the terminal" }).count()).toBe(0);
    await keepScreenshot(page, "asleep-phone-dark");
    await page.getByRole("button", { name: "Close", exact: false }).first().click();
    await page.getByRole("button", { name: "History", exact: true }).click();
    await page.locator(".timeline li").first().waitFor();
    await keepScreenshot(page, "history-phone-dark");
  });
});

it("the files of a workspace that sleeps are seen once it was woken", async () => {
  let isAsleep = true;
  const entries = [{ name: "notes.md", path: "notes.md", isDirectory: false, bytes: 1_234 }];
  const files: WebHooks["files"] = {
    list: async () => ({ isAsleep, entries: isAsleep ? [] : entries }),
    wake: async () => {
      isAsleep = false;
    },
    download: async () => ({ name: "notes.md", bytes: new Uint8Array([65]) }),
  };
  await withRig({ ...panelHooks(), files }, async (rig) => {
    await rig.lab.adapter.post(THREAD, notice("Hello."), "1");
    const page = await rig.open({ width: 390, height: 800, colorScheme: "dark" });
    await goTo(page, rig);
    await page.getByRole("button", { name: "Files", exact: true }).click();
    await page.getByText("The workspace is asleep. Wake it to see its files.").waitFor();
    await keepScreenshot(page, "files-asleep-phone-dark");
    expect(isAsleep).toBe(true);
    await page.getByRole("button", { name: "Wake it" }).click();
    await page.getByText("notes.md").waitFor();
  });
});

it("an approval card says its level once, with the reason", async () => {
  await withRig({}, async (rig) => {
    await rig.lab.adapter.post(THREAD, approvalView(), "1");
    const page = await rig.open({ width: 390, height: 800 });
    await goTo(page, rig);
    const card = page.locator(".approval");
    await card.waitFor();
    const lines = (await card.innerText()).split("\n").filter((line) => /click/i.test(line));
    expect(lines).toEqual([expect.stringMatching(/^Needs a click: /)]);
  });
});

it("an activity card repeats no call beside its lines, and folded still says that some failed", async () => {
  await withRig({}, async (rig) => {
    const line = (callId: string, title: string, status: "success" | "error" | "running") => ({
      ...{ callId, title, status, details: [] },
    });
    const lines = [line("a", "Looking", "success"), line("b", "Reading", "error")];
    const card = (status: "working" | "done", more: ReturnType<typeof line>[]): View => ({
      ...{ kind: "activity", status, lines: [...lines, ...more], buttons: [] },
    });
    const working = card("working", [line("c", "Building", "running")]);
    const post = await rig.lab.adapter.post(THREAD, working, "1");
    const page = await rig.open();
    await goTo(page, rig);
    const activity = page.locator(".activity");
    await activity.waitFor();
    expect((await activity.innerText()).match(/Building/g)).toHaveLength(1);
    await activity.locator("summary").click();
    expect(await activity.innerText()).toContain("Building");
    await rig.lab.adapter.edit(THREAD, post, card("done", []));
    await activity.getByText("2 calls, 1 failed").waitFor();
  });
});
