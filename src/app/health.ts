import type { Config } from "../config.ts";
import type { Model } from "../contract/model.ts";
import type { Adapter } from "../contract/platform/adapter.ts";
import type { Store } from "../contract/store.ts";
import type { Workspaces } from "../contract/workspace/workspace.ts";
import { HealthMonitor, type Probe } from "../health/health-monitor.ts";
import { startHealthServer } from "../health/health-server.ts";
import { OperatorError } from "../lib/operator-error.ts";

interface HealthParts {
  readonly config: Pick<Config, "health">;
  readonly store: Store;
  readonly workspaces: Workspaces;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly model: () => Model | undefined;
  readonly redact: (text: string) => string;
}

interface OpenHealth extends AsyncDisposable {
  /** Once everything is there that it looks at. */
  start(): void;
  drain(): void;
}

const STORE_EVERY_MS = 10_000;
const ENGINE_EVERY_MS = 15_000;
const PLATFORM_EVERY_MS = 5_000;
/** It is a request to somebody else's server. */
const MODEL_EVERY_MS = 60_000;

/** Where someone wants to know, looks after everything that the bot needs, and tells of it. */
export async function openHealth(parts: HealthParts): Promise<OpenHealth> {
  const { config, redact } = parts;
  if (!config.health) {
    return {
      start: () => undefined,
      drain: () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
    };
  }
  let monitor = new HealthMonitor([STARTING], { redact });
  const server = await startHealthServer({ ...config.health, report: () => monitor.report() });
  return {
    start: () => {
      monitor = new HealthMonitor(probesOf(parts), { redact });
      monitor.start();
    },
    drain: () => monitor.drain(),
    [Symbol.asyncDispose]: async () => {
      monitor[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Never looked at, so never ready. */
const STARTING: Probe = { name: "start", everyMs: 1, check: () => undefined };

function probesOf({ store, workspaces, adapters, model }: HealthParts): Probe[] {
  const documents = store.documents("health");
  const checkModel = async (signal: AbortSignal) => {
    const problem = await model()?.check(signal);
    if (problem) throw problem;
  };
  return [
    { name: "store", everyMs: STORE_EVERY_MS, check: () => documents.get("look") },
    { name: "engine", everyMs: ENGINE_EVERY_MS, check: () => workspaces.list() },
    ...(model() ? [{ name: "model", everyMs: MODEL_EVERY_MS, check: checkModel }] : []),
    ...[...adapters].map(([name, adapter]) => ({
      name,
      everyMs: PLATFORM_EVERY_MS,
      check: () => {
        if (adapter.isConnected?.() === false) throw new OperatorError("not connected");
      },
    })),
  ];
}
