import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { obeyCommands } from "../support/policy.ts";
import { type WebActor, WebBot } from "../support/web-bot.ts";
import { keepScreenshot, pageOnce, say } from "./rig.ts";
import { connectBrowser } from "./shared-browser.ts";

let browser: Browser;
let bot: WebBot;
beforeAll(async () => {
  browser = await connectBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  bot = await WebBot.start({ page: await pageOnce() });
  obeyCommands(bot.model);
});
afterEach(() => bot[Symbol.asyncDispose]());

async function open(actor: WebActor, path = ""): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: "en-GB",
  });
  const page = await context.newPage();
  await page.goto(bot.addressOf(actor) + path);
  return page;
}

const approve = (page: Page) => page.getByRole("button", { name: "Approve once" });

it("a member is refused a phrase call before a dialog opens; the owner approves it by its phrase", async () => {
  const ada = await open("ada");
  await say(ada, "please run `sudo rm -rf /opt/old`");
  await ada.getByText("Waiting for Owner.").waitFor();
  const card = ada.getByRole("group", { name: /^Approval needed/ });
  expect(await card.innerText()).not.toMatch(/web:|\d{4}-\d\d-\d\dT/);
  await approve(ada).click();
  await ada.getByText("You cannot approve this. It can be approved by Owner.").waitFor();
  expect(await ada.getByRole("dialog").count()).toBe(0);
  await keepScreenshot(ada, "approver-refused");

  const owner = await open("owner");
  await owner
    .getByRole("link", { name: /sudo rm/ })
    .or(owner.getByRole("button", { name: /sudo rm/ }))
    .first()
    .click();
  await approve(owner).click();
  const dialog = owner.getByRole("dialog");
  await dialog.waitFor();
  expect(await dialog.locator("pre").allInnerTexts()).toEqual([
    "sudo rm -rf /opt/old",
    "delete /opt/old",
  ]);
  await keepScreenshot(owner, "approver-dialog");
  await dialog.getByRole("textbox").fill("  delete /opt/old ");
  await dialog.getByRole("button", { name: "Approve" }).click();
  await owner.getByText(/Approved once by (you|ada|owner)/i).waitFor();
  await keepScreenshot(owner, "approver-approved");
});

it("a member approves their own click call", async () => {
  const ada = await open("ada");
  await say(ada, "please run `sudo id`");
  await ada.getByText("Waiting for ada or Owner.").waitFor();
  await keepScreenshot(ada, "approver-click");
  await approve(ada).click();
  await ada.getByText(/Approved once by (you|ada|owner)/i).waitFor();
});
