import { z } from "zod";

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const whole = (least: number) => z.coerce.number().int().min(least);

/** Everything an operator may choose about workspaces. */
export const WorkspaceSettings = z.object({
  /** unix:///path, tcp://host:port or ssh://user@host. */
  dockerHost: z.string().min(1).default("unix:///var/run/docker.sock"),
  /** Directory with ca.pem, cert.pem and key.pem for a tcp endpoint with TLS. */
  dockerCertDir: z.string().min(1).optional(),
  /** Socket of the ssh agent for an ssh endpoint. */
  sshAgent: z.string().min(1).optional(),
  image: z.string().min(1).default("deckhand-sandbox"),
  /** Another OCI runtime, e.g. runsc. One that the engine lacks is an error, never replaced by runc. */
  runtime: z.string().min(1).optional(),
  memoryBytes: whole(64 * MIB).default(2 * GIB),
  cpus: z.coerce.number().min(0.1).default(2),
  pids: whole(32).default(256),
  openFiles: whole(256).default(4096),
  /** Of /workspace and the home directory together. */
  diskBytes: whole(16 * MIB).default(4 * GIB),
  tmpBytes: whole(16 * MIB).default(512 * MIB),
  poolSize: whole(0).default(1),
  /** Workspaces that run at the same time, those of the pool not counted. */
  cap: whole(1).default(8),
  idleStopMs: whole(1).default(30 * MINUTE),
  retentionMs: whole(1).default(7 * DAY),
});
export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>;

/** The same as an operator sets them: sizes in MB, times in minutes and days. */
export const WORKSPACE_ENV = {
  DOCKER_HOST: WorkspaceSettings.shape.dockerHost.describe(
    "address of the Docker engine: `unix://…`, `tcp://…` (with TLS if there are certificates) or `ssh://…`",
  ),
  DOCKER_CERT_PATH: WorkspaceSettings.shape.dockerCertDir.describe(
    "directory with the certificates for `tcp://`",
  ),
  SSH_AUTH_SOCK: WorkspaceSettings.shape.sshAgent.describe("socket of the SSH agent for `ssh://`"),
  WORKSPACE_IMAGE: WorkspaceSettings.shape.image.describe("image of new workspaces"),
  WORKSPACE_RUNTIME: WorkspaceSettings.shape.runtime.describe(
    "OCI runtime such as `runsc`; workspaces do not start if the engine lacks it",
  ),
  WORKSPACE_MEMORY_MB: whole(64).default(2048).describe("memory per workspace, in MB"),
  WORKSPACE_DISK_MB: whole(16)
    .default(4096)
    .describe("disk per workspace, in MB; checkpoints may take as much again"),
  WORKSPACE_TMP_MB: whole(16).default(512).describe("size of `/tmp` in MB; it is kept in memory"),
  WORKSPACE_CPUS: WorkspaceSettings.shape.cpus.describe("processors per workspace"),
  WORKSPACE_PIDS: WorkspaceSettings.shape.pids.describe("processes per workspace"),
  WORKSPACE_POOL: WorkspaceSettings.shape.poolSize.describe("workspaces kept warm for new threads"),
  WORKSPACE_CAP: WorkspaceSettings.shape.cap.describe(
    "most workspaces that run at the same time; further threads wait in a queue",
  ),
  WORKSPACE_IDLE_MINUTES: z.coerce
    .number()
    .positive()
    .default(30)
    .describe("minutes until an unused workspace is stopped; its files stay"),
  WORKSPACE_RETENTION_DAYS: z.coerce
    .number()
    .positive()
    .default(7)
    .describe("days until an unused workspace and its files are removed"),
};

type WorkspaceEnv = z.infer<z.ZodObject<typeof WORKSPACE_ENV>>;

export function workspaceSettings(values: WorkspaceEnv): WorkspaceSettings {
  return WorkspaceSettings.parse({
    dockerHost: values.DOCKER_HOST,
    dockerCertDir: values.DOCKER_CERT_PATH,
    sshAgent: values.SSH_AUTH_SOCK,
    image: values.WORKSPACE_IMAGE,
    runtime: values.WORKSPACE_RUNTIME,
    memoryBytes: values.WORKSPACE_MEMORY_MB * MIB,
    diskBytes: values.WORKSPACE_DISK_MB * MIB,
    tmpBytes: values.WORKSPACE_TMP_MB * MIB,
    cpus: values.WORKSPACE_CPUS,
    pids: values.WORKSPACE_PIDS,
    poolSize: values.WORKSPACE_POOL,
    cap: values.WORKSPACE_CAP,
    idleStopMs: values.WORKSPACE_IDLE_MINUTES * MINUTE,
    retentionMs: values.WORKSPACE_RETENTION_DAYS * DAY,
  });
}
