import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { approvalView } from "../support/web-views.ts";
import { panelHooks } from "./panel-hooks.ts";
import { keepScreenshot, Rig, say } from "./rig.ts";
import { connectBrowser } from "./shared-browser.ts";

let browser: Browser;
let rig: Rig;
let page: Page;
let sizes: { rows: number; cols: number }[];
beforeAll(async () => {
  browser = await connectBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  sizes = [];
  rig = await Rig.start(browser, { hooks: panelHooks({ sizes }) });
  page = await rig.open({ width: 1440, height: 900 });
  await say(page, "hello");
  await page.getByText("You said: hello").first().waitFor();
  await page.getByRole("button", { name: "Terminal", exact: true }).click();
  await page.locator(".xterm-rows").getByText("42 tests passed").first().waitFor();
});
afterEach(async () => {
  const { complaints } = rig;
  await rig[Symbol.asyncDispose]();
  expect(complaints).toEqual([]);
});

const line = () => page.getByRole("textbox", { name: "Line for the terminal" });
const commands = () =>
  rig.lab.incoming.flatMap((incoming) => (incoming.type === "command" ? [incoming.text] : []));

it("15.7 a line reaches the thread's terminal as the words that type it, and by no other way", async () => {
  await line().fill("npm test");
  await keepScreenshot(page, "terminal-line-light");
  await line().press("Enter");
  await expect.poll(commands).toEqual(["terminal send npm test"]);
  await expect.poll(() => line().inputValue()).toBe("");
  await line().fill("one");
  await line().press("Shift+Enter");
  await line().pressSequentially("two");
  await page.getByRole("button", { name: "Send the line" }).click();
  await expect.poll(commands).toEqual(["terminal send npm test", "terminal send one\ntwo"]);
});

it("an interrupt has a button, and its keys work on the line", async () => {
  await page.getByRole("button", { name: "Ctrl-C" }).click();
  await expect.poll(commands).toHaveLength(1);
  await page.locator(".screen").click();
  await page.keyboard.press("Control+c");
  await expect.poll(commands).toEqual(Array(2).fill("terminal send \u0003"));
});

it("a click on the screen leads to the line; the arrows bring back what was sent", async () => {
  await page.locator(".screen").click();
  await page.keyboard.type("ls -l");
  expect(await line().inputValue()).toBe("ls -l");
  await page.keyboard.press("Enter");
  await expect.poll(commands).toEqual(["terminal send ls -l"]);
  await line().press("ArrowUp");
  expect(await line().inputValue()).toBe("ls -l");
  await line().press("ArrowDown");
  expect(await line().inputValue()).toBe("");
});

it("a line that has to be approved says so where it was typed, and leads to the card", async () => {
  const thread = rig.lab.incoming[0]?.thread ?? "";
  await rig.lab.adapter.post(thread, approvalView({ command: "sudo reboot" }), "card");
  await page.getByText("Waits for an approval:").waitFor();
  await keepScreenshot(page, "terminal-waits-light");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.locator(".item.marked").getByText("sudo reboot").waitFor();
});

it("a refusal that comes afterwards is told beside the line, too", async () => {
  const thread = rig.lab.incoming[0]?.thread ?? "";
  const text = "No terminal is open in this thread.";
  await rig.lab.adapter.whisper(thread, "owner", { kind: "notice", level: "warning", text });
  await page.locator(".terminal-told").getByText(text).waitFor();
});

it("6.8 looking at a terminal leaves its size alone; Fit makes it as large as its place", async () => {
  await page.setViewportSize({ width: 1600, height: 900 });
  // Two frames: the page has laid itself out anew, and seen that.
  await page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
  );
  await page.getByText("80 × 24").waitFor();
  expect(sizes).toEqual([]);
  await page.getByRole("button", { name: "Fit" }).click();
  await expect.poll(() => sizes).toHaveLength(1);
  const [size = { rows: 0, cols: 0 }] = sizes;
  expect(size.rows).toBeGreaterThan(24);
  await page.getByText(`${size.cols} × ${size.rows}`).waitFor();
  expect(sizes).toHaveLength(1);
});
