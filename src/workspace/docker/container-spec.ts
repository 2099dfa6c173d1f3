import { createHash } from "node:crypto";
import { type Names, SPEC_LABEL, VOLUME_PARTS, type VolumePart } from "../names.ts";
import type { WorkspaceSettings } from "../settings.ts";

/** What a workspace's container is made from besides its own name and volumes. */
export interface SpecInput {
  readonly settings: WorkspaceSettings;
  /** Content of seccomp.json. */
  readonly seccomp: string;
  /** The image as the engine names its content; a tag may point elsewhere tomorrow. */
  readonly imageId: string;
  /** Docker refuses more than the engine's host has. */
  readonly engineCpus: number;
  /** Absent where the engine's host has no AppArmor. */
  readonly apparmor?: string | undefined;
  readonly health?: HealthTimes | undefined;
}

/** How the engine looks whether the workspace's server still answers. */
export interface HealthTimes {
  readonly everyMs: number;
  readonly answerWithinMs: number;
  readonly retries: number;
}

/** Each check starts a process, about 50 ms of processor time for the engine. */
const HEALTH_TIMES: HealthTimes = { everyMs: 60_000, answerWithinMs: 5_000, retries: 2 };

/** Where each volume stands. The home is a volume of its own so that /workspace is empty at first. */
const VOLUME_TARGETS: Record<VolumePart, string> = {
  files: "/workspace",
  home: "/home/agent",
  /** Root's: which calls have run. It must outlive the container, or a repeated call would run twice. */
  state: "/var/lib/deckhand",
};

/**
 * Root's powers in the container: enough to own, replace and stop things, and to drop the rest. The workspace's
 * supervisor keeps DAC_READ_SEARCH, to resolve paths, and KILL.
 */
const ROOT_CAPABILITIES = [
  "CHOWN",
  "DAC_OVERRIDE",
  "DAC_READ_SEARCH",
  "FOWNER",
  "SETUID",
  "SETGID",
  "SETPCAP",
  "KILL",
];

const NANO = 1e9;
const NANO_PER_MS = 1e6;
const SHM_BYTES = 16 * 1024 * 1024;

/** The one way a workspace's container is made. Nothing that a user, a model or a file says gets in here. */
export function containerSpec(input: SpecInput, names: Names, workspace: string) {
  const { labels, mounts } = identity(names, workspace);
  return {
    ...process(input),
    Labels: { ...labels, [SPEC_LABEL]: specHash(input) },
    HostConfig: { ...hostConfig(input), Mounts: mounts },
  };
}

/** Changes when any workspace made now would differ from one made earlier. */
export function specHash(input: SpecInput): string {
  const constant = JSON.stringify([process(input), hostConfig(input), VOLUME_TARGETS]);
  return createHash("sha256").update(constant).digest("hex").slice(0, 32);
}

function process({ imageId, health = HEALTH_TIMES }: SpecInput) {
  return {
    Image: imageId,
    Hostname: "ws",
    // The image's init drops root itself, after it has put the volumes in order.
    User: "0:0",
    OpenStdin: true,
    StdinOnce: false,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    StopTimeout: 2,
    Healthcheck: healthcheck(health),
  };
}

/** The check ends by itself: an engine that runs out of patience leaves the process behind. */
function healthcheck({ everyMs, answerWithinMs, retries }: HealthTimes) {
  return {
    Test: ["CMD", "/opt/deckhand/init", "health", `${answerWithinMs}`],
    Interval: everyMs * NANO_PER_MS,
    Timeout: 2 * answerWithinMs * NANO_PER_MS,
    Retries: retries,
  };
}

function hostConfig({ settings, seccomp, engineCpus, apparmor }: SpecInput) {
  return {
    ...(settings.runtime === undefined ? {} : { Runtime: settings.runtime }),
    NetworkMode: "none",
    IpcMode: "private",
    CapDrop: ["ALL"],
    CapAdd: ROOT_CAPABILITIES,
    SecurityOpt: [
      "no-new-privileges",
      `seccomp=${seccomp}`,
      ...(apparmor === undefined ? [] : [`apparmor=${apparmor}`]),
    ],
    Privileged: false,
    // Only approved root may write outside the volumes: the kernel keeps uid 1000 out.
    ReadonlyRootfs: false,
    Init: true,
    PidsLimit: settings.pids,
    Memory: settings.memoryBytes,
    MemorySwap: settings.memoryBytes,
    NanoCpus: Math.round(Math.min(settings.cpus, engineCpus) * NANO),
    OomScoreAdj: 500,
    Ulimits: [
      { Name: "nofile", Soft: settings.openFiles, Hard: settings.openFiles },
      { Name: "core", Soft: 0, Hard: 0 },
      // /dev/mqueue is writable, and the kernel counts its queues per user across all containers.
      { Name: "msgqueue", Soft: 0, Hard: 0 },
    ],
    ShmSize: SHM_BYTES,
    Tmpfs: { "/tmp": `rw,exec,nosuid,nodev,mode=1777,size=${settings.tmpBytes}` },
    LogConfig: { Type: "none", Config: {} },
    RestartPolicy: { Name: "no" },
  };
}

function identity(names: Names, workspace: string) {
  const labels = names.labels(workspace);
  const mounts = VOLUME_PARTS.map((part) => ({
    Type: "volume" as const,
    Source: names.volume(workspace, part),
    Target: VOLUME_TARGETS[part],
    ReadOnly: false,
    VolumeOptions: { NoCopy: false, Labels: labels, DriverConfig: { Name: "local", Options: {} } },
  }));
  return { labels, mounts };
}
