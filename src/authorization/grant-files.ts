import { createHash } from "node:crypto";
import { posix } from "node:path";
import type { Inspection } from "../contract/approved-run.ts";
import { CODE_FILES_LIMIT, type CodeFile, type InspectedFile } from "../contract/approved-run.ts";
import type { Workspace } from "../contract/workspace.ts";
import { textsOf } from "./file-texts.ts";
import { pathsMentioned } from "./shell/code-uses.ts";
import type { CodeUse } from "./shell/script.ts";
import { isWorkloadPath } from "./workload-paths.ts";

/** The files of one command that a grant for it holds. */
export interface HeldFiles {
  /** Every path that was looked at for its card. */
  readonly seen: readonly InspectedFile[];
  /** Those that its programs obey as code: they may name further files. */
  readonly obeyed: readonly CodeFile[];
  /** The same words may mean other files later. */
  readonly isOpen: boolean;
}

/** The files among those looked at that a program executes or obeys without being given their names. */
export function obeyedFiles(uses: readonly CodeUse[], { files }: Inspection): CodeFile[] {
  const paths = new Set(
    uses
      .filter(({ kind, alsoMissing }) => kind === "run" || alsoMissing)
      .flatMap((use) => use.paths),
  );
  return files.flatMap((one) => (one.kind === "file" && paths.has(one.asked) ? [one.file] : []));
}

const MOST_FILES = 128;
const MOST_LEVELS = 4;

/**
 * Each file with what it holds now: those of the card, the scripts that a project's files name, and those that these
 * name. Undefined where that cannot be told, so that no grant can last.
 */
export async function heldFiles(
  { seen, obeyed, isOpen }: HeldFiles,
  { workspace, directory }: { readonly workspace: Workspace; readonly directory: string },
): Promise<Record<string, string> | undefined> {
  if (isOpen) return undefined;
  const held = new Map(seen.map((file) => [file.asked, stateOf(file)]));
  let level = obeyed.filter(({ path }) => isWorkloadPath(path));
  for (let depth = 0; level.length > 0; depth++) {
    const named = await namedIn(level, { workspace, directory });
    if (!named || depth === MOST_LEVELS) return undefined;
    const paths = named.filter((path) => !held.has(path));
    if (held.size + paths.length > MOST_FILES) return undefined;
    const files = await inspected(paths, { workspace, directory });
    for (const file of files) held.set(file.asked, stateOf(file));
    level = files.flatMap((one) => (one.kind === "file" ? [one.file] : []));
  }
  return Object.fromEntries(held);
}

interface Place {
  readonly workspace: Workspace;
  readonly directory: string;
}

async function inspected(paths: readonly string[], place: Place): Promise<InspectedFile[]> {
  const files: InspectedFile[] = [];
  for (let at = 0; at < paths.length; at += CODE_FILES_LIMIT) {
    const some = paths.slice(at, at + CODE_FILES_LIMIT);
    const { directory } = place;
    const inspection = await place.workspace.inspectCode({ directory, paths: some, git: [] });
    files.push(...inspection.files);
  }
  return files;
}

/** The paths of the workspace that these files name; undefined where one is no text, or not the one looked at. */
async function namedIn(files: readonly CodeFile[], place: Place): Promise<string[] | undefined> {
  const named = new Set<string>();
  const texts = await textsOf(
    place.workspace,
    files.map(({ path }) => path),
  );
  for (const [index, { path, text }] of texts.entries()) {
    if (text === undefined || sha256(text) !== files[index]?.sha256) return undefined;
    const pieces = namesIn(posix.basename(path), text);
    for (const from of [posix.dirname(path), place.directory])
      for (const piece of pieces) named.add(posix.resolve(from, piece));
  }
  return [...named].filter((path) => isWorkloadPath(path) && path.length < LONGEST_PATH);
}

const LONGEST_PATH = 1000;

/** A word behind one of these is a file even where nothing in it looks like one. */
const RUNS =
  /(?:^|[\s"'`;&|(@-])(?:\.|source|include|import|exec|(?:ba|da|z)?sh|python[\d.]*|node|ruby|perl|php|tsx)[ \t]+([\w@.+/-]+)/gm;

function namesIn(name: string, text: string): Set<string> {
  const code = name === "package.json" ? scriptsOf(text) : text;
  const behind = [...code.matchAll(RUNS)].flatMap(([, word]) => word ?? []);
  const lines = code.split("\n").flatMap(pathsMentioned);
  return new Set([...behind, ...lines].map((piece) => piece.replace(/^\.\//, "")));
}

/** Nothing else in it is run: names and versions of packages are no files. */
function scriptsOf(text: string): string {
  try {
    const { scripts = {} } = JSON.parse(text) as { scripts?: Record<string, unknown> };
    return Object.values(scripts).join("\n");
  } catch {
    return text; // no JSON: the whole text counts
  }
}

function stateOf(file: InspectedFile): string {
  return file.kind === "file" ? `${file.file.sha256} ${file.file.mode.toString(8)}` : file.kind;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
