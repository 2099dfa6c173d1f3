import { readFileSync } from "node:fs";
import { type Config, type Env, readConfig } from "./config.ts";
import type { Workspaces } from "./contract/workspace.ts";
import { createWorkspaces } from "./workspace/workspaces.ts";

/** Disposing of it lets go of everything that lives long; workspaces and their terminals stay for the next start. */
export interface App extends AsyncDisposable {
  readonly config: Config;
  readonly workspaces: Workspaces;
}

export interface AppOptions {
  readonly env: Env;
  /** Where warnings go. */
  readonly warn: (message: string) => void;
}

/** The composition root: the only place where long-lived things are made. */
export async function createApp({ env, warn }: AppOptions): Promise<App> {
  const config = readConfig(env);
  const seccomp = readFileSync(new URL("../sandbox-image/seccomp.json", import.meta.url), "utf8");
  const workspaces = await createWorkspaces({
    settings: config.workspaces,
    dataDir: config.dataDir,
    seccomp,
    log: (level, message) => {
      if (level === "warn" || level === "error") warn(message);
    },
  });
  return { config, workspaces, [Symbol.asyncDispose]: () => workspaces.close() };
}
