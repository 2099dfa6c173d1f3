import { randomBytes, randomUUID } from "node:crypto";
import { type Browser, errors, type Page as Tab } from "playwright-core";
import type { Page } from "../../adapters/web/page.ts";
import type { Item } from "../../adapters/web/protocol.ts";
import { encodeThread } from "../../adapters/web/thread.ts";
import { type Documents, StoreError } from "../../src/contract/store.ts";
import type {
  AdapterRig,
  Faults,
  People,
  Person,
  Said,
  VisiblePost,
} from "../contracts/adapter/rig.ts";
import { WebLab } from "../support/web-lab.ts";
import { reply } from "../support/web-views.ts";

const PATIENCE_MS = 120_000;
const LOOK_MS = 2_000;

const KINDS = {
  ada: "member",
  bob: "member",
  cleo: "member",
  gus: "guest",
  beep: "bot",
} as const;
const TOKENS = Object.fromEntries(
  ["owner", ...Object.keys(KINDS)].map((id) => [id, `token-of-${id}-${"0".repeat(16)}`]),
);

interface Done extends Said {
  readonly request: () => Promise<Response>;
  isAcknowledged: boolean;
}

/** People at the web chat: they speak by its own requests, and see what a browser shows of its page. */
export async function openWebRig(tabs: Tabs, page: Page): Promise<AdapterRig> {
  const store = new FaultyStore();
  const lab = await WebLab.start({
    page,
    env: { WEB_TOKEN: TOKENS.owner ?? "", WEB_PEOPLE: peopleSetting() },
    hooks: { commands: () => [{ name: "todos", usage: "todos", summary: "Show the todos" }] },
    wrapDocuments: (documents) => store.around(documents),
    isStartedByTest: true,
  });
  const watched = new Watched(tabs, lab);
  return {
    adapter: lab.adapter,
    people: webPeople(lab, watched, store),
    async [Symbol.asyncDispose]() {
      await watched.close();
      await lab[Symbol.asyncDispose]();
    },
  };
}

function webPeople(lab: WebLab, watched: Watched, store: FaultyStore): People {
  const said = new Map<string, Done>();
  const free = Object.entries(KINDS).map(([id, kind]): Person => ({ id, name: id, kind }));

  /** As a page does it: what the server cannot take while its store is away is sent again later. */
  const send = async (done: Done): Promise<Said> => {
    said.set(done.event, done);
    await store.isBack;
    done.isAcknowledged = (await done.request()).ok;
    return done;
  };
  const act = (person: Person, method: string, path: string, body: object, messageId = "") => {
    const id = randomUUID();
    const options = { token: TOKENS[person.id] ?? "none-at-all", body: { id, ...body } };
    const request = () => lab.request(method, path, options);
    return send({ event: id, messageId: messageId || `m${id}`, request, isAcknowledged: false });
  };
  const at = (thread: string) => `/api/threads/${thread}`;
  const direct = new Set<string>();
  const ownWords = async (thread: string, text: string): Promise<Said> => {
    const event = randomUUID();
    const messageId = await lab.adapter.post(thread, reply(text), event);
    return { event, messageId };
  };
  return {
    async newThread(kind) {
      const thread = encodeThread(randomBytes(12).toString("hex"));
      if (kind === "direct") direct.add(thread);
      await lab.request("PUT", at(thread), { token: TOKENS.owner ?? "", body: {} });
      return thread;
    },
    person({ kind = "member", isOutside = false } = {}) {
      if (isOutside) return { id: "stranger", name: "stranger", kind };
      if (kind === "owner") return { id: "owner", name: "Owner", kind };
      if (kind === "self") return { id: "deckhand", name: "Deckhand", kind };
      const index = free.findIndex((one) => one.kind === kind);
      const [person] = free.splice(index, 1);
      if (!person) throw new Error(`nobody is left who is a ${kind}`);
      return person;
    },
    async say(person, thread, text, { files = [], quoting, mention = true } = {}) {
      if (person.kind === "self") return ownWords(thread, text);
      const attachments = await Promise.all(
        files.map(async ({ name, bytes }) => {
          const headers = { "x-file-name": encodeURIComponent(name) };
          const token = TOKENS[person.id] ?? "";
          const options = { token, headers, body: bytes };
          const answer = await lab.request("POST", `${at(thread)}/files`, options);
          return ((await answer.json()) as { id: string }).id;
        }),
      );
      const quote = quoting === undefined ? {} : { pointedAt: quoting };
      const isAside = !mention && !direct.has(thread);
      const body = { text, attachments, isAside, ...quote };
      return act(person, "POST", `${at(thread)}/messages`, body);
    },
    edit: (person, thread, messageId, text) =>
      act(person, "PATCH", `${at(thread)}/messages/${messageId}`, { text }, messageId),
    remove: (person, thread, messageId) =>
      act(person, "DELETE", `${at(thread)}/messages/${messageId}`, {}, messageId),
    async click(person, thread, { post, action, typed }) {
      const posts = await watched.look(thread, person.id);
      const shown = posts.find((one) => one.post === post);
      const button = shown?.buttons.find((one) => one.action === action);
      if (!button || button.asksText !== (typed !== undefined)) throw new Error("no such button");
      const body = typed === undefined ? { action } : { action, typed };
      return act(person, "POST", `${at(thread)}/clicks`, body);
    },
    command: (person, thread, text) =>
      act(person, "POST", `${at(thread)}/messages`, { text: `/${text}` }),
    stop: (person, thread) => act(person, "POST", `${at(thread)}/stop`, {}),
    archive: (person, thread) => act(person, "POST", `${at(thread)}/archive`, {}),
    async redeliver({ event }) {
      const done = said.get(event);
      if (done) await send(done);
    },
    isAcknowledged: async ({ event }) => said.get(event)?.isAcknowledged ?? false,
    visible: async (thread, person) =>
      (await watched.look(thread, person?.id ?? "owner")).filter(({ isWhisper }) => !isWhisper),
    whispers: async (thread, person) =>
      (await watched.look(thread, person.id)).filter(({ isWhisper }) => isWhisper),
    marks: async (thread, messageId) => watched.marks(thread, messageId),
    alarms: async (thread) => watched.alarms(thread),
    faults: faultsOf(lab, store),
  };
}

function faultsOf(lab: WebLab, store: FaultyStore): Faults {
  return {
    loseNextAnswer: () => store.failAfterNext(),
    // Here nobody is ever told to wait: what takes long takes long.
    refuseNext: (retryAfterMs) => store.delayNext(retryAfterMs),
    disconnect: async () => store.leave(),
    reconnect: async () => store.comeBack(),
    // On the web only the bot itself can take back what it has posted.
    deletePost: (thread, post) => lab.adapter.remove(thread, post),
  };
}

/** The web chat's own platform is its store: this one goes away, is slow, or loses its answers. */
class FaultyStore {
  isBack: Promise<void> = Promise.resolve();
  #return: (() => void) | undefined;
  #delayMs = 0;
  #losesAnswer = false;

  leave(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.isBack = promise;
    this.#return = resolve;
  }

  comeBack(): void {
    this.#return?.();
    this.#return = undefined;
  }

  delayNext(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  failAfterNext(): void {
    this.#losesAnswer = true;
  }

  around(documents: Documents): Documents {
    const present = () => {
      if (this.#return) throw new StoreError("The store is away.");
    };
    return {
      get: async (key) => {
        present();
        return documents.get(key);
      },
      set: async (key, value, options) => {
        present();
        await new Promise((resolve) => setTimeout(resolve, this.#delayMs));
        this.#delayMs = 0;
        await documents.set(key, value, options);
        if (!this.#losesAnswer || !key.startsWith("item:")) return;
        this.#losesAnswer = false;
        throw new StoreError("The store's answer was lost.");
      },
      delete: (key) => documents.delete(key),
      keys: async (prefix) => {
        present();
        return documents.keys(prefix);
      },
    };
  }
}

/** Tabs of different visitors. They stay open for the next case: a new one takes half a second of processor time more. */
export class Tabs {
  readonly #browser: Browser;
  readonly #free: Tab[] = [];

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  async take(): Promise<Tab> {
    const free = this.#free.pop();
    if (free) return free;
    const context = await this.#browser.newContext();
    context.setDefaultTimeout(PATIENCE_MS);
    return context.newPage();
  }

  async giveBack(tab: Tab): Promise<void> {
    await tab.evaluate("localStorage.clear(); sessionStorage.clear()");
    await tab.goto("about:blank");
    tab.removeAllListeners();
    this.#free.push(tab);
  }
}

interface Shown extends VisiblePost {
  readonly isWhisper: boolean;
}

/** Browser tabs that people look at, and what stands in them. */
class Watched {
  readonly #all: Tabs;
  readonly #lab: WebLab;
  readonly #tabs = new Map<string, Tab>();
  readonly #alarms: string[] = [];

  constructor(all: Tabs, lab: WebLab) {
    this.#all = all;
    this.#lab = lab;
  }

  async look(thread: string, person: string): Promise<Shown[]> {
    if (!(person in TOKENS)) return [];
    const tab = await this.#tab(thread, person);
    const posts = await tab.evaluate(readPosts);
    return Promise.all(
      posts.map(async ({ fileName, ...post }) => ({
        ...post,
        files: fileName === "" ? [] : [await this.#file(thread, post.post, fileName)],
      })),
    );
  }

  async marks(thread: string, messageId: string): Promise<string[]> {
    const tab = await this.#tab(thread, "owner");
    const sign = tab.locator(`#item-${messageId} .sign`);
    return (await sign.allTextContents()).map((text) => text.replace(" · ", "").toLowerCase());
  }

  async alarms(thread: string): Promise<string[]> {
    const tab = await this.#tab(thread, "owner");
    return [...this.#alarms, ...(await tab.evaluate(readAlarms))];
  }

  async close(): Promise<void> {
    for (const tab of this.#tabs.values()) await this.#all.giveBack(tab);
  }

  async #file(thread: string, id: string, name: string) {
    const answer = await this.#lab.request("GET", `/api/threads/${thread}/files/${id}`, {
      token: TOKENS.owner ?? "",
    });
    return { name, bytes: new Uint8Array(await answer.arrayBuffer()) };
  }

  async #tab(thread: string, person: string): Promise<Tab> {
    const tab = this.#tabs.get(person) ?? (await this.#newTab(person));
    const address = `${this.#lab.origin}/#thread=${thread}`;
    if (tab.url() !== address) await tab.goto(`${address}&token=${TOKENS[person]}`);
    await tab.locator('.welcome, .scroller[aria-busy="false"]').waitFor();
    await this.#shown(tab, thread, person);
    return tab;
  }

  /** What the server has may change while the page is looked at: then something else is to be expected. */
  async #shown(tab: Tab, thread: string, person: string): Promise<void> {
    for (const untilMs = performance.now() + PATIENCE_MS; ; ) {
      try {
        const expected = await this.#expected(thread, person);
        await tab.waitForFunction(showsAll, expected, { timeout: LOOK_MS });
        return;
      } catch (error) {
        if (!(error instanceof errors.TimeoutError) || performance.now() > untilMs) throw error;
      }
    }
  }

  /** What the server would give this person, each item with its revision. */
  async #expected(thread: string, person: string): Promise<string[]> {
    const token = TOKENS[person] ?? "";
    const answer = await this.#lab.request("GET", `/api/threads/${thread}/items`, { token });
    const { items } = (await answer.json()) as { items: Item[] };
    return items.flatMap(({ id, rev, content }) =>
      content.kind === "removed" ? [] : `item-${id} ${rev}`,
    );
  }

  async #newTab(person: string): Promise<Tab> {
    const tab = await this.#all.take();
    this.#tabs.set(person, tab);
    tab.on("dialog", (dialog) => {
      this.#alarms.push(`said ${dialog.message()}`);
      void dialog.dismiss();
    });
    tab.on("request", (request) => {
      if (!/^(http:\/\/127\.0\.0\.1|blob:|data:|about:)/.test(request.url()))
        this.#alarms.push(`fetched ${request.url()}`);
    });
    tab.on("pageerror", (error) => this.#alarms.push(`threw ${error}`));
    return tab;
  }
}

/** Runs in the page. */
function showsAll(expected: readonly string[]): boolean {
  const { document } = globalThis as unknown as { document: DomParent };
  const shown = [...document.querySelectorAll(".item[data-rev]")];
  const revisions = shown.map((item) => `${item.id} ${item.getAttribute("data-rev")}`);
  return revisions.join() === expected.join();
}

/** Runs in the page. */
function readPosts() {
  const { document } = globalThis as unknown as { document: DomParent };
  return [...document.querySelectorAll(".item.view, .item.file")].map((item) => {
    const buttons = [...item.querySelectorAll("[data-action]")].map((button) => ({
      action: button.getAttribute("data-action") ?? "",
      label: button.textContent,
      asksText: button.getAttribute("aria-haspopup") === "dialog",
    }));
    const fileName = [...item.querySelectorAll(".attachment .ellipsis")][0]?.textContent ?? "";
    const isWhisper = [...item.querySelectorAll(".only-you")].length > 0;
    const copy = item.cloneNode(true);
    for (const part of copy.querySelectorAll("button, .attachment, .only-you")) part.remove();
    const post = item.id.replace("item-", "");
    return { post, text: copy.textContent, buttons, fileName, isWhisper };
  });
}

/** Runs in the page. */
function readAlarms(): string[] {
  const { document } = globalThis as unknown as { document: DomParent };
  const links = [...document.querySelectorAll(".item.view a, .item.file a")];
  const disguised = links.filter(
    (link) => !(link.getAttribute("href") ?? "").startsWith(link.textContent.trim().slice(0, 20)),
  );
  const active = [...document.querySelectorAll(".item script, .item img, .item [onerror]")];
  return [
    ...disguised.map((link) => `a link under another text: ${link.textContent}`),
    ...active.map((element) => `an active element: ${element.id}`),
  ];
}

/** As much of a browser's document as is read here. */
interface DomParent {
  querySelectorAll(selector: string): Iterable<DomElement>;
}
interface DomElement extends DomParent {
  readonly id: string;
  readonly textContent: string;
  getAttribute(name: string): string | null;
  cloneNode(isDeep: boolean): DomElement;
  remove(): void;
}

function peopleSetting(): string {
  return Object.entries(KINDS)
    .map(([id, kind]) => `${id}:${kind}:${TOKENS[id]}`)
    .join(",");
}
