import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { WorkspaceError } from "../../contract/workspace/workspace.ts";
import type { Engine } from "../docker/docker.ts";
import { type Names, VOLUME_PARTS, type VolumePart, WORKSPACE_LABEL } from "../names.ts";
import type { Log } from "../options.ts";
import { protectImages } from "./disk-modes.ts";
import { mountPoints, systemTool, unmount } from "./mounts.ts";

/** Where the records of an older version have to be copied. */
const MIGRATION_TIMEOUT_MS = 15 * 60_000;
const MIB = 1024 ** 2;

/**
 * What a workspace writes is on two disks, so that a full /workspace never keeps the ledger from recording a call: one
 * for the parts that users fill, one for the records and checkpoints that the workspace's server keeps about them.
 */
const DISKS = [
  { parts: ["files", "home"], at: "files", mkfs: "", mount: "" },
  // One inode per block: small files never run out of inodes before they run out of room.
  { parts: ["state"], at: "state", mkfs: "-b 4096 -i 4096 -J size=4", mount: ",noinit_itable" },
] as const satisfies readonly Disk[];

interface Disk {
  readonly parts: readonly VolumePart[];
  /** The volume that the image lies beside, so that it disappears with the volume. */
  readonly at: VolumePart;
  readonly mkfs: string;
  readonly mount: string;
}

/** The state's disk: the checkpoint store's limit, the file system's own needs, and room that only records may use. */
export function stateDiskBytes(diskBytes: number): number {
  return Math.ceil((diskBytes * 1.1) / MIB) * MIB + 128 * MIB;
}

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
    const places = new Map<VolumePart, string>();
    for (const { at } of DISKS) {
      const volume = names.volume(workspace, at);
      await engine.createVolume(volume, names.labels(workspace));
      const data = await engine.mountpoint(volume);
      if (!data || !existsSync(data))
        return this.giveUp("The engine's files are not visible to the bot.");
      places.set(at, data);
    }
    await this.#script(places, { bind: false });
  }

  /** Before a container starts, also after the host or the engine was restarted. The volumes must exist. */
  async mount(workspace: string): Promise<void> {
    const places = new Map<VolumePart, string>();
    for (const part of VOLUME_PARTS) {
      const data = await this.#dataOf(workspace, part);
      if (data === undefined) return;
      places.set(part, data);
    }
    await this.#script(places, { bind: true });
  }

  /** Before a volume is removed: Docker cannot delete a directory that something is mounted on. */
  async unmount(workspace: string): Promise<void> {
    const mounted = await mountPoints();
    for (const part of VOLUME_PARTS) {
      const data = await this.#dataOf(workspace, part);
      for (const point of data ? [data, baseOf(data)] : []) {
        if (mounted.has(point)) await unmount(point);
      }
    }
  }

  /** At every start of the bot, for images that an older version made. */
  async protect(volumes: readonly string[]): Promise<void> {
    if (!this.#usable) return;
    const { engine, dataDir } = this.#options;
    const found = await Promise.all(volumes.map((volume) => engine.mountpoint(volume)));
    await protectImages(
      dataDir,
      found.filter((data) => data !== undefined),
    );
  }

  /** What is mounted for workspaces of this bot that no longer exist. */
  async unmountStale(): Promise<void> {
    if (!this.#usable) return;
    const { engine, names } = this.#options;
    const ours = new RegExp(`/deckhand-${names.instance}-([0-9a-f]+)-[a-z]+/(_data|disk)$`);
    const mounted = await mountPoints();
    // Listed after the mounts: a workspace that is being made meanwhile had its volume before its mount.
    const volumes = await engine.volumes(names.label);
    const known = new Set(volumes.map(({ labels }) => labels[WORKSPACE_LABEL]));
    for (const point of mounted) {
      const workspace = ours.exec(point)?.[1];
      if (workspace && !known.has(workspace)) await unmount(point);
    }
  }

  /** What the first limited workspace sees of its disk tells whether the engine sees our mounts. */
  prove(totalBytes: number): void {
    this.#isProven = true;
    if (this.#usable && totalBytes > this.#options.bytes)
      this.giveUp("The engine does not see the bot's mounts.");
  }

  get needsProof(): boolean {
    return this.#usable && !this.#isProven;
  }

  /** The engine does not see our mounts, or the host cannot make them. */
  giveUp(why: string): void {
    this.#usable = false;
    this.#options.log("warn", "The disk limit is enforced by a watchdog, not by the kernel.", {
      why,
    });
  }

  /** Mounts each disk beside its volume, and with `bind` over the volumes of its parts. */
  async #script(places: Places, { bind }: { bind: boolean }): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#tryScript(places, bind);
        return;
      } catch (error) {
        // A bot that was killed may have left its mounting behind, half done and still going on.
        if (!(error instanceof WorkspaceError) || tries === MOUNT_TRIES) throw error;
        await delay(MOUNT_PAUSE_MS);
      }
    }
  }

  async #tryScript(places: Places, bind: boolean): Promise<void> {
    const mounted = await mountPoints();
    const ours = DISKS.filter(({ at }) => this.#usable || existsSync(imageOf(placeOf(places, at))));
    const isInUse = ours.some(({ at }) => existsSync(imageOf(placeOf(places, at))));
    const scripts = ours.flatMap((disk) => this.#scriptOf(disk, places, mounted, bind));
    if (scripts.length === 0) return;
    try {
      const limit = isOldState(places) ? { timeoutMs: MIGRATION_TIMEOUT_MS } : {};
      await systemTool("sh", ["-euc", [READY, ...scripts].join("\n")], limit);
    } catch (error) {
      // Files are on it already: without it the workspace would show others.
      if (isInUse) throw new WorkspaceError(NO_DISK, { cause: error });
      // A host without loop devices or mkfs: the workspace still works, watched instead of limited.
      this.giveUp(error instanceof Error ? error.message : String(error));
    }
  }

  #scriptOf(disk: Disk, places: Places, mounted: ReadonlySet<string>, bind: boolean): string[] {
    const missing = disk.parts.filter((part) => !mounted.has(places.get(part) ?? ""));
    if (missing.length === 0) return [];
    const { bytes, dataDir } = this.#options;
    const data = placeOf(places, disk.at);
    const size = disk.at === "state" ? stateDiskBytes(bytes) : bytes;
    const template = join(dataDir, `${disk.at === "state" ? "state" : "disk"}-${size}.ext4`);
    const isMounted = mounted.has(baseOf(data)) ? "yes" : "";
    const old = disk.at === "state" ? data : "";
    const words = [template, size, imageOf(data), baseOf(data), isMounted];
    words.push(disk.mkfs, disk.mount, old);
    const ready = `ready ${words.map((word) => quoted(String(word))).join(" ")}`;
    if (!bind) return [ready];
    const binds = missing.map((part) => bindScript(placeOf(places, part), part));
    return [ready, ...binds, 'umount "$base"'];
  }

  async #dataOf(workspace: string, part: VolumePart): Promise<string | undefined> {
    const { engine, names } = this.#options;
    return engine.mountpoint(names.volume(workspace, part));
  }
}

type Places = ReadonlyMap<VolumePart, string>;

function placeOf(places: Places, part: VolumePart): string {
  const data = places.get(part);
  if (data === undefined) throw new WorkspaceError(NO_DISK);
  return data;
}

const MOUNT_TRIES = 5;
const MOUNT_PAUSE_MS = 400;

const NO_DISK =
  "This thread's disk could not be mounted; its files are safe. Run `npm run doctor` on the host, then try again.";

function imageOf(files: string): string {
  return files.replace(/_data$/, "disk.ext4");
}

/** Where the image is mounted until its directories are bound over the volumes. */
function baseOf(files: string): string {
  return files.replace(/_data$/, "disk");
}

/** Written by the server at its first start. */
const LEDGER = "ledger.a";

/** An older version, or a bot without the right to mount, kept the state without a disk of its own. */
function isOldState(places: Places): boolean {
  return existsSync(join(placeOf(places, "state"), LEDGER));
}

// One shell for all of it, and as few programs as possible: they are what takes the time.
// Only root may read an image: it holds every file of its workspace.
// All of an old state gets room, also where it is over the limit: the server evicts the oldest checkpoints when it makes
// the next one, and the thread sees a message. The sum is that of stateDiskBytes, in KiB that are in use.
const READY = `
umask 077
make() {
  truncate --size "$2" "$1"
  mkfs.ext4 -q -F -m 0 $mkfs -E lazy_itable_init=1,lazy_journal_init=1,nodiscard "$1"
}
ready() {
  template=$1 bytes=$2 image=$3 base=$4 mounted=$5 mkfs=$6 mount=$7 old=$8
  if [ ! -e "$template" ]; then
    make "$template.$$" "$bytes"
    mv -T "$template.$$" "$template"
  fi
  if [ ! -e "$image" ]; then
    mkdir -p -m 0700 "$base"
    room=$bytes
    if [ -e "$old/${LEDGER}" ]; then
      used=$(du -sk "$old")
      room=$((\${used%%[!0-9]*} * 1127 + ${128 * MIB}))
    fi
    if [ "$room" -gt "$bytes" ]; then make "$image.new" "$room"
    else cp --sparse=always "$template" "$image.new"; fi
    mv -T "$image.new" "$image"
  fi
  [ -n "$mounted" ] || mount -o "loop,nosuid,nodev,noatime$mount" "$image" "$base"
}`;

/**
 * Lies under the mount, where only a container sees it that was started without its disk: an engine that
 * is stopped takes our mounts away. The image's init refuses to start then, instead of showing other files.
 */
const DISK_MISSING = ".deckhand-disk-missing";

/** What the volume held before, from the container's image or an older version of the bot, is copied once. */
function bindScript(data: string, part: VolumePart): string {
  return `
data=${quoted(data)}
${part === "state" ? LOCK_OLD_STATE : ""}
if [ ! -e "$base/${part}" ]; then
  rm -rf "$base/${part}.new"
  cp -a "$data" "$base/${part}.new"
  mv -T "$base/${part}.new" "$base/${part}"
fi
${part === "state" ? REMOVE_OLD_STATE : ""}
: > "$data/${DISK_MISSING}"
mount --bind "$base/${part}" "$data"`;
}

// A bot that was killed leaves its shell behind, which may still be copying.
const LOCK_OLD_STATE = `
if [ -e "$data/${LEDGER}" ]; then
  exec 9< "$base"
  flock 9
fi`;

// Entered before the look at the device: what is mounted over the directory meanwhile is not deleted. The ledger goes
// last, so that a removal that was cut off is completed.
const REMOVE_OLD_STATE = `
if [ -e "$data/${LEDGER}" ]; then
  sync -f "$base"
  (
    cd "$data"
    if [ "$(stat -c %d .)" = "$(stat -c %d "$data/..")" ]; then
      find . -mindepth 1 ! -path './${LEDGER}' ! -path './${DISK_MISSING}' -delete
      rm -f ./${LEDGER}
    fi
  )
fi`;

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
