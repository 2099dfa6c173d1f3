import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createWebAdapter, type WebAdapter } from "../adapters/web/index.ts";
import { openChannelProfiles } from "./app/channel-profiles.ts";
import { type Core, openCore } from "./app/core.ts";
import { openHealth } from "./app/health.ts";
import { approverGapsOf } from "./app/permissions.ts";
import { platformHooks } from "./app/platform-hooks.ts";
import { webHooks } from "./app/web-hooks.ts";
import { type Config, type Env, readConfig } from "./config.ts";
import type { EgressDecision } from "./contract/network.ts";
import type { Adapter } from "./contract/platform/adapter.ts";
import { StoredUploadBudget } from "./conversation/upload-budget.ts";
import { createLog } from "./lib/log.ts";
import { OperatorError } from "./lib/operator-error.ts";
import { Connector } from "./network/connector.ts";
import { WorkspaceEgress } from "./network/egress.ts";
import { createRedactor } from "./redaction/redactor.ts";
import { openStore } from "./store/open-store.ts";
import { createServerContainers } from "./workspace/docker/server-containers.ts";
import { createWorkspaces } from "./workspace/workspaces.ts";

/** Disposing of it lets go of everything that lives long; workspaces and their terminals stay for the next start. */
export interface App extends AsyncDisposable {
  readonly config: Config;
  readonly core: Core;
  /** Undefined where the web chat is off. */
  readonly web: WebAdapter | undefined;
  /** From here on it says that it is not ready. */
  readonly drain: () => void;
}

export interface AppOptions {
  readonly env: Env;
  /** Where log lines go. */
  readonly write: (line: string) => void;
}

/** The composition root: the only place where long-lived things are made. */
export async function createApp({ env, write }: AppOptions): Promise<App> {
  const config = readConfig(env);
  await using opened = new AsyncDisposableStack();
  const redactor = createRedactor({
    secrets: config.secrets,
    warn: (message) => write(`${message}\n`),
  });
  const log = createLog({ ...config.log, write, redact: redactor.redact });
  const store = opened.use(await openStore(config.store));
  const channels = openChannelProfiles(config.channelsFile);
  for (const gap of approverGapsOf(config)) log("warn", gap);
  const connector = new Connector();
  const egress = opened.use(
    new WorkspaceEgress({
      // Whoever decides stands on everything that is made below.
      gate: {
        decide: (conversation, request): Promise<EgressDecision> =>
          core.gate?.decide(conversation, request) ?? Promise.resolve(STARTING),
      },
      connector,
      limits: config.network.limits,
      documents: store.documents("network-usage"),
      log,
    }),
  );
  const workspaces = await createWorkspaces({
    settings: config.workspaces,
    dataDir: config.dataDir,
    seccomp: readFileSync(new URL("../sandbox-image/seccomp.json", import.meta.url), "utf8"),
    log,
    redact: redactor.redact,
    imageOf: channels.imageOf,
    network: egress,
  });
  opened.defer(() => workspaces.close());

  const adapters = new Map<string, Adapter>();
  // Asked until everything else has ended.
  const health = opened.use(
    await openHealth({
      config,
      store,
      workspaces,
      adapters,
      redact: redactor.redact,
      model: () => core.model,
    }),
  );
  const core: Core = opened.use(
    await openCore({
      config,
      store,
      redactor,
      log,
      workspaces,
      containers: createServerContainers({
        settings: config.workspaces,
        dataDir: config.dataDir,
      }),
      channels,
      connector,
      egress,
      adapterOf: (thread) => adapterOf(adapters, thread),
    }),
  );
  const web = config.hasWebChat
    ? opened.use(
        await createWebAdapter({
          config: config.webChat,
          documents: store.documents("web"),
          uploadBudget: new StoredUploadBudget({
            documents: store.documents("web-uploads"),
            bytesPerHour: config.uploadBytesPerHour,
          }),
          filesDirectory: join(config.dataDir, "web-files"),
          hooks: webHooks({ core, workspaces, redactor }),
          log,
        }),
      )
    : undefined;
  if (web) adapters.set(web.platform, web);
  const hooks = platformHooks(core);
  for (const platform of config.platforms) {
    const documents = store.documents(platform.name);
    adapters.set(platform.name, opened.use(await platform.open({ documents, hooks, log })));
  }
  await core.start();
  for (const adapter of adapters.values()) {
    await adapter.start(core.receive, () => void core.conversations.restore(adapter.platform));
  }
  health.start();
  const everything = opened.move();
  return {
    config,
    core,
    web,
    drain: health.drain,
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  };
}

const STARTING = { outcome: "refused" as const, reason: "Deckhand is starting. Try again." };

function adapterOf(adapters: ReadonlyMap<string, Adapter>, thread: string): Adapter {
  const platform = thread.split(":")[0] ?? "";
  const adapter = adapters.get(platform);
  if (!adapter)
    throw new OperatorError(
      `The platform "${platform}" is not set up, so its threads cannot be reached.`,
    );
  return adapter;
}
