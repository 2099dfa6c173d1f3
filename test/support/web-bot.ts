import { rmSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import type { Page } from "../../adapters/web/page.ts";
import { type Core, openCore } from "../../src/app/core.ts";
import { webHooks } from "../../src/app/web-hooks.ts";
import { type Config, readConfig } from "../../src/config.ts";
import type { TerminalInfo } from "../../src/contract/workspace/channel.ts";
import type { RecordedTerminal } from "../../src/contract/workspace/recorded-terminal.ts";
import type {
  Workspace,
  WorkspaceCall,
  Workspaces,
} from "../../src/contract/workspace/workspace.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { openStore } from "../../src/store/open-store.ts";
import { makeDataDirectory } from "./data-directory.ts";
import { LocalWorkspaces } from "./local-workspaces.ts";
import type { ModelServer } from "./model-server/server.ts";
import { startModelServer } from "./model-server.ts";
import { until } from "./until.ts";
import { OWNER_TOKEN, WebLab } from "./web-lab.ts";

const TOKENS = {
  owner: OWNER_TOKEN,
  ada: "ada-token-0123456789abcdef",
  bob: "bob-token-0123456789abcdef",
  gus: "gus-token-0123456789abcdef",
  "bad token": "nobodys-token-0123456789",
  "no token": "",
} as const;

/** The owner, two members, a guest, and two who are nobody. */
export type WebActor = keyof typeof TOKENS;

export interface WebAnswer {
  readonly status: number;
  readonly text: string;
}

interface WebBotOptions {
  readonly wire?: "chat" | "responses";
  /** For tests with a browser. */
  readonly page?: Page | undefined;
}

/** The whole bot behind its web chat, as the application puts it together; its workspaces only note what they are asked for. */
export class WebBot implements AsyncDisposable {
  readonly model: ModelServer;
  readonly workspaces: NotedWorkspaces;
  readonly problems: string[] = [];
  lab!: WebLab;
  core!: Core;
  #addresses = 1;
  readonly #closes = new AsyncDisposableStack();

  private constructor(model: ModelServer, workspaces: NotedWorkspaces) {
    this.model = model;
    this.workspaces = workspaces;
    this.#closes.use(model);
    this.#closes.use(workspaces);
  }

  static async start({ wire, page }: WebBotOptions = {}): Promise<WebBot> {
    const bot = new WebBot(await startModelServer(), new NotedWorkspaces());
    const config = readConfig({
      ...bot.model.env,
      ...(wire === undefined ? {} : { LLM_API: wire }),
      DECKHAND_DATA_DIR: bot.workspaces.directory,
    });
    await bot.#open(config, page);
    return bot;
  }

  /** A thread of its own, with a workspace that is there already. */
  async thread(): Promise<string> {
    const key = crypto.randomUUID().replaceAll("-", "").slice(0, 24);
    await this.lab.thread(`web:${key}`);
    await this.workspaces.port.open(`web:${key}`, { fence: 0 });
    return `web:${key}`;
  }

  /** One request of somebody. Those who are nobody come from a new address each time: many bad tokens shut one out. */
  ask(actor: WebActor, method: string, path: string, body?: object | string): Promise<WebAnswer> {
    const token = TOKENS[actor];
    const isNobody = actor === "bad token" || actor === "no token";
    if (isNobody) this.#addresses = (this.#addresses % 250) + 1;
    const text = typeof body === "string" ? body : JSON.stringify(body ?? {});
    const sent = request(new URL(path, this.lab.origin), {
      method,
      localAddress: isNobody ? `127.0.1.${this.#addresses}` : "127.0.0.1",
      headers: {
        ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
    });
    return new Promise((resolve, reject) => {
      sent.on("error", reject);
      sent.on("response", async (answer) => {
        const pieces = await answer.toArray();
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(pieces).toString() });
      });
      sent.end(body === undefined ? undefined : text);
    });
  }

  say(actor: WebActor, thread: string, text: string): Promise<WebAnswer> {
    const body = { id: crypto.randomUUID(), text };
    return this.ask(actor, "POST", `/api/threads/${thread}/messages`, body);
  }

  click(actor: WebActor, thread: string, action: string, typed?: string): Promise<WebAnswer> {
    const body = { id: crypto.randomUUID(), action, ...(typed === undefined ? {} : { typed }) };
    return this.ask(actor, "POST", `/api/threads/${thread}/clicks`, body);
  }

  /** On the line under the live terminal. */
  type(actor: WebActor, thread: string, input: string): Promise<WebAnswer> {
    const body = { id: crypto.randomUUID(), input };
    return this.ask(actor, "POST", `/api/threads/${thread}/terminal/input`, body);
  }

  /** What the thread's workspace was asked to do. */
  begunIn(thread: string): WorkspaceCall[] {
    const here = this.workspaces.begun.filter(({ conversation }) => conversation === thread);
    return here.map(({ call }) => call);
  }

  watch(actor: WebActor) {
    return this.lab.connect(TOKENS[actor]);
  }

  /** Everything that was kept for this conversation is seen to: its rows, and the turn that they have begun. */
  async rests(thread: string): Promise<void> {
    const isBusy = async () =>
      (await this.core.conversations.state(thread)).open !== undefined &&
      (await this.core.authorization.approvals.waiting(thread)).length === 0;
    // A row that comes later is seen to later.
    const before = await this.#ownersWhispers(thread);
    await this.ask("owner", "POST", `/api/threads/${thread}/messages`, {
      id: crypto.randomUUID(),
      text: "/help",
    });
    const isAnswered = async () => (await this.#ownersWhispers(thread)) > before;
    await until(async () => (await isAnswered()) && !(await isBusy()), `${thread} to rest`, {
      seen: () => this.problems,
    });
  }

  async #ownersWhispers(thread: string): Promise<number> {
    const { text } = await this.ask("owner", "GET", `/api/threads/${thread}/items`);
    return JSON.parse(text).items.filter(({ to }: { to?: string }) => to === "owner").length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closes.disposeAsync();
  }

  /** The address at which somebody comes in. */
  addressOf(actor: WebActor): string {
    const address = new URL(this.lab.adapter.address);
    address.hash = `#token=${TOKENS[actor]}`;
    return address.href;
  }

  async #open(config: Config, page: Page | undefined): Promise<void> {
    const store = this.#closes.use(await openStore(config.store));
    const { port } = this.workspaces;
    const redactor = createRedactor({ secrets: config.secrets });
    this.core = this.#closes.use(
      await openCore({
        config,
        store,
        redactor,
        log: (level, message, fields) => {
          if (level === "warn" || level === "error")
            this.problems.push(`${message} ${String(fields?.error ?? "")}`);
        },
        workspaces: port,
        adapterOf: () => this.lab.adapter,
      }),
    );
    const people = ["ada:member", "bob:member", "gus:guest"] as const;
    const named = people.map((one) => `${one}:${TOKENS[one.split(":")[0] as WebActor]}`);
    this.lab = this.#closes.use(
      await WebLab.start({
        ...(page ? { page } : {}),
        env: { WEB_PEOPLE: named.join(",") },
        hooks: webHooks({ core: this.core, workspaces: port, redactor }),
        receive: (incoming) => this.core.receive(incoming),
      }),
    );
    await this.core.start();
  }
}

/** Paths lead where they really lead; what would be done there is only noted. */
export class NotedWorkspaces implements Disposable {
  readonly #local = new LocalWorkspaces();
  readonly #open = new Set<string>();
  readonly begun: { readonly conversation: string; readonly call: WorkspaceCall }[] = [];
  readonly sizes: string[] = [];
  /** Those that sleep, with what their terminals had shown. */
  readonly asleep = new Map<string, RecordedTerminal[]>();

  readonly #data = makeDataDirectory("noted-workspaces");
  /** For whatever else the bot keeps. */
  readonly directory = join(this.#data, ".data");

  readonly port: Workspaces = {
    ...this.#local.port,
    open: async (conversation, options) => {
      this.asleep.delete(conversation);
      this.#open.add(conversation);
      return this.#noted(conversation, await this.#local.port.open(conversation, options));
    },
    recordedTerminals: async (conversation) => this.asleep.get(conversation) ?? [],
    list: async () =>
      [...this.#open].map((conversation) => ({
        conversation,
        workspace: conversation,
        state: this.asleep.has(conversation) ? ("stopped" as const) : ("running" as const),
        lastUsedAt: "2030-01-01T00:00:00.000Z",
        keep: false,
      })),
  };

  [Symbol.dispose](): void {
    this.#local[Symbol.dispose]();
    rmSync(this.#data, { recursive: true, force: true });
  }

  #noted(conversation: string, workspace: Workspace): Workspace {
    return {
      ...workspace,
      call: async (call) => {
        if (call.args.operation === "list_dir")
          return { success: true, entries: [], totalCount: 0 };
        this.begun.push({ conversation, call });
        return { success: true, output: "noted" };
      },
      terminals: async () =>
        (await workspace.terminals()).map(
          (terminal): TerminalInfo => ({ ...terminal, session_id: conversation }),
        ),
      resize: async () => void this.sizes.push(conversation),
      follow: async (session_id, { fromIndex, onOutput }) => {
        await onOutput({ session_id, from_index: fromIndex, output: "shown", ended: true });
      },
    };
  }
}
