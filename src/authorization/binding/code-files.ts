import { posix } from "node:path";
import {
  CODE_FILE_LIMIT_BYTES,
  type CodeFile,
  copyOf,
  DATA_LIMIT_BYTES,
  dataCopyOf,
  type InspectedFile,
  type Inspection,
} from "../../contract/workspace/approved-run.ts";
import { type CodeReport, UNREAD_CODE } from "../shell/code-report.ts";
import type { CodeUse } from "../shell/script.ts";
import type { Command } from "./command-text.ts";
import { holdsStill, isWorkloadPath } from "./workload-paths.ts";

/** The files of a command, sorted by what an approval does with them. */
export interface Found {
  readonly files: CodeFile[];
  readonly missing: string[];
  readonly system: string[];
  /** Where the shell finds the verified copy of a file that it executes. */
  readonly copies: Map<CodeUse, string>;
  /** Files that are read. */
  readonly read: Map<CodeUse, CodeFile>;
  /** The workspace's own files that are executed. */
  readonly ran: CodeFile[];
  /** Those that programs get which the guard does not know: they may run them. */
  readonly maybeRan: CodeFile[];
  /** The same for directories. */
  readonly maybeRanIn: Set<string>;
  /** Why a path of the workload stays in what an unknown program of root gets. */
  readonly unfixed: string[];
  /** Words for such a program that are no paths, in a directory of the workload. */
  readonly unknown: string[];
  /** Those of them that the kernel starts. */
  readonly programs: CodeFile[];
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

export function lookUp(uses: readonly CodeUse[], { code, inspection, identity }: Looked): Found {
  const byPath = new Map(inspection.files.map((file) => [file.asked, file]));
  const found: Found = {
    files: [],
    missing: [],
    system: [],
    copies: new Map(),
    read: new Map(),
    ran: [],
    maybeRan: [],
    maybeRanIn: new Set(),
    unfixed: [],
    unknown: [],
    programs: [],
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
    found.problems.push(`the code in ${written} is known only at run time`);
    return;
  }
  const tried = paths.flatMap((path) => byPath.get(path) ?? []);
  if (use.isPossible) {
    for (const one of tried) takePossible(use, one, { code, found });
    return;
  }
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
  else if (file.kind === "directory" && !use.alsoMissing && isWorkloadPath(file.path))
    found.loose.add(`files in ${file.path}`);
  else if (file.kind === "unfit" && kind === "run") found.problems.push(`${file.path} ${file.why}`);
  else if (file.kind === "unfit" && file.isWorkloads) found.unread.push(`${file.path} ${file.why}`);
}

/** A program that the guard does not know gets a copy, or nothing that the workload could replace. */
function takePossible(
  use: CodeUse,
  one: InspectedFile,
  { code, found }: Pick<Lookup, "code" | "found">,
): void {
  const { written, isMentioned = false, alsoMissing } = use;
  switch (one.kind) {
    case "system":
      found.system.push(one.asked);
      return;
    case "missing":
      if (!one.isWorkloads) return;
      found.missing.push(one.path);
      if (!alsoMissing) return;
      if (isMentioned) found.unfixed.push(partOf(one.path, written));
      else if (written.includes("/")) found.unfixed.push(`${written} does not exist yet`);
      else found.unknown.push(written);
      return;
    case "unfit":
      if (one.isWorkloads) found.unfixed.push(`${one.path} ${one.why}`);
      return;
    case "directory":
      if (isMentioned) found.unfixed.push(partOf(one.path, written));
      else found.maybeRanIn.add(one.path);
      return;
    case "file":
      takePossibleFile(use, one.file, { code, found });
  }
}

function partOf(path: string, word: string): string {
  const shown = word.replaceAll(/\s+/g, " ");
  return `${path} is a part of ${shown.length > 80 ? `${shown.slice(0, 80)}…` : shown}`;
}

function takePossibleFile(
  use: CodeUse,
  file: CodeFile,
  { code, found }: Pick<Lookup, "code" | "found">,
): void {
  found.files.push(file);
  if (use.isMentioned) found.unfixed.push(partOf(file.path, use.written));
  else if (file.size > CODE_FILE_LIMIT_BYTES)
    found.unfixed.push(`${file.path} is larger than ${CODE_FILE_LIMIT_BYTES / 1024 / 1024} MB`);
  else if (!code.script?.holds(use))
    found.unfixed.push(`${use.written} cannot be replaced with a verified copy`);
  else {
    found.copies.set(use, copyOf(file));
    found.maybeRan.push(file);
    found.programs.push(file);
  }
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
  if (use.isProgram) found.programs.push(file);
  if (code.script?.holds(use)) found.copies.set(use, copyOf(file));
  else found.problems.push(`${use.written} cannot be replaced with a verified copy`);
}

/** What they start could not read a copy, which is root's alone. */
const CHANGES_USER =
  /^(?:sudo|doas|su|runuser|setpriv|capsh|chroot|unshare|nsenter|sg|newgrp|start-stop-daemon|gosu|su-exec|chpst|s6-setuidgid)$/;

interface Data {
  readonly copied: string[];
  /** Paths that root reads as they are by then. */
  readonly loose: string[];
}

export const NO_DATA: Data = { copied: [], loose: [] };

/** Has root read verified copies where that changes nothing else; of the rest the card says that it is not fixed. */
export function takeData(
  { class: { code = UNREAD_CODE, unparsed } }: Command,
  found: Found,
  { confines }: Pick<Inspection, "confines">,
): Data {
  const copied: string[] = [];
  const loose = new Set<string>();
  const runsCode = code.uses.some(({ kind }) => kind === "run");
  const mayChange =
    runsCode ||
    code.changesUnknown ||
    [...code.changed, ...code.removed].some((path) => isWorkloadPath(path));
  const changesUser = [...code.changing].some(({ program }) => CHANGES_USER.test(program));
  let bytes = 0;
  for (const [use, file] of found.read) {
    const isKnown = copied.includes(file.path);
    const index = isKnown ? copied.indexOf(file.path) : copied.length;
    const copy = dataCopyOf(file, index);
    const size = isKnown ? 0 : file.size;
    const others = [...code.changing].filter((call) => call !== use.reader);
    // What the kernel lets no part of the command write is the same file for all of them.
    const isStill = confines && !changesUser && holdsStill(file.path);
    const isLeft = isStill || (!mayChange && others.length === 0);
    const isFit =
      use.reader && unparsed === undefined && isLeft && bytes + size <= DATA_LIMIT_BYTES;
    const isItself = use.paths.length === 1 && posix.normalize(use.paths[0] ?? "") === file.path;
    if (isFit && isItself && copy !== undefined && code.script?.holds(use)) {
      found.copies.set(use, copy);
      if (!isKnown) copied.push(file.path);
      bytes += size;
    } else if (!use.isMentioned) loose.add(file.path);
  }
  // Where a copy can stand, no other program is there to read a file that is only mentioned.
  const mentioned = [...found.read].filter(([use]) => use.isMentioned).map(([, { path }]) => path);
  const fixed = [...copied, ...codeCopied(found)];
  for (const path of mentioned) if (!fixed.includes(path)) loose.add(path);
  return { copied, loose: [...loose] };
}

/** Files that are executed, or may be, from a copy. */
export function codeCopied({ ran, maybeRan }: Found): string[] {
  return [...ran, ...maybeRan].map(({ path }) => path);
}

export function distinct(files: readonly CodeFile[]): CodeFile[] {
  return [...new Map(files.map((file) => [file.path, file])).values()];
}
