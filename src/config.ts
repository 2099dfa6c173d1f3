import { resolve } from "node:path";
import { z } from "zod";
import { WorkspaceSettings } from "./workspace/settings.ts";

/** What an operator sets, and where it goes. Sizes are in MB and times in minutes or days, as people say them. */
const SETTINGS = {
  DECKHAND_DATA_DIR: z.string().min(1).default("data"),
  DOCKER_HOST: WorkspaceSettings.shape.dockerHost,
  DOCKER_CERT_PATH: WorkspaceSettings.shape.dockerCertDir,
  SSH_AUTH_SOCK: WorkspaceSettings.shape.sshAgent,
  WORKSPACE_IMAGE: WorkspaceSettings.shape.image,
  WORKSPACE_RUNTIME: WorkspaceSettings.shape.runtime,
  WORKSPACE_MEMORY_MB: size(64).default(2048),
  WORKSPACE_DISK_MB: size(16).default(4096),
  WORKSPACE_TMP_MB: size(16).default(512),
  WORKSPACE_CPUS: WorkspaceSettings.shape.cpus,
  WORKSPACE_PIDS: WorkspaceSettings.shape.pids,
  WORKSPACE_POOL: WorkspaceSettings.shape.poolSize,
  WORKSPACE_CAP: WorkspaceSettings.shape.cap,
  WORKSPACE_IDLE_MINUTES: z.coerce.number().positive().default(30),
  WORKSPACE_RETENTION_DAYS: z.coerce.number().positive().default(7),
};

const MB = 1024 * 1024;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export interface Config {
  readonly dataDir: string;
  readonly workspaces: WorkspaceSettings;
}

export type Env = Readonly<Record<string, string | undefined>>;

/** Settings that cannot be used. The message names every problem, each with its variable. */
class ConfigError extends Error {
  override readonly name = "ConfigError";
}

export function readConfig(env: Env): Config {
  const given = Object.fromEntries(
    Object.keys(SETTINGS).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
  const parsed = z.object(SETTINGS).safeParse(given);
  if (!parsed.success) throw new ConfigError(problems(parsed.error));
  const values = parsed.data;
  return {
    dataDir: resolve(values.DECKHAND_DATA_DIR),
    workspaces: WorkspaceSettings.parse({
      dockerHost: values.DOCKER_HOST,
      dockerCertDir: values.DOCKER_CERT_PATH,
      sshAgent: values.SSH_AUTH_SOCK,
      image: values.WORKSPACE_IMAGE,
      runtime: values.WORKSPACE_RUNTIME,
      memoryBytes: values.WORKSPACE_MEMORY_MB * MB,
      diskBytes: values.WORKSPACE_DISK_MB * MB,
      tmpBytes: values.WORKSPACE_TMP_MB * MB,
      cpus: values.WORKSPACE_CPUS,
      pids: values.WORKSPACE_PIDS,
      poolSize: values.WORKSPACE_POOL,
      cap: values.WORKSPACE_CAP,
      idleStopMs: values.WORKSPACE_IDLE_MINUTES * MINUTE_MS,
      retentionMs: values.WORKSPACE_RETENTION_DAYS * DAY_MS,
    }),
  };
}

function size(least: number) {
  return z.coerce.number().int().min(least);
}

function problems(error: z.ZodError): string {
  const lines = error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  return `These settings cannot be used:\n${lines.join("\n")}\nCorrect them in the environment and start again.`;
}
