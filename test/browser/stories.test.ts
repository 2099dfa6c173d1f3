import { buffer } from "node:stream/consumers";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { until } from "../support/until.ts";
import { MATE_TOKEN } from "../support/web-lab.ts";
import { composer, keepScreenshot, Rig, say } from "./rig.ts";
import { connectBrowser } from "./shared-browser.ts";

let browser: Browser;
let rig: Rig;
beforeAll(async () => {
  browser = await connectBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  rig = await Rig.start(browser, { env: { WEB_PEOPLE: `mate:member:${MATE_TOKEN}` } });
});
afterEach(async () => {
  const { complaints } = rig;
  await rig[Symbol.asyncDispose]();
  expect(complaints).toEqual([]);
});

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const sees = (page: Page, text: string | RegExp) =>
  page.locator(".main").getByText(text).first().waitFor();

/** Keeps back what waits for the browser to paint, and the short timers that stand in for it, until RELEASE_PAINT. */
const HOLD_PAINT = `{
  const { requestAnimationFrame, setTimeout } = window;
  const held = [];
  window.requestAnimationFrame = (callback) => (held.push(callback), 0);
  window.setTimeout = (callback, ms, ...rest) =>
    ms > 20 && ms < 100 ? (held.push(callback), 0) : setTimeout(callback, ms, ...rest);
  window.releasePaint = () => {
    Object.assign(window, { requestAnimationFrame, setTimeout });
    for (const callback of held) callback();
  };
}`;
/** The timer ends after those that the released callbacks start. */
const RELEASE_PAINT = `new Promise((resolve) => {
  releasePaint();
  setTimeout(() => resolve(document.querySelector(".main").textContent), 50);
})`;

it("a mention moves the board, waits for an approval, is approved and tells the result", async () => {
  const page = await rig.open();
  await say(page, "clean up");
  await sees(page, "Remove the old build");
  await sees(page, "1/4 done");
  const card = page.getByRole("group", { name: /^Approval needed/ });
  await card.getByText("rm -rf build dist").first().waitFor();
  expect(await page.title()).toBe("(1) Deckhand");
  await keepScreenshot(page, "approval-light");

  await button(page, "Approve once").click();
  await sees(page, "All clean.");
  await sees(page, /Approved once by you/);
  await sees(page, "4/4 done");
  expect(await button(page, "Approve once").count()).toBe(0);
  expect(await page.title()).toBe("Deckhand");
  expect(await page.getByRole("progressbar").getAttribute("value")).toBe("4");
  await keepScreenshot(page, "result-light");
});

it("an approval can be denied with a reason, which then stands on the card", async () => {
  const page = await rig.open();
  await say(page, "clean up");
  await button(page, "Deny with reason").click();
  await page.getByRole("textbox", { name: "Why not?" }).fill("Not before the release");
  await page.getByRole("dialog").getByRole("button", { name: "Deny" }).click();
  await sees(page, "Not before the release");
  await sees(page, /Denied by you/);
  await sees(page, "I left the build as it is.");
  expect(rig.core.clicks.at(-1)).toMatchObject({
    action: "reason:a1",
    typed: "Not before the release",
  });
});

it("a high risk needs its phrase; a wrong one keeps the window and what was typed", async () => {
  const page = await rig.open({ colorScheme: "dark" });
  await say(page, "drop production");
  await button(page, "Approve once").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("delete production");
  await keepScreenshot(page, "phrase-dark");
  await dialog.getByRole("button", { name: "Approve" }).click();
  await dialog.getByText("The phrase does not match.").waitFor();
  expect(await dialog.getByRole("textbox").inputValue()).toBe("delete production");
  await dialog.getByRole("textbox").fill("delete production 7F3A");
  await dialog.getByRole("textbox").press("Enter");
  await sees(page, /Approved once by you/);
  expect(await dialog.count()).toBe(0);
});

it("undo shows the diff first, and does it after a click", async () => {
  const page = await rig.open();
  await say(page, "hello");
  await composer(page).fill("/un");
  await page.getByRole("option", { name: /undo/ }).waitFor();
  await composer(page).press("Tab");
  expect(await composer(page).inputValue()).toBe("/undo ");
  await composer(page).press("Enter");
  await sees(page, "-Remember the old door code.");
  await sees(page, "+Remember the new door code.");
  await keepScreenshot(page, "undo-light");
  await button(page, "Undo this").click();
  await sees(page, "Undone: 1 file.");
});

it("a question takes an option or an answer in one's own words", async () => {
  const page = await rig.open();
  await say(page, "ask me");
  await sees(page, "Which environment shall I use?");
  await sees(page, "Waiting for your response");
  await page.getByRole("textbox", { name: "Answer in your own words" }).fill("the third one");
  await button(page, "Answer").click();
  await sees(page, /Answered by Owner/);
  const other = await rig.open();
  await say(other, "ask me");
  await button(other, "staging").click();
  await sees(other, /Answered by Owner/);
});

it("15.24 a reply grows word by word and ends complete", async () => {
  const page = await rig.open();
  await say(page, "stream");
  await page.locator(".caret").waitFor();
  await page.locator(".caret").waitFor({ state: "detached" });
  await sees(page, /This comes word by word, as a model says it\./);
});

it("5.11 a click that the server could not keep leaves the buttons, and the next one works", async () => {
  const page = await rig.open();
  await say(page, "clean up");
  rig.core.failNextClick();
  await button(page, "Approve once").click();
  await page
    .getByRole("alert")
    .getByText(/Internal error/)
    .waitFor();
  await button(page, "Approve once").click();
  await sees(page, "All clean.");
  expect(rig.complaints.splice(0)).toEqual([expect.stringContaining("500")]);
});

it("somebody who may not approve is told so, alone", async () => {
  const page = await rig.open();
  await say(page, "clean up");
  await button(page, "Approve once").waitFor();
  const mate = await rig.open({ token: MATE_TOKEN });
  await mate.getByRole("link", { name: /clean up/ }).click();
  await button(mate, "Approve once").click();
  await sees(mate, "Only the owner may approve this.");
  expect(await page.getByText("Only the owner may approve this.").count()).toBe(0);
  expect(await button(page, "Approve once").count()).toBe(1);
});

it("reloaded in the middle, the page shows the same and goes on", async () => {
  const page = await rig.open();
  await say(page, "clean up");
  await button(page, "Approve once").waitFor();
  await composer(page).fill("half a thou");
  await page.reload();
  await button(page, "Approve once").waitFor();
  expect(await page.locator(".item").count()).toBe(4);
  expect(await composer(page).inputValue()).toBe("half a thou");
  expect(new URL(page.url()).hash).toMatch(/^#thread=web:/);
  await button(page, "Approve once").click();
  await sees(page, "All clean.");
});

it("two tabs see the same at once, whichever of them acts", async () => {
  const page = await rig.open();
  await say(page, "clean up");
  await button(page, "Approve once").waitFor();
  const other = await rig.tab(page.context());
  await other.goto(page.url());
  await button(other, "Approve once").click();
  await sees(page, "All clean.");
  await sees(other, "All clean.");
  const words = (tab: Page) => tab.locator(".items").textContent();
  expect(await words(page)).toBe(await words(other));
});

it("what is written while the server is away is kept and arrives once it is back", async () => {
  const page = await rig.open();
  await say(page, "hello");
  await sees(page, "You said: hello");
  await rig.lab.halt();
  await sees(page, /Reconnecting/);
  await say(page, "are you there?");
  await sees(page, "Sending…");
  await rig.lab.resume();
  await sees(page, "You said: are you there?");
  expect(await page.locator(".item.message").count()).toBe(2);
  rig.complaints.length = 0; // a browser complains of every attempt to connect
});

it("a file is dropped, sent, shared back and downloaded with its very bytes", async () => {
  const page = await rig.open();
  const bytes = Buffer.from("line one\nline two\n");
  await page
    .getByLabel("Attach files")
    .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: bytes });
  await page.getByText("notes.txt").waitFor();
  await say(page, "have a look");
  await sees(page, "Here it is.");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: /report\.txt/ }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("report.txt");
  expect(await buffer(await download.createReadStream())).toEqual(bytes);
});

it("text that was typed before a file was chosen in a new thread is sent with the file", async () => {
  const page = await rig.open();
  await composer(page).fill("have a look");
  const file = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("one\n") };
  await page.getByLabel("Attach files").setInputFiles(file);
  await page.getByText("notes.txt").waitFor();
  expect(await composer(page).inputValue()).toBe("have a look");
  await composer(page).press("Enter");
  await sees(page, "Here it is.");
  await sees(page, "have a look");
});

it("an answer that arrives before the browser has painted the thread is shown", async () => {
  const page = await rig.open();
  const frames: string[] = [];
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => frames.push(payload.toString())),
  );
  await page.reload();
  await composer(page).fill("hello");
  await page.evaluate(HOLD_PAINT);
  await page.keyboard.press("Enter");
  await until(() => frames.some((frame) => frame.includes("You said: hello")), "the answer");
  expect(await page.evaluate(RELEASE_PAINT)).toContain("You said: hello");
});

it("without a good token the page says what to do, and asks no more", async () => {
  const page = await rig.open({ token: "not-a-token-at-all-0123" });
  await page.getByRole("heading", { name: "Sign in to Deckhand" }).waitFor();
  await keepScreenshot(page, "not-let-in");
});

it("on a phone everything is within reach: nothing is wider than the screen", async () => {
  const phone = await rig.open({ width: 390, height: 844 });
  await keepScreenshot(phone, "phone-welcome");
  await say(phone, "clean up");
  await button(phone, "Approve once").waitFor();
  const widest = () => phone.evaluate("document.documentElement.scrollWidth");
  expect(await widest()).toBeLessThanOrEqual(390);
  await keepScreenshot(phone, "phone-approval");
  await phone.getByRole("button", { name: /^Threads/ }).click();
  await phone.getByRole("link", { name: /clean up/ }).waitFor();
  await keepScreenshot(phone, "phone-threads");
  await phone.keyboard.press("Escape");
  await button(phone, "Todos").click();
  await phone.getByRole("complementary", { name: "Todos" }).waitFor();
  expect(await widest()).toBeLessThanOrEqual(390);
  await keepScreenshot(phone, "phone-todos");
});
