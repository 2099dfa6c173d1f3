import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Engine } from "./docker.ts";
import { WorkspaceError } from "./errors.ts";
import type { Names } from "./names.ts";
import type { Log } from "./options.ts";

const run = promisify(execFile);

/** The parts that users fill. The third volume holds root's own small files. */
const LIMITED = ["files", "home"] as const;
const TOOL_TIMEOUT_MS = 30_000;

export interface DiskLimitOptions {
  readonly engine: Engine;
  readonly names: Names;
  readonly bytes: number;
  /** Keeps an empty file system to copy from: making one takes several times as long. */
  readonly dataDir: string;
  readonly log: Log;
}

/**
 * Makes a workspace's volumes as small as they should be: one sparse ext4 image per workspace, its
 * directories bound over the volumes' own. Needs root on the engine's host; elsewhere it does
 * nothing, and the watchdog looks after the disk.
 */
export class DiskLimit {
  readonly #options: DiskLimitOptions;
  #usable: boolean;
  #isProven = false;

  constructor(options: DiskLimitOptions & { usable: boolean }) {
    this.#options = options;
    this.#usable = options.usable;
  }

  /** Whether the kernel holds the limit. */
  get enforced(): boolean {
    return this.#usable;
  }

  /** May run while the container is being made: mounts the workspace's file system beside its volume. */
  async makeReady(workspace: string): Promise<void> {
    if (!this.#usable) return;
    const { engine, names } = this.#options;
    const volume = names.volume(workspace, "files");
    await engine.createVolume(volume, names.labels(workspace));
    const files = await engine.mountpoint(volume);
    if (!files || !existsSync(files)) this.giveUp("The engine's files are not visible from here.");
    else await this.#script({ files });
  }

  /** Before a container starts, also after the host or the engine was restarted. The volumes must exist. */
  async mount(workspace: string): Promise<void> {
    const [files, home] = await Promise.all(LIMITED.map((part) => this.#dataOf(workspace, part)));
    if (files && home && this.#isOurs(files)) await this.#script({ files, home });
  }

  /** Before a volume is removed: Docker cannot delete a directory that something is mounted on. */
  async unmount(workspace: string): Promise<void> {
    const mounted = await mountPoints();
    for (const part of LIMITED) {
      const data = await this.#dataOf(workspace, part);
      for (const point of data ? [data, baseOf(data)] : []) {
        if (mounted.has(point)) await tool("umount", ["--lazy", point]);
      }
    }
  }

  /** What is mounted for workspaces of this bot that no longer exist. */
  async unmountStale(known: ReadonlySet<string>): Promise<void> {
    if (!this.#usable) return;
    const ours = new RegExp(
      `/deckhand-${this.#options.names.instance}-([0-9a-f]+)-[a-z]+/(_data|disk)$`,
    );
    for (const point of await mountPoints()) {
      const workspace = ours.exec(point)?.[1];
      if (workspace && !known.has(workspace)) await tool("umount", ["--lazy", point]);
    }
  }

  /** What the first limited workspace sees of its disk tells whether the engine sees our mounts. */
  prove(totalBytes: number): void {
    this.#isProven = true;
    if (this.#usable && totalBytes > this.#options.bytes) this.giveUp("The engine cannot see it.");
  }

  get needsProof(): boolean {
    return this.#usable && !this.#isProven;
  }

  /** The engine does not see our mounts, or the host cannot make them. */
  giveUp(why: string): void {
    this.#usable = false;
    this.#options.log("warn", "The disk limit is watched, not enforced by the kernel.", { why });
  }

  /** Whether this workspace's files are, or will be, on a disk image of its own. */
  #isOurs(files: string): boolean {
    return this.#usable || existsSync(imageOf(files));
  }

  /** With a home, binds both; without one, only has the file system mounted beside the volume. */
  async #script(parts: Mounting): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#tryScript(parts);
        return;
      } catch (error) {
        // A bot that was killed may have left its mounting behind, half done and still going on.
        if (!(error instanceof WorkspaceError) || tries === MOUNT_TRIES) throw error;
        await delay(MOUNT_PAUSE_MS);
      }
    }
  }

  async #tryScript({ files, home }: Mounting): Promise<void> {
    const mounted = await mountPoints();
    const missing = [files, ...(home ? [home] : [])].filter((data) => !mounted.has(data));
    if (missing.length === 0) return;
    const { bytes, dataDir } = this.#options;
    const image = imageOf(files);
    const isInUse = existsSync(image);
    const env = {
      PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
      bytes: String(bytes),
      template: join(dataDir, `disk-${bytes}.ext4`),
      image,
      base: baseOf(files),
      mounted: mounted.has(baseOf(files)) ? "yes" : "",
    };
    const binds = home ? missing.map((data) => bind(data, data === files ? "files" : "home")) : [];
    const unmount = home ? ['umount "$base"'] : [];
    try {
      await tool("sh", ["-euc", [READY, ...binds, ...unmount].join("\n")], env);
    } catch (error) {
      // Files are on it already: without it the workspace would show others.
      if (isInUse) throw new WorkspaceError(NO_DISK, { cause: error });
      // A host without loop devices or mkfs: the workspace still works, watched instead of limited.
      this.giveUp(error instanceof Error ? error.message : String(error));
    }
  }

  async #dataOf(workspace: string, part: (typeof LIMITED)[number]): Promise<string | undefined> {
    const { engine, names } = this.#options;
    return engine.mountpoint(names.volume(workspace, part));
  }
}

interface Mounting {
  readonly files: string;
  readonly home?: string;
}

const MOUNT_TRIES = 5;
const MOUNT_PAUSE_MS = 400;

const NO_DISK =
  "This thread's disk could not be mounted; its files are safe. `npm run doctor` looks at the host, then try again.";

function imageOf(files: string): string {
  return files.replace(/_data$/, "disk.ext4");
}

/** Where the image is mounted until its directories are bound over the volumes. */
function baseOf(files: string): string {
  return files.replace(/_data$/, "disk");
}

// One shell for all of it, and as few programs as possible: they are what takes the time.
// The image is beside the volume's data, so that it disappears with the volume.
const READY = `
if [ ! -e "$template" ]; then
  truncate --size "$bytes" "$template.$$"
  mkfs.ext4 -q -F -m 0 -E lazy_itable_init=1,lazy_journal_init=1,nodiscard "$template.$$"
  mv -T "$template.$$" "$template"
fi
if [ ! -e "$image" ]; then
  mkdir -p -m 0700 "$base"
  cp --sparse=always "$template" "$image.new"
  mv -T "$image.new" "$image"
fi
[ -n "$mounted" ] || mount -o loop,nosuid,nodev,noatime "$image" "$base"`;

/**
 * Lies under the mount, where only a container sees it that was started without its disk: an engine that
 * is stopped takes our mounts away. The image's init refuses to start then, instead of showing other files.
 */
const DISK_MISSING = ".deckhand-disk-missing";

/** What the container's image brings was put into the volume when it was made, and is copied once. */
function bind(data: string, part: (typeof LIMITED)[number]): string {
  return `
[ -e "$base/${part}" ] || cp -a '${data}' "$base/${part}"
: > '${data}/${DISK_MISSING}'
mount --bind "$base/${part}" '${data}'`;
}

async function mountPoints(): Promise<Set<string>> {
  const table = await readFile("/proc/self/mountinfo", "utf8").catch(() => "");
  return new Set(table.split("\n").map((line) => line.split(" ")[4] ?? ""));
}

async function tool(name: string, args: string[], env?: Record<string, string>): Promise<void> {
  await run(name, args, { timeout: TOOL_TIMEOUT_MS, ...(env ? { env } : {}) });
}
