import type { CheckpointDiff, PathChange } from "../../../src/contract/workspace/checkpoints.ts";
import { type Bytes, isWithin, shown, toText } from "./bytes.ts";
import { byPath, type Entry, type Tree } from "./entry.ts";
import type { Pace } from "./pace.ts";
import { unifiedHunks } from "./unified.ts";

const LISTED = 1000;
const MAX_CHARS = 60_000;
/** Larger files are only named. */
const MAX_SHOWN_BYTES = 512 * 1024;

/** One side of a comparison: a tree and how to get at its contents; undefined when a content is gone. */
export interface Side {
  readonly tree: Tree;
  read(entry: Entry): Buffer | undefined;
}

type Difference = Pick<
  CheckpointDiff,
  "added" | "removed" | "changed" | "changes" | "diff" | "truncated"
>;

/** What happened from one state to the other, as text for people. */
export async function diffTrees(
  from: Side,
  to: Side,
  { paths, pace }: { readonly paths: readonly Bytes[]; readonly pace: Pace },
): Promise<Difference> {
  const counts = { added: 0, removed: 0, changed: 0 };
  const changes: PathChange[] = [];
  let diff = "";
  let truncated = false;
  for (const [before, after] of differing(from.tree, to.tree, paths)) {
    if (pace.isDue) await pace.rest();
    const change = nameOfChange(before, after);
    counts[change] += 1;
    if (changes.length < LISTED) changes.push({ path: shownPath(before ?? after), change });
    if (truncated) continue;
    const text = describe(from, to, before, after);
    if (diff.length + text.length <= MAX_CHARS) diff += text;
    else truncated = true;
  }
  if (truncated) diff += "… the rest is not shown; name single paths to see more.\n";
  return { ...counts, changes, diff, truncated };
}

type Pair = readonly [Entry | undefined, Entry | undefined];

function* differing(from: Tree, to: Tree, paths: readonly Bytes[]): Generator<Pair> {
  const before = byPath(from.entries);
  const after = byPath(to.entries);
  const all = [...new Set([...before.keys(), ...after.keys()])].sort();
  for (const path of all) {
    if (!paths.some((top) => isWithin(path, top))) continue;
    const pair: Pair = [before.get(path), after.get(path)];
    if (!isEqual(...pair)) yield pair;
  }
}

/** Times do not count: people ask what changed, not what was touched. */
function isEqual(a: Entry | undefined, b: Entry | undefined): boolean {
  if (!a || !b || a.kind !== b.kind || a.mode !== b.mode) return false;
  if (a.uid !== b.uid || a.gid !== b.gid || a.content !== b.content) return false;
  const isUnread = a.kind === "file" && a.content === "";
  return !isUnread || (a.size === b.size && a.mtimeMs === b.mtimeMs);
}

function nameOfChange(before: Entry | undefined, after: Entry | undefined): PathChange["change"] {
  if (!before) return "added";
  return after ? "changed" : "removed";
}

function describe(
  from: Side,
  to: Side,
  before: Entry | undefined,
  after: Entry | undefined,
): string {
  const path = shownPath(before ?? after);
  if (before && after && before.kind === after.kind) {
    return attributes(path, before, after) + content(path, from, to, before, after);
  }
  const gone = before ? `removed ${noun(before)} ${path}\n` : "";
  const come = after ? `new ${noun(after)} ${path} (mode ${octal(after)})\n` : "";
  return gone + come + content(path, from, to, before, after);
}

function attributes(path: string, before: Entry, after: Entry): string {
  const mode =
    before.mode === after.mode ? "" : `mode of ${path}: ${octal(before)} → ${octal(after)}\n`;
  const owner = owners(before) === owners(after);
  return owner ? mode : `${mode}owner of ${path}: ${owners(before)} → ${owners(after)}\n`;
}

function content(
  path: string,
  from: Side,
  to: Side,
  before: Entry | undefined,
  after: Entry | undefined,
): string {
  const links = [before, after].map((entry) =>
    entry?.kind === "link" ? toText(entry.content) : "",
  );
  if (links[0] !== links[1]) return `link ${path}: ${links.map(linkText).join(" → ")}\n`;
  const [old, fresh] = [fileOnly(before), fileOnly(after)];
  if ((!old && !fresh) || (old?.content === fresh?.content && old?.content !== "")) return "";
  const texts = [readable(from, old), readable(to, fresh)];
  const reason = texts.find((text) => typeof text === "object");
  if (reason) return `${reason.why} ${path}: ${sizeOf(old)} → ${sizeOf(fresh)}\n`;
  const hunks = unifiedHunks(String(texts[0]), String(texts[1]));
  const heads = [old ? quoted("a/", path) : "/dev/null", fresh ? quoted("b/", path) : "/dev/null"];
  return hunks === "" ? "" : `--- ${heads[0]}\n+++ ${heads[1]}\n${hunks}`;
}

function fileOnly(entry: Entry | undefined): Entry | undefined {
  return entry?.kind === "file" ? entry : undefined;
}

/** The text of a file, or why it is not shown. */
function readable(side: Side, entry: Entry | undefined): string | { why: string } {
  if (!entry) return "";
  if (entry.content === "") return { why: "content not stored of" };
  if (entry.size > MAX_SHOWN_BYTES) return { why: "large file" };
  const bytes = side.read(entry);
  if (!bytes) return { why: "content lost of" };
  return isText(bytes) ? bytes.toString("utf8") : { why: "binary file" };
}

function isText(bytes: Buffer): boolean {
  const { isUtf8 } = process.getBuiltinModule("node:buffer");
  return !bytes.includes(0) && isUtf8(bytes);
}

function sizeOf(entry: Entry | undefined): string {
  return entry ? `${entry.size} bytes` : "none";
}

function linkText(target: string): string {
  return target === "" ? "none" : JSON.stringify(target);
}

function noun({ kind }: Entry): string {
  return kind === "other" ? "special file" : kind;
}

function octal({ mode }: Entry): string {
  return mode.toString(8).padStart(4, "0");
}

function owners({ uid, gid }: Entry): string {
  return `${uid}:${gid}`;
}

/** A name with a line break or a quote in it must not look like a line of the diff. */
function shownPath(entry: Entry | undefined): string {
  const path = shown(entry?.path ?? "");
  if (path.startsWith('"') || !/[\p{Cf}\p{Zl}\p{Zp}"\\]/u.test(path)) return path;
  const marked = path.replace(/["\\]/g, "\\$&").replace(/[\p{Cf}\p{Zl}\p{Zp}]/gu, octalBytes);
  return `"${marked}"`;
}

function octalBytes(text: string): string {
  return Array.from(Buffer.from(text), (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}

function quoted(prefix: string, path: string): string {
  return path.startsWith('"') ? `"${prefix}${path.slice(1)}` : prefix + path;
}
