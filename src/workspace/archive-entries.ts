import { posix } from "node:path";
import { type Extract, extract, type Header, type Pack } from "tar-stream";
import { WorkspaceError } from "../contract/workspace/workspace.ts";

export interface ArchiveLimits {
  readonly entries: number;
  readonly bytes: number;
}

const NAME_LIMIT_CHARS = 4096;
const AGENT = 1000;
const KINDS = new Set(["file", "contiguous-file", "directory", "symlink", "link"]);

/** Copies a tar stream entry by entry, and refuses the whole when one entry reaches outside. */
export async function copyChecked(
  source: NodeJS.ReadableStream,
  target: Pack,
  limits: ArchiveLimits,
): Promise<void> {
  const reader = extract();
  source.on("error", (error) => reader.destroy(error));
  source.pipe(reader);
  const tally = { entries: 0, bytes: 0 };
  for await (const entry of reader) {
    count(tally, entry.header, limits);
    await copyEntry(entry, checkHeader(entry.header), target);
  }
  target.finalize();
}

/** What may be written, owned by the workspace's user. Throws for what may not. */
function checkHeader(header: Header): Header {
  const { name, type, linkname } = header;
  if (!KINDS.has(type ?? "file")) refuse(name, `is a ${type}`);
  if (name.length > NAME_LIMIT_CHARS || name.includes("\0")) refuse(name, "has no usable name");
  if (reachesOut(name)) refuse(name, "is outside the target directory");
  if (type === "symlink" && reachesOut(linkname, posix.dirname(name))) {
    refuse(name, "links to a place outside");
  }
  if (type === "link" && reachesOut(linkname)) refuse(name, "links to a place outside");
  const owned = { uid: AGENT, gid: AGENT, uname: "", gname: "" };
  // No set-user-id and no sticky bits from elsewhere.
  return { ...header, ...owned, mode: (header.mode ?? 0o644) & 0o777, pax: null };
}

function reachesOut(path: string | null | undefined, from = "."): boolean {
  if (!path || path.startsWith("/")) return true;
  const landing = posix.normalize(posix.join(from, path));
  return landing === ".." || landing.startsWith("../");
}

function count(tally: { entries: number; bytes: number }, header: Header, limits: ArchiveLimits) {
  tally.entries += 1;
  tally.bytes += header.size ?? 0;
  if (tally.entries > limits.entries) {
    throw new WorkspaceError(`The archive has more than ${limits.entries} entries.`);
  }
  if (tally.bytes > limits.bytes) {
    throw new WorkspaceError(`The archive unpacks to more than ${limits.bytes} bytes.`);
  }
}

type Entry = Extract extends AsyncIterable<infer One> ? One : never;

function copyEntry(entry: Entry, header: Header, target: Pack): Promise<void> {
  return new Promise((resolve, reject) => {
    entry.on("error", reject);
    entry.pipe(target.entry(header, (error) => (error ? reject(error) : resolve())));
  });
}

function refuse(name: string, why: string): never {
  const shown = JSON.stringify(name.slice(0, 200));
  throw new WorkspaceError(`Unpacking stopped at ${shown}: it ${why}.`);
}
