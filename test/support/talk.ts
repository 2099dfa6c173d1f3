import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readPolicy } from "../../src/authorization/policy.ts";
import type { Adapter } from "../../src/contract/adapter.ts";
import type { Store } from "../../src/contract/store.ts";
import type { RunnableTool } from "../../src/contract/tool-call.ts";
import type { Workspaces } from "../../src/contract/workspace.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { openStore } from "../../src/store/open-store.ts";
import { type Person, type Said, type SayOptions, until } from "../contracts/adapter/rig.ts";
import { type Bot, startBot } from "./bot.ts";
import { LocalWorkspaces } from "./local-workspaces.ts";
import { type MemoryRig, openMemoryAdapter } from "./memory-adapter.ts";
import type { KeptPost } from "./memory-platform.ts";
import type { ModelServer, ModelServerOptions } from "./model-server/server.ts";
import { startModelServer } from "./model-server.ts";
import { modelAt } from "./model-step.ts";

export interface TalkOptions {
  readonly policy?: string;
  readonly tools?: readonly RunnableTool[];
  readonly wire?: "chat" | "responses";
  readonly server?: ModelServerOptions;
  readonly withoutModel?: boolean;
  readonly withoutWorkspaces?: boolean;
  /** Real ones, in place of directories on this machine. */
  readonly workspaces?: Workspaces;
}

/** A bot, a thread and people in it: say something, and see what people see. */
export class Talk implements AsyncDisposable {
  readonly model: ModelServer;
  readonly rig: MemoryRig;
  readonly workspaces = new LocalWorkspaces();
  readonly store: Store;
  readonly problems: string[] = [];
  readonly ada: Person;
  readonly bob: Person;
  thread: string;
  bot!: Bot;
  readonly #options: TalkOptions;
  readonly #directory: string;

  private constructor(
    options: TalkOptions,
    given: { model: ModelServer; store: Store; directory: string; thread: string; rig: MemoryRig },
  ) {
    this.#options = options;
    this.#directory = given.directory;
    this.model = given.model;
    this.store = given.store;
    this.rig = given.rig;
    this.thread = given.thread;
    this.ada = this.rig.people.person();
    this.bob = this.rig.people.person();
  }

  static async start(options: TalkOptions = {}): Promise<Talk> {
    const directory = mkdtempSync(join(tmpdir(), "talk-"));
    const store = await openStore({ kind: "sqlite", file: join(directory, "store.db") });
    const model = await startModelServer(options.server);
    const rig = openMemoryAdapter();
    const thread = await rig.people.newThread();
    const talk = new Talk(options, { model, store, directory, thread, rig });
    await talk.startBot();
    return talk;
  }

  /** Over the same store and platform, or over others that stand for a process which is killed. */
  async startBot(
    store: Store = this.store,
    adapter: Adapter = this.rig.adapter,
    name = "bot",
  ): Promise<Bot> {
    const {
      policy,
      tools,
      wire = "responses",
      withoutModel,
      withoutWorkspaces,
      workspaces,
    } = this.#options;
    this.bot = await startBot({
      store,
      name,
      adapter,
      model: withoutModel ? undefined : modelAt(this.model, { api: wire }),
      workspaces: withoutWorkspaces ? undefined : (workspaces ?? this.workspaces.port),
      redactor: createRedactor({ secrets: {} }),
      log: (level, message, fields) => {
        if (level === "warn" || level === "error") {
          this.problems.push(`${message} ${String(fields?.error ?? "")}`);
        }
      },
      ...(policy === undefined ? {} : { policy: readPolicy(`version: 1\n${policy}`) }),
      ...(tools ? { tools } : {}),
    });
    return this.bot;
  }

  async restart(): Promise<void> {
    await this.bot[Symbol.asyncDispose]();
    await this.startBot();
  }

  say(text: string, options: SayOptions & { readonly by?: Person } = {}): Promise<Said> {
    const { by = this.ada, ...rest } = options;
    return this.rig.people.say(by, this.thread, text, rest);
  }

  /** What everybody sees, message by message. */
  posts(): KeptPost[] {
    return this.rig.platform.posts(this.thread).filter(({ only }) => only === undefined);
  }

  texts(): string[] {
    return this.posts().map(({ text }) => text);
  }

  whispers(person = this.ada): string[] {
    const all = this.rig.platform.posts(this.thread);
    return all.filter(({ only }) => only === person.id).map(({ text }) => text);
  }

  cards(kind: "approval" | "question"): KeptPost[] {
    return this.posts().filter(({ view }) => view?.kind === kind);
  }

  /** Waits until something can be read. */
  async sees(text: string | RegExp, withinMs = 10_000): Promise<string> {
    const isIt = (one: string) => (typeof text === "string" ? one.includes(text) : text.test(one));
    try {
      await until(() => this.texts().some(isIt), String(text), withinMs);
    } catch (error) {
      const seen = [...this.texts(), ...this.model.problems, ...this.problems].join("\n---\n");
      throw new Error(`${String(error)}\nPeople see:\n${seen}`, { cause: error });
    }
    return this.texts().find(isIt) ?? "";
  }

  async hears(text: string, person = this.ada): Promise<void> {
    await until(() => this.whispers(person).some((one) => one.includes(text)), text);
  }

  /** Presses a button that waits to be pressed. */
  async press(label: string, { by = this.ada, typed }: { by?: Person; typed?: string } = {}) {
    const find = () =>
      this.posts()
        .flatMap(({ post, buttons }) => buttons.map((button) => ({ post, ...button })))
        .find((button) => button.label === label);
    await until(() => find() !== undefined, `a button ${label}`);
    const button = find();
    if (!button) throw new Error(`There is no button ${label} any more.`);
    const { post, action } = button;
    const said = await this.rig.people.click(by, this.thread, {
      post,
      action,
      ...(typed === undefined ? {} : { typed }),
    });
    return { ...button, said };
  }

  /** The kinds of the journal's lines, in order. */
  async lines(): Promise<string[]> {
    return (await this.store.read(this.thread)).map(({ kind }) => kind);
  }

  /** Waits until nothing is to be done, and everything was shown. */
  async rests(): Promise<void> {
    await until(async () => {
      const pending = await this.store.inbox.pending();
      const open = await this.store.documents("open-turns").keys();
      return pending.length === 0 && open.length === 0;
    }, "the bot to rest");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bot[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
    this.workspaces[Symbol.dispose]();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
