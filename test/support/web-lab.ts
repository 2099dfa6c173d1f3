import { rm } from "node:fs/promises";
import { join } from "node:path";
import WebSocket from "ws";
import { WebConfig } from "../../adapters/web/config.ts";
import type { WebHooks } from "../../adapters/web/hooks.ts";
import { createWebAdapter, type WebAdapter } from "../../adapters/web/index.ts";
import type { Page } from "../../adapters/web/page.ts";
import type { FromPage, ToPage } from "../../adapters/web/protocol.ts";
import { DeliveryError, type Receipt } from "../../src/contract/platform/adapter.ts";
import type { Incoming } from "../../src/contract/platform/incoming.ts";
import type { UploadBudget } from "../../src/contract/platform/upload-budget.ts";
import type { Documents, Store } from "../../src/contract/store.ts";
import { StoredUploadBudget } from "../../src/conversation/upload-budget.ts";
import { openStore } from "../../src/store/open-store.ts";
import { makeDataDirectory } from "./data-directory.ts";
import { problemsInFile, problemsInView } from "./own-words.ts";

export const OWNER_TOKEN = "owner-token-0123456789abcdef";
export const MATE_TOKEN = "mate-token-0123456789abcdef0";
export const THREAD = "web:00112233445566778899aabb";

export interface LabOptions {
  readonly hooks?: WebHooks;
  readonly page?: Page;
  readonly env?: Readonly<Record<string, string>>;
  readonly wrapDocuments?: (documents: Documents) => Documents;
  /** True: the adapter is there, and the test itself begins to listen. */
  readonly isStartedByTest?: boolean;
  /** True: the adapter makes its owner's token itself. */
  readonly usesMadeToken?: boolean;
  readonly uploadBudget?: UploadBudget;
  readonly receive?: (incoming: Incoming) => Promise<Receipt> | Receipt;
}

/** The web chat on a port of its own and a store of its own, with whatever core a test gives it. */
export class WebLab implements AsyncDisposable {
  readonly directory: string;
  readonly incoming: Incoming[] = [];
  readonly problems: unknown[] = [];
  readonly #options: LabOptions;
  #store: Store | undefined;
  #adapter: WebAdapter | undefined;
  #port = 0;

  private constructor(directory: string, options: LabOptions) {
    this.directory = directory;
    this.#options = options;
  }

  static async start(options: LabOptions = {}): Promise<WebLab> {
    const lab = new WebLab(makeDataDirectory("web"), options);
    await lab.resume();
    return lab;
  }

  get adapter(): WebAdapter {
    if (!this.#adapter) throw new Error("The web chat does not run.");
    return this.#adapter;
  }

  get origin(): string {
    return new URL(this.adapter.address).origin;
  }

  /** The process ends; what it kept stays. */
  async halt(): Promise<void> {
    await this.#adapter?.[Symbol.asyncDispose]();
    await this.#store?.[Symbol.asyncDispose]();
    this.#adapter = undefined;
  }

  async resume(): Promise<void> {
    const { hooks, page = new Map(), env = {}, uploadBudget } = this.#options;
    const { wrapDocuments = (documents: Documents) => documents } = this.#options;
    this.#store = await openStore({ kind: "sqlite", file: join(this.directory, "store.db") });
    const adapter = await createWebAdapter({
      config: WebConfig.parse({
        WEB_PORT: String(this.#port),
        ...(this.#options.usesMadeToken ? {} : { WEB_TOKEN: OWNER_TOKEN }),
        ...env,
      }),
      documents: wrapDocuments(this.#store.documents("web")),
      filesDirectory: join(this.directory, "files"),
      log: (level, message, fields) => {
        if (level === "error") this.problems.push({ message, ...fields });
      },
      page,
      ...(hooks && { hooks }),
      uploadBudget:
        uploadBudget ??
        new StoredUploadBudget({
          documents: this.#store.documents("uploads"),
          bytesPerHour: Number.POSITIVE_INFINITY,
        }),
    });
    this.#adapter = refusingWords(adapter);
    if (this.#options.isStartedByTest) return;
    await this.#adapter.start(async (incoming) => {
      this.incoming.push(incoming);
      return (await this.#options.receive?.(incoming)) ?? { outcome: "accepted" };
    });
    this.#port = Number(new URL(this.origin).port);
  }

  async restart(): Promise<void> {
    await this.halt();
    await this.resume();
  }

  request(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const { token = OWNER_TOKEN, body, headers = {} } = options;
    const isText = typeof body === "string" || body instanceof Uint8Array;
    return fetch(`${this.origin}${path}`, {
      method,
      headers: {
        ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined || isText ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: isText ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
    });
  }

  async thread(id = THREAD): Promise<string> {
    await this.request("PUT", `/api/threads/${id}`, { body: {} });
    return id;
  }

  say(text: string, more: object = {}, token = OWNER_TOKEN, thread = THREAD): Promise<Response> {
    const body = { id: crypto.randomUUID(), text, ...more };
    return this.request("POST", `/api/threads/${thread}/messages`, { token, body });
  }

  connect(token = OWNER_TOKEN): Promise<Watcher> {
    return Watcher.connect(`${this.origin.replace("http", "ws")}/live`, token);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.halt();
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** The adapter, which refuses words that are not for people, as the doubles of Slack and Discord do. */
function refusingWords(adapter: WebAdapter): WebAdapter {
  const checked = <Arguments extends unknown[], Result>(
    show: (...all: Arguments) => Promise<Result>,
    problemsIn: (...all: Arguments) => string[],
  ) => ({
    value: async (...all: Arguments): Promise<Result> => {
      const [problem] = problemsIn(...all);
      if (problem !== undefined) throw new DeliveryError("never", `Not for people: ${problem}`);
      return show(...all);
    },
  });
  return Object.create(adapter, {
    post: checked(adapter.post, (_thread, view) => problemsInView(view)),
    edit: checked(adapter.edit, (_thread, _post, view) => problemsInView(view)),
    whisper: checked(adapter.whisper, (_thread, _actor, view) => problemsInView(view)),
    upload: checked(adapter.upload, (_thread, file) => problemsInFile(file)),
  }) as WebAdapter;
}

interface RequestOptions {
  readonly token?: string;
  readonly body?: object | string | Uint8Array;
  readonly headers?: Record<string, string>;
}

/** A page without a screen: keeps what it was told. */
export class Watcher implements Disposable {
  readonly heard: ToPage[] = [];
  readonly socket: WebSocket;
  closedWith: number | undefined;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => this.heard.push(JSON.parse(String(data))));
    socket.on("close", (code) => {
      this.closedWith = code;
    });
    socket.on("error", () => undefined);
  }

  static async connect(url: string, token: string): Promise<Watcher> {
    const socket = new WebSocket(url, { origin: url.replace("ws", "http").replace("/live", "") });
    const watcher = new Watcher(socket);
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    watcher.tell({ type: "hello", token });
    return watcher;
  }

  tell(message: FromPage): void {
    this.socket.send(JSON.stringify(message));
  }

  of<Type extends ToPage["type"]>(type: Type): Extract<ToPage, { type: Type }>[] {
    return this.heard.filter((one) => one.type === type) as Extract<ToPage, { type: Type }>[];
  }

  [Symbol.dispose](): void {
    this.socket.terminate();
  }
}
