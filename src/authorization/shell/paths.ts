import { posix } from "node:path";
import { BRACKET, INSIDE, QUESTION, readable, STAR, UNKNOWN, UNKNOWN_WORDS } from "./word.ts";

/** Where a path lies, as far as the guard cares. */
export type Zone =
  | "workspace"
  | "temporary"
  | "home"
  | "stream"
  | "network"
  | "device"
  | "outside"
  | "unknown";

export interface Places {
  readonly workspaceDir: string;
  readonly homeDir: string;
}

/** The absolute shapes that a path may have, one for each directory the shell may stand in. */
export function absoluteShapes(shape: string, directories: readonly string[]): readonly string[] {
  const path = shape.includes(UNKNOWN_WORDS) ? shape.replaceAll(UNKNOWN_WORDS, UNKNOWN) : shape;
  if (path.startsWith("/")) return [normal(path)];
  if (path.startsWith(UNKNOWN)) return [path];
  return shapesIn(directories, path);
}

/** `..` behind a name: where that name is a link, the kernel goes up from where it leads. */
const CLIMBS_BEHIND_NAME = /(?:^|\/)(?!\.{1,2}(?:\/|$))[^/]+\/+(?:\.\/+)*\.\.(?:\/|$)/;

/** The same with every `..` in its place behind a name. `cd` by itself goes up in the text, as bash does. */
export function absoluteRoutes(shape: string, directories: readonly string[]): readonly string[] {
  const path = shape.includes(UNKNOWN_WORDS) ? shape.replaceAll(UNKNOWN_WORDS, UNKNOWN) : shape;
  if (path.startsWith(UNKNOWN)) return [path];
  const routes = path.startsWith("/")
    ? [path]
    : directories.map((directory) => `${directory}/${path}`);
  return routes.map((route) => (CLIMBS_BEHIND_NAME.test(route) ? route : normal(route)));
}

/** Every rule that looks at a word asks for its paths again, and `directories` is a new list after every change. */
const KNOWN_SHAPES = new WeakMap<readonly string[], Map<string, readonly string[]>>();
const MAXIMUM_KNOWN_SHAPES = 2_000;

function shapesIn(directories: readonly string[], path: string): readonly string[] {
  let byPath = KNOWN_SHAPES.get(directories);
  if (!byPath || byPath.size >= MAXIMUM_KNOWN_SHAPES) {
    byPath = new Map();
    KNOWN_SHAPES.set(directories, byPath);
  }
  let shapes = byPath.get(path);
  if (!shapes) {
    shapes = directories.map((directory) => normal(`${directory}/${path}`));
    byPath.set(path, shapes);
  }
  return shapes;
}

/** Devices that hold nothing, and what the program has open already. */
export function isStream(path: string): boolean {
  return /^\/dev\/(?:null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd\/\d+)$/.test(path);
}

/** The same for a shape, as far as it is known. */
export function leadsToStream(shape: string): boolean {
  return !shape.startsWith(UNKNOWN) && isStream(knownPrefix(shape));
}

export function zoneOf(shape: string, { workspaceDir, homeDir }: Places): Zone {
  if (shape.startsWith(UNKNOWN)) return "unknown";
  const path = knownPrefix(shape);
  if (isStream(path)) return "stream";
  if (/^\/dev\/(?:tcp|udp)(?:\/|$)/.test(path)) return "network";
  const known = knownZone(path, { workspaceDir, homeDir });
  // `build$x` may be `build/../../etc`.
  if (known) return known !== "device" && shape.includes(UNKNOWN) ? "unknown" : known;
  // `/$x` and `/w*` may lie anywhere.
  return "outside";
}

function knownZone(path: string, { workspaceDir, homeDir }: Places): Zone | undefined {
  if (isBelow(path, "/dev/shm")) return "temporary";
  if (isBelow(path, "/dev")) return "device";
  if (isBelow(path, workspaceDir)) return "workspace";
  if (isBelow(path, "/tmp")) return "temporary";
  return isBelow(path, homeDir) ? "home" : undefined;
}

function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === "/" ? "/" : `${directory}/`);
}

/** The path itself and all directories above it. */
export function ancestorsOf(path: string): string[] {
  const ancestors = [path];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
    ancestors.push(path.slice(0, end));
  return path.startsWith("/") && path !== "/" ? [...ancestors, "/"] : ancestors;
}

/** Whether removing that would take everything in a directory along: itself, one above it, or all in it. */
export function coversAll(shape: string, directory: string): boolean {
  if (shape.startsWith(UNKNOWN)) return false;
  if (isBelow(directory, shape)) return true;
  if (!shape.startsWith(`${directory}/`)) return matchesPath(shape, directory);
  const names = shape.slice(directory.length + 1).split("/");
  return names.every((name) => /^\.?[\ue002\ue003]+$/.test(name));
}

/** Whether a pattern could find exactly that path. As in bash, a wildcard finds no leading dot and no slash. */
export function matchesPath(shape: string, path: string): boolean {
  return pathMatcher(shape)(path);
}

/** The same for many paths: the pattern is translated once. */
export function pathMatcher(shape: string): (path: string) => boolean {
  if (!/[\ue002\ue003\ue004]/.test(shape)) return (path) => shape === path;
  const source = readable(shape).split("/").map(nameRegExp).join("/");
  const pattern = new RegExp(`^${source}$`);
  return (path) => pattern.test(path);
}

/** A name as a regular expression. `[…]` is taken for "any character": rather too many files than too few. */
function nameRegExp(name: string): string {
  const wild = name.replaceAll(/\[[^\]]*\]?/g, "?");
  const escaped = wild.replaceAll(/[.+^${}()|\\]/g, "\\$&");
  const leading = /^[*?]/.test(wild) ? "(?!\\.)" : "";
  return (
    leading + escaped.replaceAll(/\*+/g, "[^/]*").replaceAll("?", "[^/]").replaceAll("…", ".*")
  );
}

/** The part of a path before the first thing that is not known, cut at a slash unless all is known. */
function knownPrefix(shape: string): string {
  const end = shape.search(MARKS);
  if (end < 0) return shape;
  const cut = shape.lastIndexOf("/", end);
  return cut <= 0 ? "/" : shape.slice(0, cut);
}

const MARKS = new RegExp(`[${UNKNOWN}${INSIDE}${STAR}${QUESTION}${BRACKET}]`);

function normal(path: string): string {
  // Most paths are, and looking is cheaper than making a new one.
  if (!/\/(?:\/|\.|$)/.test(path)) return path;
  const clean = posix.normalize(path);
  return clean.length > 1 && clean.endsWith("/") ? clean.slice(0, -1) : clean;
}
