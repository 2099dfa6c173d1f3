import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOSTILE, viewsWith } from "../contracts/adapter/views.ts";
import { shareOf } from "../support/thorough.ts";
import { panelHooks } from "./panel-hooks.ts";
import { composer, keepScreenshot, Rig, say } from "./rig.ts";
import { connectBrowser } from "./shared-browser.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await connectBrowser();
});
afterAll(() => browser.close());

/** What axe finds, each with the element that it finds fault with. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate("axe.run()");
  const { violations: all } = found as { violations: { id: string; nodes: { html: string }[] }[] };
  return all.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

/** What each panel shows once it has got its content. */
const PANELS: Readonly<Record<string, string>> = {
  Todos: "some words",
  Terminal: "42 tests passed",
  Files: "notes.md",
  History: "Approved once",
  Settings: "How many steps a turn may take.",
};

async function openPanel(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).first().click();
  const panel = page.getByRole("complementary", { name });
  await panel
    .getByText(PANELS[name] ?? "")
    .first()
    .waitFor();
}

describe.each(["light", "dark"] as const)("in %s colours", (colorScheme) => {
  const index = colorScheme === "light" ? 0 : 1;
  const panels = shareOf(Object.keys(PANELS), { index, step: 2 });

  it("axe finds nothing wrong, with everything on the page", async () => {
    await using rig = await Rig.start(browser, { hooks: panelHooks() });
    const page = await rig.open({ colorScheme, width: 1440, height: 900 });
    expect(await violations(page)).toEqual([]);
    await say(page, "clean up");
    await page.getByRole("button", { name: "Approve once", exact: true }).waitFor();
    const thread = rig.lab.incoming[0]?.thread ?? "";
    for (const [kind, view] of Object.entries(viewsWith("some words")))
      await rig.lab.adapter.post(thread, view, kind);
    await page.getByText("Choose some words").first().waitFor();
    expect(await violations(page)).toEqual([]);
    for (const panel of panels) {
      await openPanel(page, panel);
      await keepScreenshot(page, `panel-${panel.toLowerCase()}-${colorScheme}`);
      expect(await violations(page), panel).toEqual([]);
    }
    await composer(page).fill("/");
    await page.getByRole("listbox").waitFor();
    expect(await violations(page)).toEqual([]);
    await composer(page).fill("");
    await page.getByRole("button", { name: "Deny with reason" }).click();
    expect(await violations(page)).toEqual([]);
    expect(rig.complaints).toEqual([]);
  });
});

it("by keyboard alone: ask, approve, deny in a window, read the terminal and come back", async () => {
  await using rig = await Rig.start(browser, { hooks: panelHooks() });
  const page = await rig.open();
  const press = (key: string) => page.keyboard.press(key);
  await page.getByRole("heading", { name: "What should Deckhand do?" }).waitFor();
  await page.keyboard.type("clean up");
  await press("Enter");
  await page.getByRole("button", { name: "Deny with reason" }).waitFor();
  await tabTo(page, "Deny with reason", "Shift+Tab");
  await press("Enter");
  await page.getByRole("dialog").waitFor();
  expect(await focused(page)).toContain("textarea");
  await press("Escape");
  expect(await focused(page)).toContain("Deny with reason");
  await tabTo(page, "Approve once", "Shift+Tab");
  await press("Enter");
  await page.getByText("All clean.").first().waitFor();
  await tabTo(page, "Terminal", "Shift+Tab");
  await press("Enter");
  await page.getByRole("button", { name: "Ctrl-C" }).waitFor();
  await tabTo(page, "Ctrl-C", "Tab");
  await press("Escape");
  expect(await focused(page)).toContain("composer");
});

it("a reader is told of answers and approvals, once each", async () => {
  await using rig = await Rig.start(browser);
  const page = await rig.open();
  await say(page, "hello");
  const said = page.getByRole("status").filter({ hasText: "Deckhand: You said: hello" });
  await said.waitFor({ state: "attached" });
  await say(page, "clean up");
  const asks = page.getByRole("status").filter({ hasText: "Approval needed" });
  await asks.waitFor({ state: "attached" });
});

it("the live terminal shows a program's output as it comes, colours and all, and cannot be made to type", async () => {
  await using rig = await Rig.start(browser, { hooks: panelHooks() });
  const page = await rig.open({ width: 1440, height: 900 });
  await say(page, "hello");
  await page.getByText("You said: hello").first().waitFor();
  await page.getByRole("button", { name: "Terminal", exact: true }).click();
  const screen = page.locator(".xterm-rows");
  await screen.getByText("42 tests passed").first().waitFor();
  const green = screen.locator("span", { hasText: "PASS" }).first();
  expect(await green.evaluate(colorOf)).toBe("rgb(10, 200, 30)");
  // What the terminal would have typed by itself arrives before this.
  await say(page, "and now");
  await page.getByText("You said: and now").first().waitFor();
  expect(rig.lab.incoming.map(({ type }) => type)).toEqual(["message", "message"]);
  expect(rig.complaints).toEqual([]);
});

it("scripts and markup are inert in every field of every view, message, title and file", async () => {
  await using rig = await Rig.start(browser, {
    hooks: panelHooks({ word: HOSTILE["HTML and scripts"] ?? "" }),
  });
  const page = await rig.open({ width: 1440, height: 900 });
  page.on("dialog", (dialog) => {
    rig.complaints.push(`a script said ${dialog.message()}`);
    void dialog.dismiss();
  });
  await say(page, `${HOSTILE["HTML and scripts"]}`);
  await page.getByText("You said:").first().waitFor();
  const thread = rig.lab.incoming[0]?.thread ?? "";
  for (const [name, word] of Object.entries(HOSTILE)) {
    for (const [kind, view] of Object.entries(viewsWith(word)))
      await rig.lab.adapter.post(thread, view, `${name} ${kind}`);
    const bytes = new TextEncoder().encode(word);
    const file = { name: word, mimeType: "image/svg+xml", bytes, comment: word };
    await rig.lab.adapter.upload(thread, file, name);
  }
  for (const panel of ["Terminal", "Files", "History", "Settings"]) await openPanel(page, panel);
  await page.reload();
  await page.locator(".item").nth(40).waitFor({ state: "attached" });
  const active = ".item script, .item img, .item iframe, a[href^='javascript:'], [onerror]";
  expect(await page.locator(active).count()).toBe(0);
  expect(rig.complaints).toEqual([]);
});

async function tabTo(page: Page, name: string, key: string): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press(key);
    if ((await focused(page)).includes(name)) return;
  }
  throw new Error(`${name} cannot be reached by ${key}; the focus is at ${await focused(page)}`);
}

async function focused(page: Page): Promise<string> {
  return page.evaluate("document.activeElement.outerHTML");
}

/** Runs in the page. */
function colorOf(element: unknown): string {
  const page = globalThis as unknown as { getComputedStyle(of: unknown): { color: string } };
  return page.getComputedStyle(element).color;
}
