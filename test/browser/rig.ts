import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { WebHooks } from "../../adapters/web/hooks.ts";
import { buildPage } from "../../adapters/web/page.ts";
import { WebLab } from "../support/web-lab.ts";
import { ScriptedCore } from "./scripted-core.ts";

/** On a busy machine a page takes its time, and only a fault takes this long. */
const PATIENCE_MS = 120_000;
const SCREENSHOTS = "data/screenshots";

const COMMANDS = [
  { name: "help", usage: "help", summary: "The commands that people use most" },
  { name: "status", usage: "status", summary: "What runs, and what waits" },
  { name: "stop", usage: "stop", summary: "Stop what runs" },
  { name: "terminal", usage: "terminal [tail|history]", summary: "Read the terminal" },
  { name: "todos", usage: "todos", summary: "Show the todos" },
  { name: "undo", usage: "undo", summary: "Take the last turn back, after a look at the diff" },
];

/** The machine's own browser; `scripts/setup` installs it. */
export const CHROMIUM = {
  executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
  args: ["--disable-dev-shm-usage", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
};

/** A browser of the caller's own, for what measures it. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch(CHROMIUM);
}

let page: ReturnType<typeof buildPage> | undefined;

/** The same for all tests of a file: bundling it takes longer than most of them. */
export function pageOnce(): ReturnType<typeof buildPage> {
  page ??= buildPage();
  return page;
}

/** The web chat with a scripted core behind it and a real browser before it. */
export class Rig implements AsyncDisposable {
  readonly lab: WebLab;
  readonly core: ScriptedCore;
  readonly browser: Browser;
  readonly #contexts: BrowserContext[] = [];
  /** What the browser complained about: refused by the policy, thrown by a script, asked of another server. */
  readonly complaints: string[] = [];

  private constructor(lab: WebLab, core: ScriptedCore, browser: Browser) {
    this.lab = lab;
    this.core = core;
    this.browser = browser;
  }

  static async start(
    browser: Browser,
    options: { readonly hooks?: WebHooks; readonly env?: Readonly<Record<string, string>> } = {},
  ): Promise<Rig> {
    const status = () => "Direct mode: no model is set up";
    const core: ScriptedCore = new ScriptedCore(() => lab.adapter);
    const lab: WebLab = await WebLab.start({
      page: await pageOnce(),
      hooks: { commands: () => COMMANDS, status, ...options.hooks },
      receive: (incoming) => core.receive(incoming),
      ...(options.env && { env: options.env }),
    });
    return new Rig(lab, core, browser);
  }

  /** A new tab of a new visitor, already let in. */
  async open(options: OpenOptions = {}): Promise<Page> {
    const { width = 1280, height = 800, colorScheme = "light", token } = options;
    const context = await this.browser.newContext({
      viewport: { width, height },
      colorScheme,
      reducedMotion: "reduce",
      locale: "en-GB",
    });
    context.setDefaultTimeout(PATIENCE_MS);
    this.#contexts.push(context);
    const page = await this.tab(context);
    const address = new URL(this.lab.adapter.address);
    if (token) address.hash = `#token=${token}`;
    await page.goto(address.href);
    return page;
  }

  async tab(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    const { origin } = this.lab;
    page.on("console", (message) => {
      if (message.type() === "error") this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("request", (request) => {
      const isOurs = request.url().startsWith(origin) || /^(blob|data):/.test(request.url());
      if (!isOurs) this.complaints.push(`asked for ${request.url()}`);
    });
    return page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const context of this.#contexts) await context.close();
    await this.lab[Symbol.asyncDispose]();
  }
}

interface OpenOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: "light" | "dark";
  readonly token?: string;
}

export function composer(page: Page) {
  return page.getByRole("textbox", { name: "Message to Deckhand" });
}

export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press("Enter");
}

/** For eyes: what it looked like. Nothing depends on it. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}
