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
