import {
  chmodSync,
  chownSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import {
  type ApprovedRun,
  COPIES,
  type CodeFile,
  copyOf,
  dataCopyOf,
} from "../../../src/contract/workspace/approved-run.ts";
import { realDirectory } from "./bound-directory.ts";
import { type DigestedFile, digestFile, systemFileAt } from "./code-file.ts";
import { removeOld } from "./remove-old.ts";
import { replaceablePart } from "./route.ts";

/**
 * Checks every file of an approved command and puts the bytes that were checked where only root can write. Bash then
 * reads the copy: renaming a parent directory or writing through the same inode changes nothing.
 */
export function pinCode(
  { files, missing, system, data, command, changed: changes, directories }: ApprovedRun,
  copies = COPIES,
): void {
  for (const path of missing) {
    if (lstatSync(path, { throwIfNoEntry: false })) throw changed(path, "did not exist");
  }
  for (const path of system) {
    if (systemFileAt(path)?.kind !== "system") throw changed(path, "could only be changed by root");
  }
  for (const change of changes) {
    if (replaceablePart(change) !== undefined)
      throw changed(change.path, "could only be redirected by root");
  }
  for (const path of directories) {
    if (realDirectory(path) !== path) throw changed(path, "was a directory without links to it");
  }
  if (files.length > 0) removeOld(copies);
  for (const file of files) {
    const places = [
      ...(command.includes(copyOf(file)) ? [codeCopy(file)] : []),
      ...(data.includes(file.path) ? [dataCopy(file, data.indexOf(file.path))] : []),
    ].map((place) => ({ ...place, path: place.path.replace(COPIES, copies) }));
    pinFile(file, places);
  }
}

/** Where a verified copy goes and what it is like. */
interface Place {
  readonly path: string;
  readonly directoryMode: number;
  readonly finish: (aside: string, checked: DigestedFile) => void;
}

/** Its directory is for root alone: whatever owner and mode the copy has, the agent cannot reach it. */
function dataCopy(file: CodeFile, index: number): Place {
  const path = dataCopyOf(file, index);
  if (path === undefined) throw new Error(`No name is left for a copy of ${file.path}.`);
  return {
    path,
    directoryMode: 0o700,
    finish: (aside, { owner, modified }) => {
      chownSync(aside, owner.uid, owner.gid);
      chmodSync(aside, file.mode);
      utimesSync(aside, modified, modified);
    },
  };
}

/** Whoever could not read the file cannot read its copy either. */
function codeCopy(file: CodeFile): Place {
  const mode = (file.mode & 0o111) === 0 ? 0o444 : 0o555;
  return {
    path: copyOf(file),
    directoryMode: 0o755,
    finish: (aside, { owner }) => {
      chmodSync(aside, isSeenByAgent(file, owner) ? mode : mode & 0o700);
    },
  };
}

const AGENT = 1000;

function isSeenByAgent({ mode }: CodeFile, { uid, gid }: DigestedFile["owner"]): boolean {
  if (uid === AGENT) return true; // it may change the mode
  return (mode & (gid === AGENT ? 0o040 : 0o004)) !== 0;
}

/** The bytes that are digested are the bytes that are copied; a copy gets its name once the digest is right. */
function pinFile(file: CodeFile, places: readonly Place[]): void {
  const copies = places.map((place) => ({ ...place, ...openAside(place) }));
  try {
    const checked = checkedFile(file, (piece) => {
      for (const { descriptor } of copies) writeFileSync(descriptor, piece);
    });
    for (const { path, aside, finish } of copies) {
      finish(aside, checked);
      renameSync(aside, path);
    }
  } finally {
    for (const { aside, descriptor } of copies) {
      closeSync(descriptor);
      rmSync(aside, { force: true });
    }
  }
}

function openAside({ path, directoryMode }: Place): { aside: string; descriptor: number } {
  const directory = dirname(path);
  mkdirSync(directory, { recursive: true, mode: directoryMode });
  chmodSync(directory, directoryMode);
  utimesSync(directory, new Date(), new Date());
  const aside = `${path}.${process.pid}`;
  return { aside, descriptor: openSync(aside, "wx", 0o600) };
}

function checkedFile(file: CodeFile, onBytes: (piece: Buffer) => void): DigestedFile {
  const now = digestFile(file.path, { followLink: false, onBytes });
  if (!("file" in now)) throw changed(file.path, "was a file that could be read");
  const isSame =
    now.file.path === file.path &&
    now.file.sha256 === file.sha256 &&
    now.file.size === file.size &&
    now.file.mode === file.mode;
  if (!isSame) throw changed(file.path, "had different content, mode or location");
  return now;
}

function changed(path: string, before: string): ToolError {
  return new ToolError(
    "permissionDenied",
    `${path.slice(0, 200)} has changed since it was approved: it ${before}. Nothing was run; ask for approval again.`,
    { changedSinceApproval: true },
  );
}
