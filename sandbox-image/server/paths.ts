import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { relative, resolve } from "node:path";
import { ToolError } from "../../src/contract/tools/operation.ts";
import type { ResolvedPath } from "../../src/contract/workspace/channel.ts";
import { exactly, raw, readName, shownName } from "../../src/lib/file-names.ts";
import { isSensitive } from "./files/sensitive.ts";
import type { ServerSettings } from "./settings.ts";

export interface ResolveOptions {
  /** "itself" leaves a symbolic link in the last place alone, e.g. to delete it and not its target. */
  readonly link?: "follow" | "itself";
  /** Where the guard saw it lead: anything else is refused. */
  readonly checkedPaths?: ReadonlySet<string> | undefined;
}

const SCRATCH = "/tmp";
/** The kernel's own limits. */
const MAX_LINKS = 40;
const MAX_LENGTH = 4096;

/**
 * Resolves every link of the part that exists, as `realpath -m` does; the rest may be missing. Relative paths begin at
 * the workspace, `~` is the user's home. Throws a ToolError for a NUL and for links that lead in a circle.
 * Looks at the file system synchronously: a handful of names takes microseconds, a trip through the thread pool each
 * would take most of a read's time.
 */
export async function resolvePath(
  settings: ServerSettings,
  path: string,
  { link = "follow", checkedPaths }: ResolveOptions = {},
): Promise<ResolvedPath> {
  const name = readName(path);
  if (name === "" || name.includes("\0")) {
    throw new ToolError(
      "invalidParameters",
      "A path must not be empty or contain a NUL character.",
    );
  }
  const given = joined(settings, name);
  if (given.length > MAX_LENGTH) {
    throw new ToolError("invalidParameters", `The path is too long (${given.length} characters).`);
  }
  const real = link === "itself" ? realParent(given) : realPath(given);
  if (settings.exactPaths && real !== resolve(given)) throw ledElsewhere(given, real);
  if (checkedPaths && !checkedPaths.has(real)) throw movedSince(given, real);
  const workspace = realPath(settings.workspaceDir);
  const inside = isBelow(real, workspace);
  return {
    path: real,
    inside,
    scratch: !inside && isBelow(real, SCRATCH),
    exists: isThere(real),
    sensitive: isSensitive(inside ? relative(workspace, real) : real),
  };
}

/** Many paths at once, in order. */
export function resolveAll(
  settings: ServerSettings,
  paths: readonly { readonly path: string; readonly link: "follow" | "itself" }[],
): Promise<ResolvedPath[]> {
  return Promise.all(paths.map(({ path, link }) => resolvePath(settings, path, { link })));
}

/** How people see a path: relative to the workspace where it is inside. */
export async function shownPath(settings: ServerSettings, path: string): Promise<string> {
  const workspace = realPath(settings.workspaceDir);
  return shownName(isBelow(path, workspace) ? relative(workspace, path) || "." : path);
}

/** Relative to the workspace, `~` to the user's home, absolute as it is. Says nothing about links. */
export function absolutePath(settings: ServerSettings, path: string): string {
  return resolve(joined(settings, readName(path)));
}

/** Not normalised: `link/..` is the parent of what the link points to. */
function joined(settings: ServerSettings, path: string): string {
  if (path === "~" || path.startsWith("~/")) return `${settings.homeDir}${path.slice(1)}`;
  return path.startsWith("/") ? path : `${settings.workspaceDir}/${path}`;
}

function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === "/" ? "/" : `${directory}/`);
}

function isThere(path: string): boolean {
  try {
    lstatSync(raw(path));
    return true;
  } catch {
    // Missing, or behind a directory that may not be searched: its use will say which.
    return false;
  }
}

function realPath(path: string): string {
  try {
    const given = raw(path);
    return exactly(realpathSync.native(given), () => realpathSync.native(given, "buffer"));
  } catch {
    // Something of it is missing; walk as far as it exists.
    return walk(path);
  }
}

/** The last name stays as it is, unless it is `.`, `..` or followed by a slash: those follow links by themselves. */
function realParent(path: string): string {
  const slash = path.lastIndexOf("/");
  const leaf = path.slice(slash + 1);
  if (leaf === "" || leaf === "." || leaf === "..") return realPath(path);
  const parent = realPath(path.slice(0, slash) || "/");
  return parent === "/" ? `/${leaf}` : `${parent}/${leaf}`;
}

function walk(path: string): string {
  const names = path.split("/").reverse();
  let links = 0;
  let done = "";
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    const next = stepFrom(done, name);
    const target = next === done || name === ".." ? undefined : linkTarget(next);
    if (target === undefined) {
      done = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) throw circle(path);
    if (isDescriptor(next, target)) throw noFile(path, target);
    if (target.startsWith("/")) done = "";
    names.push(...target.split("/").reverse());
  }
  return done || "/";
}

/** One name further; the root is "" here. */
function stepFrom(directory: string, name: string): string {
  if (name === "" || name === ".") return directory;
  return name === ".."
    ? directory.slice(0, Math.max(directory.lastIndexOf("/"), 0))
    : `${directory}/${name}`;
}

function linkTarget(path: string): string | undefined {
  try {
    const given = raw(path);
    return exactly(readlinkSync(given), () => readlinkSync(given, "buffer"));
  } catch {
    // No link, or not there at all: the name stands for itself.
    return undefined;
  }
}

/** An open pipe or socket: the link that /proc shows for it leads to no path. */
function isDescriptor(link: string, target: string): boolean {
  return /^\/proc\/[^/]+\/(task\/[^/]+\/)?fd\/\d+$/.test(link) && /^\w+:/.test(target);
}

function noFile(path: string, target: string): ToolError {
  return new ToolError(
    "executionFailed",
    `${path.slice(0, 200)} is an open stream of the workspace server (${target.slice(0, 50)}), not a file. ` +
      "To use a command's input and output, call run_command or send_input.",
  );
}

/** Whoever approved the path saw where it led; a link that was put into it since leads somewhere else. */
function ledElsewhere(path: string, real: string): ToolError {
  return new ToolError(
    "permissionDenied",
    `${path.slice(0, 200)} leads through a link to ${real.slice(0, 200)}. Root uses resolved paths only: ask again with that path.`,
  );
}

function movedSince(path: string, real: string): ToolError {
  return new ToolError(
    "permissionDenied",
    `${path.slice(0, 200)} now leads to ${real.slice(0, 200)}, and led elsewhere when the call was allowed. ` +
      "Nothing was done; check the path and call again.",
  );
}

function circle(path: string): ToolError {
  return new ToolError(
    "executionFailed",
    `${path.slice(0, 200)} is a symbolic link that points in a circle. Check it with list_dir or ls -l.`,
  );
}
