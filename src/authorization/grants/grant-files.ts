import { createHash } from "node:crypto";
import { posix } from "node:path";
import type { Inspection } from "../../contract/workspace/approved-run.ts";
import {
  CODE_FILES_LIMIT,
  type CodeFile,
  type InspectedFile,
} from "../../contract/workspace/approved-run.ts";
import type { Workspace } from "../../contract/workspace/workspace.ts";
import { textsOf } from "../binding/file-texts.ts";
import { isWorkloadPath } from "../binding/workload-paths.ts";
import { pathsMentioned } from "../shell/code-uses.ts";
import type { CodeUse } from "../shell/script.ts";

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
    const paths = named.paths.filter((path) => !held.has(path));
    if (held.size + paths.length > MOST_FILES) return undefined;
    const files = await inspected(paths, { workspace, directory });
    for (const file of files) held.set(file.asked, stateOf(file));
    if ([...named.started].some((path) => held.get(path) === "directory")) return undefined;
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
async function namedIn(files: readonly CodeFile[], place: Place): Promise<Named | undefined> {
  const paths = new Set<string>();
  const started = new Set<string>();
  const texts = await textsOf(
    place.workspace,
    files.map(({ path }) => path),
  );
  for (const [index, { path, text }] of texts.entries()) {
    if (text === undefined || sha256(text) !== files[index]?.sha256) return undefined;
    const code = codeIn(posix.basename(path), text);
    const starts = [posix.dirname(path), place.directory];
    const entered = directoriesIn(code).flatMap((name) =>
      starts.map((from) => posix.resolve(from, name)),
    );
    const ran = startedIn(code);
    for (const from of [...starts, ...entered]) {
      for (const name of ran) started.add(posix.resolve(from, name));
      for (const name of [...ran, ...namesIn(code)]) paths.add(posix.resolve(from, name));
    }
    for (const from of entered) for (const name of OBEYED_IN) paths.add(`${from}/${name}`);
  }
  const isFit = (path: string) => isWorkloadPath(path) && path.length < LONGEST_PATH;
  return { paths: [...paths].filter(isFit), started };
}

interface Named {
  readonly paths: readonly string[];
  /** Those among them that a program starts: of a directory it chooses the file itself. */
  readonly started: ReadonlySet<string>;
}

const LONGEST_PATH = 1000;

/** A word behind one of these is a file even where nothing in it looks like one. */
const RUNS =
  /(?:^|[\s"'`;&|(@-])(?:\.|source|include|import|exec|(?:ba|da|z)?sh|python[\d.]*|node|ruby|perl|php|tsx)[ \t]+(?:-(?!m\b)\w+[ \t]+)*([\w@./][\w@.+/-]*)/gm;

/** `python3 -m pkg.tool` */
const MODULES = /(?:^|\s)-m[ \t]+([A-Za-z_][\w.]*)/gm;

function startedIn(code: string): Set<string> {
  const modules = [...code.matchAll(MODULES)].flatMap(([, name = ""]) => {
    const path = name.replaceAll(".", "/");
    return [`${path}.py`, `${path}/__main__.py`, `${path}/__init__.py`];
  });
  const behind = [...code.matchAll(RUNS)].flatMap(([, word]) => word ?? []);
  return new Set([...modules, ...behind.map(withoutDot)]);
}

function namesIn(code: string): Set<string> {
  return new Set(code.split("\n").flatMap(pathsMentioned).map(withoutDot));
}

function withoutDot(path: string): string {
  return path.replace(/^\.\/(?=.)/, "");
}

/** Directories from which it goes on: `cd sub && make`, `make -C sub`, `npm --prefix sub run x`. */
const ENTERS =
  /(?:(?:^|[\s"'`;&|(@-])(?:cd|pushd)[ \t]+|(?:^|\s)-C[ \t]*|--(?:directory|prefix|cwd|dir|chdir)[= \t])["']?([\w.][\w@.+/-]*)/gm;

function directoriesIn(code: string): string[] {
  return [...code.matchAll(ENTERS)].flatMap(([, name]) => name ?? []);
}

/** What tools obey in a directory without being given its name, and scripts start by the directory's. */
const OBEYED_IN = [
  ...["GNUmakefile", "makefile", "Makefile", "package.json", ".npmrc", "justfile", "Rakefile"],
  ...["Taskfile.yml", "Cargo.toml", "build.gradle", "pom.xml"],
];

/** The part of a file that is run. */
function codeIn(name: string, text: string): string {
  return name === "package.json" ? scriptsOf(text) : text;
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
