import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../../../src/contract/store.ts";
import { openStore } from "../../../src/store/open-store.ts";
import type { StoreSettings } from "../../../src/store/settings.ts";
import type { Person } from "../../contracts/adapter/rig.ts";
import { startEngine, type TestEngine } from "../../support/engine.ts";
import { type MemoryRig, openMemoryAdapter } from "../../support/memory-adapter.ts";
import type { ModelServer } from "../../support/model-server/server.ts";
import { startModelServer } from "../../support/model-server.ts";
import { startRedis } from "../../support/redis.ts";
import { BotProcess } from "./bot-process.ts";
import type { Bundle } from "./bundle.ts";
import { Containers } from "./containers.ts";
import { Humans } from "./humans.ts";
import { checkEnd, checkRun } from "./oracles.ts";
import { replyTo } from "./scripted.ts";
import type { Story } from "./stories.ts";
import type { Fate, Outcome, Run, Stage, Violation, World } from "./world.ts";

/** So many runs share a thread and its workspace. */
const RUNS_A_THREAD = 20;
const LOOK_MS = 40;
/** Longer than a sweep takes: whoever rests so long and is not done has lost something. */
const REST_MS = 45_000;
const MOST_MS = 300_000;
/** People see a message before the bot knows that they do: it has yet to come by the point after that. */
const LAST_STEPS_MS = 400;

/** A world in which bots live and die. */
export class Arena implements World, Stage, AsyncDisposable {
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
  readonly #containers: Containers;
  readonly #program: string;
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
    program: string;
    cleanUp: AsyncDisposableStack;
  }) {
    this.#env = parts.env;
    this.rig = parts.rig;
    this.model = parts.model;
    this.store = parts.store;
    this.engine = parts.engine;
    this.#cleanUp = parts.cleanUp;
    this.#containers = new Containers(parts.instance);
    this.#program = parts.program;
    this.ada = this.rig.people.person({ kind: "owner" });
    this.#humans = new Humans(this);
    this.model.script((request) =>
      replyTo(request, this.#runs, (run, text) => this.#say(run, text)),
    );
  }

  static async open(kind: "sqlite" | "redis", { program }: Bundle): Promise<Arena> {
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
    const cleanUp = opening.move();
    return new Arena({ env, rig, model, store, engine, instance, program, cleanUp });
  }

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

  async effects({ id, thread }: Run): Promise<string[]> {
    const lines = await this.#containers.effects(thread);
    return lines.filter((line) => line.startsWith(`${id}-`));
  }

  earlyEffects({ id }: Run): readonly string[] | undefined {
    return this.#humans.early.get(id);
  }

  processes({ thread }: Run): Promise<string> {
    return this.#containers.processes(thread);
  }

  async #begin(story: Story): Promise<Run> {
    const number = this.#runs.size;
    if (number % RUNS_A_THREAD === 0 || this.#isSpoilt) {
      await this.#containers.remove(this.#thread);
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
    let isGivenTime = false;
    const end = Date.now() + MOST_MS;
    for (;;) {
      const died = this.#funeral();
      if (died) {
        if (died.isKilled && fate !== undefined) kills.push(fate);
        else violations.push({ kind: "other", text: `the bot ended by itself: ${died.said}` });
        fate = coming.shift();
        await this.#giveBirth(fate);
        restsSince = Date.now();
        isGivenTime = false;
      }
      const state = await this.#humans.look(run);
      if (state === "over" && fate !== undefined && !isGivenTime) {
        isGivenTime = true;
        await sleep(LAST_STEPS_MS);
        continue;
      }
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
    const bot = this.#spare ?? new BotProcess(this.#program);
    this.#bot = bot;
    this.#spare = new BotProcess(this.#program);
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
