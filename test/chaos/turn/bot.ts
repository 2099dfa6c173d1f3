/**
 * The whole bot in a process of its own, its platform at the other end of the line, every port with crash points
 * around its verbs. It kills itself where it is told to.
 */
import { readFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { inspect } from "node:util";
import { openCore } from "../../../src/app/core.ts";
import { readConfig } from "../../../src/config.ts";
import {
  type Adapter,
  type AdapterLimits,
  DeliveryError,
} from "../../../src/contract/platform/adapter.ts";
import type { Store } from "../../../src/contract/store.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { createWorkspaces } from "../../../src/workspace/workspaces.ts";
import { crashing } from "./crashing.ts";
import {
  ADAPTER_VERBS,
  type AdapterVerb,
  type BotSetup,
  type CrashPlan,
  type Ending,
  type FromBot,
  type ToBot,
} from "./messages.ts";

/** Every one of them bears it: to those who hold something for somebody they are one and the same. */
const NAME = "bot";

let plan: CrashPlan | undefined;
const visits = new Map<string, number>();
const asked = new Map<number, PromiseWithResolvers<unknown>>();
let numbers = 0;
let receive: Parameters<Adapter["start"]>[0] | undefined;

process.on("message", (message: ToBot) => {
  switch (message.kind) {
    case "go":
      go(message.setup).catch((error: unknown) => {
        process.stderr.write(`${inspect(error)}\n`);
        process.exit(1);
      });
      return;
    case "arm":
      plan = message.plan;
      visits.clear();
      return;
    case "event":
      return void hear(message);
    case "done":
      return settle(message.id, message.ending);
    case "report":
      return send({ kind: "visits", visits: Object.fromEntries(visits) });
  }
});
process.on("disconnect", () => process.exit(0));
// It will not come to an orderly end, which is when that would happen by itself.
flushCompileCache();
send({ kind: "loaded" });

async function go(setup: BotSetup): Promise<void> {
  plan = setup.plan;
  const config = readConfig(setup.env);
  const log = (level: string, message: string, fields: Record<string, unknown> = {}) => {
    if (level === "error") {
      const { error } = fields;
      const why = error instanceof Error ? (error.stack ?? error.message) : String(error ?? "");
      send({ kind: "problem", text: `${message} ${why}` });
    }
  };
  const store = crashing(alone(await openStore(config.store)), "store", announce);
  const workspaces = crashing(
    await createWorkspaces({
      settings: config.workspaces,
      dataDir: config.dataDir,
      seccomp: readFileSync(
        new URL("../../../sandbox-image/seccomp.json", import.meta.url),
        "utf8",
      ),
      log,
      redact: (text) => text,
    }),
    "workspaces",
    announce,
  );
  const adapter = crashing(remoteAdapter(setup.limits as AdapterLimits), "adapter", announce);
  const core = await openCore({
    config,
    store,
    redactor: createRedactor({ secrets: config.secrets }),
    log,
    workspaces,
    adapterOf: () => adapter,
    holder: NAME,
    pace: { leastEditGapMs: 100, inboxHoldMs: 150 },
  });
  // These two are made inside; whoever uses them goes through the points all the same.
  if (core.model) crashing(core.model, "model", announce);
  crashing(core.audit, "audit", announce);
  const door = crashing({ receive: core.receive }, "door", announce);
  await core.start();
  await adapter.start(door.receive, () => void core.conversations.restore(adapter.platform));
}

function announce(point: string): void {
  const times = (visits.get(point) ?? 0) + 1;
  visits.set(point, times);
  if (point === plan?.point && times === plan.hit) process.kill(process.pid, "SIGKILL");
}

/**
 * There is never a second bot here, so whoever starts need not wait until the hold of the dead one on a conversation runs
 * out. (What happens then is shown elsewhere, with two replicas.)
 */
function alone(store: Store): Store {
  const known = new Set<string>();
  const { lease } = store;
  return Object.assign(store, {
    lease: async (conversation: string, holder: string, ttlMs: number) => {
      const isFirst = !known.has(conversation);
      known.add(conversation);
      for (const dead of isFirst ? [NAME, `${NAME}:people`] : []) {
        await (await lease(conversation, dead, ttlMs))?.release();
      }
      return lease(conversation, holder, ttlMs);
    },
  });
}

/** An adapter whose platform is at the other end of the line. */
function remoteAdapter(limits: AdapterLimits): Adapter {
  const acts = ADAPTER_VERBS.map((verb) => [verb, (...args: unknown[]) => act(verb, args)]);
  return {
    platform: "memory",
    limits,
    ...(Object.fromEntries(acts) as Pick<Adapter, AdapterVerb>),
    start: async (given) => {
      receive = given;
      send({ kind: "listening" });
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function act(verb: AdapterVerb, args: unknown[]): Promise<unknown> {
  numbers += 1;
  const waiting = Promise.withResolvers<unknown>();
  asked.set(numbers, waiting);
  send({ kind: "act", id: numbers, verb, args });
  return waiting.promise;
}

function settle(id: number, ending: Ending): void {
  const waiting = asked.get(id);
  asked.delete(id);
  if ("value" in ending) {
    waiting?.resolve(ending.value);
    return;
  }
  const { error, when, retryAfterMs } = ending;
  waiting?.reject(
    when
      ? new DeliveryError(when, error, retryAfterMs === undefined ? {} : { retryAfterMs })
      : new Error(error),
  );
}

async function hear({ id, incoming }: Extract<ToBot, { kind: "event" }>): Promise<void> {
  try {
    if (!receive) throw new Error("nobody listens yet");
    send({ kind: "receipt", id, receipt: await receive(incoming) });
  } catch (error) {
    send({ kind: "receipt", id, error: String(error) });
  }
}

function send(message: FromBot): void {
  process.send?.(message);
}
