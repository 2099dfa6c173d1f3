import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { MATE_TOKEN, THREAD } from "../support/web-lab.ts";
import { reply } from "../support/web-views.ts";
import { keepScreenshot, Rig, say } from "./rig.ts";
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

const own = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).first();

async function longThread(): Promise<void> {
  await rig.lab.thread();
  for (let turn = 0; turn < 130; turn += 1) {
    await rig.lab.adapter.post(
      THREAD,
      reply(`Answer ${turn}.\n\n${"words ".repeat(60)}`),
      `${turn}`,
    );
  }
}

async function isInSight(page: Page, text: string): Promise<boolean> {
  const box = await page.getByText(text, { exact: true }).boundingBox();
  return box !== null && box.y > 50 && box.y < 750;
}

it("a link leads to its message, however far back, and marks it", async () => {
  await longThread();
  const far = await rig.lab.adapter.post(THREAD, reply("Answer 7.\n\nfar back"), "7");
  const link = (await rig.lab.adapter.link(THREAD, far)) ?? "";
  const page = await rig.open();
  await page.goto(link);
  await page.locator(".item.marked").getByText("far back").waitFor();
  await expect.poll(() => isInSight(page, "far back")).toBe(true);
  await keepScreenshot(page, "link-light");
  const { hash } = new URL(page.url());
  expect(hash).toBe(`#thread=${THREAD}&post=${far}`);
  await rig.lab.adapter.post(THREAD, reply("Something new."), "new");
  await page.locator(".items").getByText("Something new.").waitFor({ state: "attached" });
  expect(await isInSight(page, "far back")).toBe(true);
});

it("the link of a message is copied from under it, and leads back to it", async () => {
  const page = await rig.open();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await say(page, "first words");
  await page.getByText("You said: first words").first().waitFor();
  await page.locator(".item.message").hover();
  await page.getByRole("button", { name: "Copy a link to this" }).first().click();
  await page.getByRole("button", { name: "Link copied" }).waitFor();
  const link = String(await page.evaluate("navigator.clipboard.readText()"));
  const other = await rig.tab(page.context());
  await other.goto(link);
  await other.locator(".item.marked").getByText("first words").waitFor();
  await other.goBack();
});

it("a link to what is gone says so, and shows the thread all the same", async () => {
  const page = await rig.open();
  await say(page, "hello");
  await page.getByText("You said: hello").first().waitFor();
  const other = await rig.tab(page.context());
  await other.goto(`${page.url()}&post=p0123`);
  await other.getByRole("alert").getByText("no longer exists").waitFor();
  await other.locator(".items").getByText("You said: hello").waitFor();
});

it("one's own message can be edited, which the bot is told and everybody sees", async () => {
  const page = await rig.open();
  await say(page, "helo");
  await page.getByText("You said: helo").first().waitFor();
  await page.locator(".item.message").hover();
  await own(page, "Edit this message").click();
  const field = page.getByRole("textbox", { name: "Your message" });
  expect(await field.inputValue()).toBe("helo");
  await field.fill("hello");
  await keepScreenshot(page, "edit-light");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".item.message").getByText("hello", { exact: true }).waitFor();
  await page.locator(".item.message").getByText("edited").waitFor();
  expect(rig.lab.incoming.at(-1)).toMatchObject({ type: "edit", text: "hello" });
  const mate = await rig.open({ token: MATE_TOKEN });
  await mate.getByRole("link", { name: /helo/ }).click();
  await mate.locator(".item.message").getByText("hello", { exact: true }).waitFor();
  expect(await mate.getByRole("button", { name: "Edit this message" }).count()).toBe(0);
  expect(await mate.getByRole("button", { name: "Delete this message" }).count()).toBe(0);
});

it("it can be deleted, after a second thought, and the bot is told", async () => {
  const page = await rig.open();
  await say(page, "forget this");
  await page.getByText("You said: forget this").first().waitFor();
  await page.locator(".item.message").hover();
  await own(page, "Delete this message").click();
  await own(page, "Keep").click();
  expect(await page.locator(".item.message").count()).toBe(1);
  await own(page, "Delete this message").click();
  await own(page, "Delete").click();
  await expect.poll(() => page.locator(".item.message").count()).toBe(0);
  expect(rig.lab.incoming.at(-1)).toMatchObject({ type: "deletion" });
});
