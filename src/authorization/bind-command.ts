import { posix } from "node:path";
import {
  type ApprovedRun,
  CHANGED_PATHS_LIMIT,
  type ChangedPath,
  CODE_FILE_LIMIT_BYTES,
  CODE_FILES_LIMIT,
  type CodeFile,
  copyOf,
  DATA_LIMIT_BYTES,
  dataCopyOf,
  type InspectedFile,
  type Inspection,
} from "../contract/approved-run.ts";
import type { Workspace } from "../contract/workspace.ts";
import type { Command } from "./command-text.ts";
import { gitNotes } from "./git-notes.ts";
import { directoriesAmong, linkRefusal, refusedLink, refusedPattern } from "./named-paths.ts";
import type { CodeReport } from "./shell/code-report.ts";
import { ancestorsOf } from "./shell/paths.ts";
import type { CodeUse } from "./shell/script.ts";
import { isUnknown, literalWord } from "./shell/word.ts";

/** How an approved command will run, and what its card has to say about that. */
export interface CommandBinding {
  readonly run: ApprovedRun;
  readonly notes: readonly string[];
}

/** A command that no approval can fix: why, and what to do instead. */
export interface UnboundCommand {
  readonly denied: string;
}

const GIT_DIRECTORIES_LIMIT = 4;

/** Looks at everything that decides what a command does besides its text. */
export async function bindCommand(
  command: Command,
  { identity, workspace }: { readonly identity: "agent" | "root"; readonly workspace: Workspace },
): Promise<CommandBinding | UnboundCommand> {
  const { code = NOTHING } = command.class;
  const uses = [...code.uses, ...gitUses(code)].sort((one, other) => rankOf(one) - rankOf(other));
  const paths = [...new Set(uses.flatMap((use) => use.paths))];
  const places = [...code.places, ...code.git, ...code.patterns.map(({ place }) => place)];
  const asked = [...new Set([...paths, ...places])].filter(isKnownPath).slice(0, CODE_FILES_LIMIT);
  const git = [...code.git].filter(isKnownPath).slice(0, GIT_DIRECTORIES_LIMIT);
  const changed = identity === "root" ? changedPaths(code) : [];
  const inspection = await workspace.inspectCode({
    directory: command.directory,
    paths: asked,
    git,
    changed: changed.slice(0, CHANGED_PATHS_LIMIT),
  });
  if (inspection.directory === null) {
    return {
      denied: `The directory ${command.directory} does not exist. Name another working_directory.`,
    };
  }
  if (inspection.directory !== command.directory) {
    return { denied: linkRefusal(command.directory, inspection.directory) };
  }
  if (code.git.size > git.length) return { denied: REPOSITORY_UNKNOWN };
  const [obeyed] = inspection.git?.obeyed ?? [];
  if (obeyed !== undefined) return { denied: gitRefusal(obeyed) };
  const found = lookUp(uses, { code, inspection, identity });
  const problems = [
    ...found.problems,
    ...(leavesOut(asked, { uses, code, identity }) ? [`more than ${CODE_FILES_LIMIT} files`] : []),
  ];
  const [problem] = problems;
  if (identity === "root") {
    if (problem !== undefined) return { denied: refusal(problem) };
    const [unread] = found.unread;
    if (unread !== undefined) return { denied: readRefusal(unread) };
    const refused =
      refusedPattern(code.patterns, inspection) ?? refusedChange(code, { changed, inspection });
    if (refused !== undefined) return { denied: refused };
  }
  const [leaving] = code.leaves;
  if (leaving !== undefined) return { denied: leavingRefusal(leaving) };
  const files = distinct([...found.files, ...(inspection.git?.files ?? [])]);
  const data = identity === "root" ? takeData(command, found) : NO_DATA;
  const kept = keptPaths(code, { uses, found, identity });
  const led = refusedLink(kept, inspection);
  if (led !== undefined) return { denied: led };
  const render = (use: CodeUse) => found.copies.get(use);
  return {
    run: {
      directory: inspection.directory,
      command: found.copies.size > 0 ? (code.script?.render(render) ?? command.text) : command.text,
      files: files.slice(0, CODE_FILES_LIMIT),
      missing: [...new Set([...found.missing, ...(inspection.git?.missing ?? [])])].slice(
        0,
        CODE_FILES_LIMIT,
      ),
      system: [...new Set(found.system)],
      data: data.copied,
      git: inspection.git?.overrides ?? [],
      changed: changed.slice(0, CHANGED_PATHS_LIMIT),
      directories: directoriesAmong(kept, inspection),
    },
    notes: [
      ...codeNotes(command, code, {
        ran: found.ran,
        places: [inspection.directory, ...directoriesAmong(kept, inspection)],
      }),
      ...[...problems, ...found.unread].map((one) => `Not fixed by this approval: ${one}.`),
      ...(identity === "root"
        ? followedLinks(code, { uses, directory: inspection.directory, data: data.copied })
        : []
      ).map((place) => `Not fixed by this approval: links in ${place} that it follows.`),
      ...data.loose.map((one) => `Not fixed by this approval: ${one} may change while it runs.`),
      ...[...found.loose].map((one) => `Not fixed by this approval: ${one} by then.`),
      ...gitNotes(inspection.git?.settings ?? []),
    ],
  };
}

const NOTHING: CodeReport = {
  uses: [],
  places: new Set(),
  patterns: [],
  git: new Set(),
  leaves: new Set(),
  script: undefined,
  dependsOnDirectory: true,
  loadsCodeFromDirectory: true,
  changing: new Set(),
  changed: new Set(),
  removed: new Set(),
  changesUnknown: true,
};

/** Git uses the first `.git` from a directory upwards: it must be the same one when the command runs. */
function gitUses({ git }: CodeReport): CodeUse[] {
  return [...git].filter(isKnownPath).flatMap((directory) => {
    const places = ancestorsOf(directory).filter((place) => WRITABLE.test(place));
    const paths = places.map((place) => `${place}/.git`);
    return paths.length > 0 ? [{ kind: "read", paths, written: ".git", alsoMissing: true }] : [];
  });
}

function isKnownPath(path: string): boolean {
  return path.startsWith("/") && !isUnknown(literalWord(path));
}

/** Code comes first, so that the limit on files never leaves it out for data. */
function rankOf({ kind, alsoMissing, isMentioned = false }: CodeUse): number {
  if (kind === "run") return 0;
  if (isMentioned) return 3;
  return alsoMissing ? 1 : 2;
}

interface Kept {
  readonly uses: readonly CodeUse[];
  readonly found: Found;
  readonly identity: "agent" | "root";
}

/** The paths that the command still names when it runs: no verified copy stands in their place. */
function keptPaths({ places, git }: CodeReport, { uses, found, identity }: Kept): Set<string> {
  const named = uses.filter(
    (use) => !found.copies.has(use) && (identity === "root" || !use.isMentioned),
  );
  return new Set([...places, ...git, ...named.flatMap(({ paths }) => paths)]);
}

interface Named {
  readonly uses: readonly CodeUse[];
  readonly code: CodeReport;
  readonly identity: "agent" | "root";
}

/** Whether a path that matters was not looked at: code, and for root everything that is named. */
function leavesOut(asked: readonly string[], { uses, code, identity }: Named): boolean {
  const isRoot = identity === "root";
  const needed = uses.filter(({ kind, isMentioned }) => kind === "run" || (isRoot && !isMentioned));
  const paths = [...needed.flatMap((use) => use.paths), ...(isRoot ? code.places : [])];
  return paths.some((path) => !asked.includes(path));
}

interface Found {
  readonly files: CodeFile[];
  readonly missing: string[];
  readonly system: string[];
  /** Where the shell finds the verified copy of a file that it executes. */
  readonly copies: Map<CodeUse, string>;
  /** Files that are read. */
  readonly read: Map<CodeUse, CodeFile>;
  /** The workspace's own files that are executed. */
  readonly ran: CodeFile[];
  /** Directories that are read as they are by then. */
  readonly loose: Set<string>;
  /** Why an approval does not fix what will run. */
  readonly problems: string[];
  /** Why an approval does not fix what will be read. */
  readonly unread: string[];
}

interface Looked {
  readonly code: CodeReport;
  readonly inspection: Inspection;
  readonly identity: "agent" | "root";
}

function lookUp(uses: readonly CodeUse[], { code, inspection, identity }: Looked): Found {
  const byPath = new Map(inspection.files.map((file) => [file.asked, file]));
  const found: Found = {
    files: [],
    missing: [],
    system: [],
    copies: new Map(),
    read: new Map(),
    ran: [],
    loose: new Set(),
    problems: [],
    unread: [],
  };
  for (const use of uses) takeUse(use, { code, byPath, found, identity });
  return found;
}

interface Lookup {
  readonly code: CodeReport;
  readonly byPath: ReadonlyMap<string, InspectedFile>;
  readonly found: Found;
  readonly identity: "agent" | "root";
}

function takeUse(use: CodeUse, { code, byPath, found, identity }: Lookup): void {
  const { kind, paths, written } = use;
  if (paths.length === 0) {
    found.problems.push(`it is known only when it runs which code ${written} stands for`);
    return;
  }
  const tried = paths.flatMap((path) => byPath.get(path) ?? []);
  const index = tried.findIndex((file) => file.kind !== "missing");
  const file = tried[index];
  // Root reads no file that appears later, whichever program would read it.
  if (kind === "run" || use.alsoMissing || identity === "root") {
    const before = index < 0 ? tried : tried.slice(0, index);
    found.missing.push(...before.map((one) => (one.kind === "missing" ? one.path : one.asked)));
  }
  if (!file) takeMissing(use, tried, found);
  else if (file.kind === "file") takeFile(use, file.file, { code, found });
  else if (file.kind === "system" && kind === "run") found.system.push(file.asked);
  else if (file.kind === "directory" && kind === "run")
    found.problems.push(`${file.path} is a directory, not a regular file`);
  else if (file.kind === "directory" && !use.alsoMissing && WRITABLE.test(file.path))
    found.loose.add(`what lies in ${file.path}`);
  else if (file.kind === "unfit" && kind === "run") found.problems.push(`${file.path} ${file.why}`);
  else if (file.kind === "unfit" && file.isWorkloads) found.unread.push(`${file.path} ${file.why}`);
}

function takeMissing(use: CodeUse, tried: readonly InspectedFile[], found: Found): void {
  const why = `${use.written} does not exist yet`;
  const isWorkloads = tried.some((one) => one.kind === "missing" && one.isWorkloads);
  if (use.kind === "run" && tried.length > 0) found.problems.push(why);
  else if (use.reader && isWorkloads) found.unread.push(why);
}

function takeFile(
  use: CodeUse,
  file: CodeFile,
  { code, found }: Pick<Lookup, "code" | "found">,
): void {
  if (use.kind === "run" && file.size > CODE_FILE_LIMIT_BYTES) {
    found.problems.push(`${file.path} is larger than ${CODE_FILE_LIMIT_BYTES / 1024 / 1024} MB`);
    return;
  }
  found.files.push(file);
  if (use.kind !== "run") {
    found.read.set(use, file);
    return;
  }
  found.ran.push(file);
  if (code.script?.holds(use)) found.copies.set(use, copyOf(file));
  else found.problems.push(`${use.written} cannot be replaced by a verified copy where it stands`);
}

interface Data {
  readonly copied: string[];
  /** Paths that root reads as they are by then. */
  readonly loose: string[];
}

const NO_DATA: Data = { copied: [], loose: [] };

/** Has root read verified copies where that changes nothing else; of the rest the card says that it is not fixed. */
function takeData({ class: { code = NOTHING, unparsed } }: Command, found: Found): Data {
  const copied: string[] = [];
  const loose = new Set<string>();
  const runsCode = code.uses.some(({ kind }) => kind === "run");
  const isOpen =
    runsCode ||
    unparsed !== undefined ||
    code.changesUnknown ||
    [...code.changed, ...code.removed].some((path) => WRITABLE.test(path));
  let bytes = 0;
  for (const [use, file] of found.read) {
    const isKnown = copied.includes(file.path);
    const index = isKnown ? copied.indexOf(file.path) : copied.length;
    const copy = dataCopyOf(file, index);
    const size = isKnown ? 0 : file.size;
    const others = [...code.changing].filter((call) => call !== use.reader);
    const isFit = use.reader && !isOpen && others.length === 0 && bytes + size <= DATA_LIMIT_BYTES;
    const isItself = use.paths.length === 1 && posix.normalize(use.paths[0] ?? "") === file.path;
    if (isFit && isItself && copy !== undefined && code.script?.holds(use)) {
      found.copies.set(use, copy);
      if (!isKnown) copied.push(file.path);
      bytes += size;
    } else if (!use.isMentioned) loose.add(file.path);
  }
  // Where a copy can stand, no other program is there to read a file that is only mentioned.
  const mentioned = [...found.read].filter(([use]) => use.isMentioned).map(([, { path }]) => path);
  for (const path of mentioned) if (!copied.includes(path)) loose.add(path);
  return { copied, loose: [...loose] };
}

function distinct(files: readonly CodeFile[]): CodeFile[] {
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

function refusal(problem: string): string {
  return (
    `An approval cannot fix what root would run here: ${problem}. Create the file first, name it by a plain path ` +
    "as a word of its own, and run it in a command of its own."
  );
}

function readRefusal(why: string): string {
  return (
    `Root reads nothing that an approval cannot fix: ${why}. Have the file ready first, as a regular file of at most ` +
    `${DATA_LIMIT_BYTES / 1024 / 1024} MB that is named by its own path, or do this part without sudo.`
  );
}

function changedPaths({ changed, removed }: CodeReport): ChangedPath[] {
  return [
    ...[...changed].map((path) => ({ path, isRemoved: false })),
    ...[...removed].map((path) => ({ path, isRemoved: true })),
  ];
}

interface Changes {
  readonly changed: readonly ChangedPath[];
  readonly inspection: Inspection;
}

/**
 * Why root does not make these changes: the workload can replace a path, or any directory above it, by a link to
 * another place. Code that was approved may still do that by itself.
 */
function refusedChange(code: CodeReport, { changed, inspection }: Changes): string | undefined {
  const named = changed.find(
    ({ path }) => WRITABLE.test(path) || WRITABLE.test(posix.normalize(path)),
  );
  const replaceable = named?.path ?? inspection.replaceable[0];
  if (replaceable !== undefined) return changeRefusal(replaceable);
  const runsCode = code.uses.some(({ kind }) => kind === "run");
  if (code.changesUnknown && !runsCode)
    return changeRefusal("a path that is only known when it runs");
  return changed.length > CHANGED_PATHS_LIMIT
    ? `Root changes at most ${CHANGED_PATHS_LIMIT} named paths in one command. Split it into several commands.`
    : undefined;
}

interface Followed {
  readonly uses: readonly CodeUse[];
  readonly directory: string;
  /** Files that are read from a copy. */
  readonly data: readonly string[];
}

/** Where the workload can put links that a program follows when it changes files of its own choice. */
function followedLinks(code: CodeReport, { uses, directory, data }: Followed): string[] {
  if (code.changing.size === 0) return [];
  const named = uses
    .filter(
      ({ kind, isMentioned, alsoMissing }) => isMentioned || (kind === "read" && !alsoMissing),
    )
    .flatMap(({ paths }) => paths)
    .filter((path) => WRITABLE.test(path) && !data.includes(path))
    .map((path) => posix.dirname(posix.normalize(path)));
  const here = WRITABLE.test(directory) ? [directory] : [];
  return [...new Set([...here, ...named])]
    .filter((place) => WRITABLE.test(place) && !isBelowAny(place, here))
    .concat(here)
    .slice(0, FOLLOWED_LIMIT);
}

const FOLLOWED_LIMIT = 4;

function isBelowAny(place: string, directories: readonly string[]): boolean {
  return directories.some((one) => place === one || place.startsWith(`${one}/`));
}

function changeRefusal(path: string): string {
  return (
    `Root does not change ${path}: the workload could replace it by a link to another place meanwhile. ` +
    "Do this part without sudo, in a command of its own, or let root work in a directory that only root can write."
  );
}

function leavingRefusal(how: string): string {
  return (
    `An approved command keeps the shell, directory and environment in which it starts, so that it obeys no file that the card does not show: ${how}. ` +
    "Ask again without that."
  );
}

const REPOSITORY_UNKNOWN =
  `It is known only when it runs which repository git uses, or there are more than ${GIT_DIRECTORIES_LIMIT}. ` +
  "Name the directory with git -C DIRECTORY, in a command of its own.";

function gitRefusal(key: string): string {
  return (
    `The repository's setting ${key.slice(0, 200)} makes git run something that no approval shows. ` +
    `Remove it (git config --unset-all '${key.slice(0, 200)}'), then ask again.`
  );
}

/** Where the workload can put files. */
const WRITABLE = /^\/(?:workspace|home\/agent|tmp|dev\/shm|dev\/mqueue)(?:\/|$)/;

function codeNotes(
  { class: { unparsed } }: Command,
  code: CodeReport,
  { ran, places }: { readonly ran: readonly CodeFile[]; readonly places: readonly string[] },
): string[] {
  const named = distinct(ran).map(({ path, sha256 }) => `${path} (sha256 ${sha256.slice(0, 12)})`);
  if (named.length > 0) return [`This runs code from the workspace: ${named.join(", ")}.`];
  const mayLoad = code.loadsCodeFromDirectory || unparsed !== undefined;
  const open = [...new Set(places)].filter(
    (place) => WRITABLE.test(place) && !/\/\.git$/.test(place),
  );
  return mayLoad && open.length > 0
    ? [`This runs code from the workspace: programs obey files in ${open.join(", ")}.`]
    : [];
}
