import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../../../src/contract/store.ts";
import { openStore } from "../../../src/store/open-store.ts";
import type { StoreSettings } from "../../../src/store/settings.ts";
import { conversationKey, Names } from "../../../src/workspace/names.ts";
import type { Person, Said } from "../../contracts/adapter/rig.ts";
import { docker, startEngine, type TestEngine } from "../../support/engine.ts";
import { type MemoryRig, openMemoryAdapter } from "../../support/memory-adapter.ts";
import type { ModelServer } from "../../support/model-server/server.ts";
import { startModelServer } from "../../support/model-server.ts";
import { startRedis } from "../../support/redis.ts";
import { type BotProcess, loadBot } from "./bot-process.ts";
import { Humans } from "./humans.ts";
import type { CrashPlan } from "./messages.ts";
import { checkEnd, checkRun, type Violation } from "./oracles.ts";
import { replyTo } from "./scripted.ts";
import type { Story } from "./stories.ts";

/** A bot is killed at a crash point, or by somebody else so many milliseconds after it was told. */
export type Fate = CrashPlan | number;

/** One telling of a story. */
export interface Run {
  readonly id: string;
  readonly story: Story;
  readonly thread: string;
  readonly said: Said[];
  /** Journal line after which it happened. */
  readonly since: number;
  /** How many messages of the bot there were before. */
  readonly postsBefore: number;
}

export interface Outcome {
  readonly run: Run;
  readonly kills: readonly Fate[];
  /** Points that nobody came by any more. */
  readonly missed: readonly Fate[];
  readonly violations: readonly Violation[];
  /** How often the last bot came by each point. */
  readonly visits: Readonly<Record<string, number>>;
}

/** So many runs share a thread and its workspace. */
const RUNS_A_THREAD = 12;
const LOOK_MS = 40;
/** Longer than a sweep takes: whoever rests so long and is not done has lost something. */
const REST_MS = 15_000;
const MOST_MS = 180_000;

/** Everything that a bot does not take with it when it dies: its platform, its model, its store and its workspaces. */
export class Arena implements AsyncDisposable {
  readonly rig: MemoryRig;
  readonly model: ModelServer;
  readonly store: Store;
  readonly engine: TestEngine;
  readonly ada: Person;
  readonly problems: string[] = [];
  readonly #env: Readonly<Record<string, string>>;
  readonly #cleanUp: AsyncDisposableStack;
  readonly #runs = new Map<string, Run>();
  readonly #humans: Humans;
  readonly #names: Names;
  #bot: BotProcess | undefined;
  #spare: BotProcess | undefined;
  #thread = "";
  #isSpoilt = false;
  #closed: Promise<void> | undefined;
  #executioner: NodeJS.Timeout | undefined;

  private constructor(parts: {
    env: Readonly<Record<string, string>>;
    rig: MemoryRig;
    model: ModelServer;
    store: Store;
    engine: TestEngine;
    instance: string;
    cleanUp: AsyncDisposableStack;
  }) {
    this.#env = parts.env;
    this.rig = parts.rig;
    this.model = parts.model;
    this.store = parts.store;
    this.engine = parts.engine;
    this.#cleanUp = parts.cleanUp;
    this.#names = new Names(parts.instance);
    this.ada = this.rig.people.person({ kind: "owner" });
    this.#humans = new Humans(this);
    this.model.script((request) =>
      replyTo(request, this.#runs, (run, text) => this.#say(run, text)),
    );
  }

  static async open(kind: "sqlite" | "redis"): Promise<Arena> {
    await using opening = new AsyncDisposableStack();
    const engine = opening.use(await startEngine());
    await engine.workspaces.close();
    const model = opening.use(await startModelServer());
    const redis = kind === "redis" ? opening.use(await startRedis()) : undefined;
    const settings: StoreSettings = redis
      ? { kind: "redis", url: redis.url, prefix: "deckhand:", durable: "checked", timeoutMs: 5_000 }
      : { kind: "sqlite", file: join(engine.dataDir, "deckhand.sqlite") };
    const env = {
      ...model.env,
      LLM_API: "responses",
      DECKHAND_DATA_DIR: engine.dataDir,
      WORKSPACE_POOL: "0",
      WORKSPACE_CAP: "100",
      WORKSPACE_DISK_MB: "64",
      ...(redis ? { REDIS_URL: redis.url } : {}),
    };
    const store = opening.use(await openStore(settings));
    const rig = openMemoryAdapter();
    const { instance } = JSON.parse(await readFile(join(engine.dataDir, "instance.json"), "utf8"));
    return new Arena({ env, rig, model, store, engine, instance, cleanUp: opening.move() });
  }

  /** Tells a story while bots die, one after the other, each at its fate. */
  async play(story: Story, fates: readonly Fate[], inNewThread = false): Promise<Outcome> {
    this.#isSpoilt ||= inNewThread;
    const run = await this.#begin(story);
    const violations: Violation[] = [];
    const [first, ...rest] = fates;
    await this.#giveBirth(undefined);
    this.#doom(first);
    const message = story.mention(run.id);
    const bytes = new TextEncoder().encode(`${run.id}-attached\n`);
    const files = story.file ? [{ name: `${run.id}.txt`, bytes }] : [];
    run.said.push(await this.rig.people.say(this.ada, run.thread, message, { files }));
    const lived = await this.#live(run, first, rest, violations);
    violations.push(...(await checkRun(this, run)));
    // What is wrong in a thread must not be found again and again.
    this.#isSpoilt = violations.length > 0;
    return { run, ...lived, violations };
  }

  /** What only the whole can tell. Nothing can be played afterwards. */
  async end(): Promise<Violation[]> {
    this.#bot?.kill();
    await this.#bot?.exited;
    return checkEnd(this);
  }

  async #say(run: Run, text: string): Promise<void> {
    run.said.push(await this.rig.people.say(this.ada, run.thread, text));
  }

  /** The lines that commands have left in the conversation's container. */
  async effects(run: Run): Promise<string[]> {
    const container = this.#names.claimed(conversationKey(run.thread));
    const read = "cat /workspace/effects /srv/* 2>/dev/null || true";
    // No container yet: no effects.
    const text = await docker("exec", container, "sh", "-c", read).catch(() => "");
    return text.split("\n").filter((line) => line.startsWith(`${run.id}-`));
  }

  earlyEffects({ id }: Run): readonly string[] | undefined {
    return this.#humans.early.get(id);
  }

  async processes(run: Run): Promise<string> {
    const container = this.#names.claimed(conversationKey(run.thread));
    return docker("top", container, "-eo", "pid,args").catch(() => "");
  }

  async #begin(story: Story): Promise<Run> {
    const number = this.#runs.size;
    if (number % RUNS_A_THREAD === 0 || this.#isSpoilt) {
      const old = this.#names.claimed(conversationKey(this.#thread));
      await docker("rm", "--force", old).catch(() => undefined);
      this.#thread = await this.rig.people.newThread();
    }
    const thread = this.#thread;
    const since = (await this.store.read(thread)).at(-1)?.seq ?? 0;
    const postsBefore = this.rig.platform.posts(thread).length;
    const run: Run = { id: `r${number + 1}`, story, thread, said: [], since, postsBefore };
    this.#runs.set(run.id, run);
    return run;
  }

  /** Lets bots live and die until the story is over. */
  async #live(run: Run, first: Fate | undefined, rest: readonly Fate[], violations: Violation[]) {
    const kills: Fate[] = [];
    const coming = [...rest];
    let fate = first;
    let restsSince = Date.now();
    const end = Date.now() + MOST_MS;
    for (;;) {
      const died = this.#funeral();
      if (died) {
        if (died.isKilled && fate !== undefined) kills.push(fate);
        else violations.push({ kind: "other", text: `the bot ended by itself: ${died.said}` });
        fate = coming.shift();
        await this.#giveBirth(fate);
        restsSince = Date.now();
      }
      const state = await this.#humans.look(run);
      if (state === "busy") restsSince = Date.now();
      const isStuck = Date.now() - restsSince > REST_MS || Date.now() > end;
      if (isStuck) {
        const why = `${run.id} is not over: ${await this.#humans.why(run)}`;
        violations.push({ kind: "lost", text: why });
      }
      const visits = state === "over" || isStuck ? await this.#pardon() : undefined;
      if (visits) return { kills, missed: fate === undefined ? coming : [fate, ...coming], visits };
      await sleep(LOOK_MS);
    }
  }

  /** What the bot left behind, if it is dead. */
  #funeral(): { isKilled: boolean; said: string } | undefined {
    const bot = this.#bot;
    if (bot?.ended === undefined) return undefined;
    this.problems.push(...bot.problems);
    return { isKilled: bot.ended === "SIGKILL", said: `${bot.ended} ${bot.problems.join(" ")}` };
  }

  /** It may live on. Undefined: too late. */
  async #pardon(): Promise<Readonly<Record<string, number>> | undefined> {
    const bot = this.#bot;
    clearTimeout(this.#executioner);
    const visits = await bot?.visits();
    bot?.arm(undefined);
    // Heard after the order before it.
    await bot?.visits();
    return bot?.ended === undefined ? (visits ?? {}) : undefined;
  }

  #doom(fate: Fate | undefined): void {
    const bot = this.#bot;
    if (typeof fate === "number") this.#executioner = setTimeout(() => bot?.kill(), fate);
    else bot?.arm(fate);
  }

  /** The living one stays as it is. */
  async #giveBirth(fate: Fate | undefined): Promise<void> {
    if (this.#closed !== undefined)
      throw new Error("The arena is closed: nobody is born here any more.");
    if (this.#bot && this.#bot.ended === undefined) return;
    const bot = this.#spare ?? loadBot();
    this.#bot = bot;
    this.#spare = loadBot();
    const plan = typeof fate === "number" ? undefined : fate;
    await bot.start(this.rig, { env: this.#env, limits: this.rig.platform.limits, plan });
    if (typeof fate === "number") this.#doom(fate);
  }

  /** Whoever asks for it a second time waits for the first. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    for (const bot of [this.#bot, this.#spare]) {
      bot?.kill();
      await bot?.exited;
    }
    await this.#cleanUp.disposeAsync();
  }
}
