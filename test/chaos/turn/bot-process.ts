import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import type { Receipt } from "../../../src/contract/platform/adapter.ts";
import { DeliveryError } from "../../../src/contract/platform/adapter.ts";
import type { Incoming } from "../../../src/contract/platform/incoming.ts";
import type { MemoryRig } from "../../support/memory-adapter.ts";
import type { AdapterVerb, BotSetup, CrashPlan, Ending, FromBot, ToBot } from "./messages.ts";

/** One life of the bot, seen from the platform's side. At first it has everything imported, and waits to be told who it is. */
export class BotProcess {
  readonly problems: string[] = [];
  /** How it ended: a signal's name, or "exit" and a code. */
  ended: string | undefined;
  readonly exited: Promise<void>;
  readonly #child: ChildProcess;
  readonly #loaded = Promise.withResolvers<void>();
  readonly #receipts = new Map<number, PromiseWithResolvers<Receipt>>();
  #visits: PromiseWithResolvers<Readonly<Record<string, number>>> | undefined;
  #rig: MemoryRig | undefined;
  #numbers = 0;

  constructor(program: string) {
    this.#child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program], {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      serialization: "advanced",
      // Halves the time that it takes to start.
      env: { ...process.env, NODE_COMPILE_CACHE: join(dirname(program), "compiled") },
    });
    this.#child.stderr?.on("data", (chunk) => this.problems.push(String(chunk)));
    this.#child.on("message", (message: FromBot) => void this.#hear(message));
    this.exited = this.#exit();
    this.#loaded.promise.catch(() => undefined);
  }

  async start(rig: MemoryRig, setup: BotSetup): Promise<void> {
    this.#rig = rig;
    // One that could not even be loaded has ended, and whoever looks at it sees why.
    await this.#loaded.promise.catch(() => undefined);
    this.#send({ kind: "go", setup });
  }

  arm(plan: CrashPlan | undefined): void {
    this.#send({ kind: "arm", plan });
  }

  /** How often it came by each point since it was armed. */
  async visits(): Promise<Readonly<Record<string, number>>> {
    if (this.ended !== undefined) return {};
    this.#visits ??= Promise.withResolvers();
    this.#send({ kind: "report" });
    const visits = await this.#visits.promise;
    this.#visits = undefined;
    return visits;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  async #exit(): Promise<void> {
    const [code, signal] = (await once(this.#child, "exit")) as [number | null, string | null];
    this.ended = signal ?? `exit ${code}`;
    const gone = new Error(`The bot is gone (${this.ended}).`);
    this.#loaded.reject(gone);
    this.#visits?.resolve({});
    await this.#rig?.adapter[Symbol.asyncDispose]();
    for (const waiting of this.#receipts.values()) waiting.reject(gone);
    this.#receipts.clear();
  }

  async #hear(message: FromBot): Promise<void> {
    switch (message.kind) {
      case "loaded":
        return this.#loaded.resolve();
      case "listening":
        if (this.ended === undefined) await this.#rig?.adapter.start((event) => this.#tell(event));
        return;
      case "act":
        return this.#act(message.id, message.verb, message.args);
      case "receipt": {
        const waiting = this.#receipts.get(message.id);
        this.#receipts.delete(message.id);
        if (message.receipt) waiting?.resolve(message.receipt);
        else waiting?.reject(new Error(message.error));
        return;
      }
      case "visits":
        return this.#visits?.resolve(message.visits);
      case "problem":
        this.problems.push(message.text);
        return;
    }
  }

  async #tell(incoming: Incoming): Promise<Receipt> {
    if (this.ended !== undefined) throw new Error("The bot is gone.");
    this.#numbers += 1;
    const waiting = Promise.withResolvers<Receipt>();
    this.#receipts.set(this.#numbers, waiting);
    this.#send({ kind: "event", id: this.#numbers, incoming });
    return waiting.promise;
  }

  async #act(id: number, verb: AdapterVerb, args: unknown[]): Promise<void> {
    if (!this.#rig) return;
    this.#send({ kind: "done", id, ending: await endingOf(this.#rig, verb, args) });
  }

  #send(message: ToBot): void {
    // A bot that dies in this instant hears nothing, like any other.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }
}

async function endingOf(rig: MemoryRig, verb: AdapterVerb, args: unknown[]): Promise<Ending> {
  const act = rig.adapter[verb].bind(rig.adapter) as (...args: unknown[]) => Promise<unknown>;
  try {
    return { value: await act(...args) };
  } catch (error) {
    const told = error instanceof DeliveryError ? error : undefined;
    return {
      error: String(error),
      ...(told ? { when: told.when, retryAfterMs: told.retryAfterMs } : {}),
    };
  }
}
