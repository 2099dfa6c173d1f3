import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { openCore } from "../../src/app/core.ts";
import { webHooks } from "../../src/app/web-hooks.ts";
import { exported } from "../../src/audit/export.ts";
import { readConfig } from "../../src/config.ts";
import type { Redactor } from "../../src/contract/redactor.ts";
import type { Store } from "../../src/contract/store.ts";
import type { RawArgs } from "../../src/contract/tools/operation.ts";
import type { Workspace, Workspaces } from "../../src/contract/workspace/workspace.ts";
import { createLog } from "../../src/lib/log.ts";
import { openStore } from "../../src/store/open-store.ts";
import { LocalWorkspaces } from "./local-workspaces.ts";
import type { ModelServer } from "./model-server/server.ts";
import { startModelServer } from "./model-server.ts";
import { until } from "./until.ts";
import { THREAD, WebLab } from "./web-lab.ts";

interface SecretBotOptions {
  readonly redactor: Redactor;
  readonly wire: "chat" | "responses";
  /** What files, commands and terminals are full of. */
  readonly text: string;
}

/** The whole bot behind its web chat, in a workspace that is full of secrets. */
export class SecretBot implements AsyncDisposable {
  readonly model: ModelServer;
  readonly lines: string[] = [];
  readonly workspaces = new LocalWorkspaces();
  readonly #text: string;
  readonly #closes = new AsyncDisposableStack();
  lab!: WebLab;
  #store!: Store;

  private constructor(model: ModelServer, text: string) {
    this.model = this.#closes.use(model);
    this.#closes.use(this.workspaces);
    this.#text = text;
  }

  static async start({ redactor, wire, text }: SecretBotOptions): Promise<SecretBot> {
    const bot = new SecretBot(await startModelServer(), text);
    await bot.#open(redactor, wire);
    return bot;
  }

  path(name: string): string {
    return this.workspaces.of(THREAD).files.path(name);
  }

  /** Everything that the bot has put into the thread, as the page is given it. */
  async items(): Promise<string[]> {
    const { items } = JSON.parse(await this.panel("items")) as Items;
    return items
      .filter(({ content }) => content.kind !== "message")
      .map((item) => JSON.stringify(item));
  }

  async kind(kind: string): Promise<string[]> {
    return (await this.items()).filter((item) => JSON.parse(item).content.view?.kind === kind);
  }

  /** The bytes of every file that was shared. */
  async files(): Promise<string[]> {
    const files = (await this.items()).filter((item) => JSON.parse(item).content.kind === "file");
    return Promise.all(
      files.map(async (item) => (await this.#get(`files/${JSON.parse(item).id}`)).text()),
    );
  }

  async panel(path: string): Promise<string> {
    return (await this.#get(path)).text();
  }

  /** What a page sees that follows the terminal, and whose connection breaks after every few pieces, so many times. */
  async liveTerminal(breaks: number): Promise<string> {
    let nextIndex = 0;
    let seen = "";
    for (let left = breaks; left >= 0; left -= 1) {
      using page = await this.lab.connect();
      page.tell({ type: "follow", thread: THREAD, terminal: THREAD, fromIndex: nextIndex });
      await until(() => page.of("followEnded").length > 0, "the terminal's end");
      const pieces = page.of("output").slice(0, left === 0 ? undefined : PIECES_TAKEN);
      for (const { text, fromIndex, nextIndex: next = fromIndex + text.length } of pieces) {
        seen += text;
        nextIndex = next;
      }
    }
    return seen;
  }

  async click(label: string): Promise<void> {
    const found = async () =>
      (await this.items())
        .flatMap((item) => JSON.parse(item).content.view?.buttons ?? [])
        .find((button) => button.label === label);
    await until(
      async () => (await found()) !== undefined,
      `a button ${label}\n${this.lines.join("")}`,
    );
    const body = { id: crypto.randomUUID(), action: (await found()).action };
    await this.lab.request("POST", `/api/threads/${THREAD}/clicks`, { body });
  }

  async sees(what: string): Promise<void> {
    const isThere = async () => (await this.items()).some((item) => item.includes(what));
    await until(isThere, `${what}\n${this.lines.join("")}`);
  }

  audit(): Promise<string[]> {
    return Array.fromAsync(exported(this.#store, {}));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closes.disposeAsync();
  }

  #get(path: string): Promise<Response> {
    return this.lab.request("GET", `/api/threads/${THREAD}/${path}`);
  }

  async #open(redactor: Redactor, wire: string): Promise<void> {
    const directory = this.path(".data");
    const config = readConfig({
      ...this.model.env,
      LLM_API: wire,
      DECKHAND_DATA_DIR: directory,
    });
    this.#store = this.#closes.use(await openStore(config.store));
    const workspaces = secretWorkspaces(this.workspaces, this.#text);
    const core = this.#closes.use(
      await openCore({
        config,
        store: this.#store,
        redactor,
        log: createLog({ write: (line) => this.lines.push(line), redact: redactor.redact }),
        workspaces,
        adapterOf: () => this.lab.adapter,
        pace: { leastEditGapMs: 5, inboxHoldMs: 300 },
      }),
    );
    this.lab = this.#closes.use(
      await WebLab.start({
        hooks: webHooks({ core, workspaces, redactor }),
        receive: (incoming) => core.receive(incoming),
      }),
    );
    await this.lab.thread();
    await core.start();
    writeFileSync(this.path("secrets.txt"), this.#text);
  }
}

interface Items {
  readonly items: readonly { readonly content: { readonly kind: string } }[];
}

/** Its terminal prints the text piece by piece, its history is the text, and what breaks says it. */
function secretWorkspaces(local: LocalWorkspaces, text: string): Workspaces {
  const open = async (conversation: string): Promise<Workspace> => {
    const workspace = await local.port.open(conversation, { fence: 0 });
    return {
      ...workspace,
      call: async (call, options) => {
        const { operation, command } = call.args as RawArgs;
        if (operation === "get_history") return { success: true, history: text };
        if (command === "break") throw new Error(text);
        return workspace.call(call, options);
      },
      download: (path) => workspace.download(relative(local.of(conversation).files.dir, path)),
      terminals: async () =>
        (await workspace.terminals()).map((terminal) => ({
          ...terminal,
          session_id: conversation,
          working_directory: text,
        })),
      follow: async (session_id, { fromIndex, signal, onOutput }) => {
        for (let at = fromIndex; at < text.length && !signal.aborted; at += PIECE) {
          const output = text.slice(at, at + PIECE);
          await onOutput({ session_id, from_index: at, output });
        }
        await onOutput({ session_id, from_index: text.length, output: "", ended: true });
      },
    };
  };
  const summary = { workspace: "w", state: "running", lastUsedAt: "", keep: false } as const;
  return {
    ...local.port,
    open,
    list: async () => [{ conversation: THREAD, ...summary }],
  };
}

/** Cuts every secret. */
const PIECE = 7;
/** Of one connection. */
const PIECES_TAKEN = 13;
