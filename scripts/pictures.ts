/**
 * Takes the pictures of the README: the real bot with a scripted model and a real workspace, its web chat in headless Chromium.
 *
 *   npm run pictures
 */
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { createApp } from "../src/app.ts";
import { composer, launchBrowser, say as write } from "../test/browser/rig.ts";
import { call, calls, say } from "../test/support/model-server/replies.ts";
import { startModelServer } from "../test/support/model-server.ts";

const FOLDER = join(import.meta.dirname, "../docs/pictures");
const MOST_BYTES = 300_000;

const REQUEST =
  "The releases of the shop fill the disk. Keep the two newest ones, and add a log rotation.";

const ROTATION = "/srv/shop/logs/*.log {\n  daily\n  rotate 14\n  compress\n  missingok\n}\n";

const todo = (id: number, title: string, status: string) => ({
  id,
  title,
  description: title,
  status,
});
const terminal = (command: string, explanation: string) =>
  ["terminal_operations", { operation: "run_command", command, explanation }] as const;
const todos = (...statuses: readonly string[]) =>
  [
    "todo_operations",
    {
      operation: "write",
      todoList: ["See what takes the space", "Remove old releases", "Install the log rotation"].map(
        (title, index) => todo(index + 1, title, statuses[index] ?? "not-started"),
      ),
    },
  ] as const;

const SCRIPT = [
  calls([
    todos("in-progress"),
    terminal("du -sh releases/* | sort -k2", "Find out what takes the space."),
  ]),
  calls([
    todos("completed", "in-progress"),
    terminal("rm -rf releases/2026-11-0* && du -sh releases", "Keep the two newest."),
  ]),
  calls([
    todos("completed", "completed", "in-progress"),
    terminal(
      "sudo install -m 644 shop.logrotate /etc/logrotate.d/shop",
      "Log rotation is read from /etc, which only root can write.",
    ),
  ]),
  call("todo_operations", {
    operation: "write",
    todoList: ["See what takes the space", "Remove old releases", "Install the log rotation"].map(
      (title, index) => todo(index + 1, title, "completed"),
    ),
  }),
  say(
    "Done. `releases` went from 61 MB to 25 MB; the two newest releases are kept. Logs rotate daily and are kept for 14 days. " +
      "`undo` brings the removed releases back.",
  ),
];

/** Not in the picture: what the thread's workspace holds before. */
const BEFORE =
  "$ mkdir -p releases && for day in 02 05 09 12 16; do head -c 12M /dev/urandom > releases/2026-11-$day.tar; done; " +
  `printf '%s' '${ROTATION}' > shop.logrotate`;

const directory = mkdtempSync(join(tmpdir(), "deckhand-pictures-"));
try {
  await using model = await startModelServer();
  model.script(SCRIPT, { when: REQUEST });
  const env = { ...model.env, DECKHAND_DATA_DIR: directory, WEB_PORT: "0", WORKSPACE_POOL: "0" };
  await using app = await createApp({ env, write: (line) => process.stderr.write(line) });
  if (!app.web) throw new Error("The web chat is off.");
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 900, height: 1180 }, locale: "en-GB" });
    await page.goto(app.web.address);
    await write(page, BEFORE);
    await page.getByText("exit code 0").or(page.getByText("Done")).first().waitFor();
    await rename(page, "Shop releases fill the disk");
    await write(page, REQUEST);
    await page.getByRole("button", { name: "Approve once", exact: true }).waitFor();
    // Edits come a moment later than the card: the picture shows the thread at rest.
    await page.getByText("2/3 done").waitFor();
    await page.getByText("waiting for your response").first().waitFor();
    await take(page, "thread");
    await page.getByRole("button", { name: "Approve once", exact: true }).click();
    await page.getByText("brings the removed releases back").first().waitFor();
    await page.getByText("waiting for your response").first().waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Stop" }).first().waitFor({ state: "detached" });
    await take(page, "result");
    await write(page, "reset confirm");
    await page.getByText("was removed").first().waitFor();
  } finally {
    await browser.close();
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function rename(page: Page, title: string): Promise<void> {
  await page.getByRole("button", { name: "Rename this thread" }).click();
  await page.getByRole("textbox", { name: "Title" }).fill(title);
  await page.getByRole("button", { name: "Rename", exact: true }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
}

async function take(page: Page, name: string): Promise<void> {
  await composer(page).blur();
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, `${name}.png`);
  await page.screenshot({ path });
  const { size } = statSync(path);
  if (size > MOST_BYTES)
    throw new Error(`${path} has ${size} bytes; the README's pictures have at most ${MOST_BYTES}.`);
  process.stdout.write(`${path}: ${size} bytes\n`);
}
