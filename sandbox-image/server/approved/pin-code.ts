import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import {
  type ApprovedRun,
  COPIES,
  type CodeFile,
  copyOf,
  dataCopyOf,
} from "../../../src/contract/approved-run.ts";
import { ToolError } from "../../../src/contract/operation.ts";
import { isSystemPath, type ReadCode, readCode } from "./code-file.ts";

/** Unused copies are removed after a day; a command that runs longer than this has read its script by then. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * Checks every file of an approved command and puts the bytes that were checked where only root can write. Bash then
 * reads the copy: renaming a parent directory or writing through the same inode changes nothing.
 */
export function pinCode(
  { files, missing, system, data, command }: ApprovedRun,
  copies = COPIES,
): void {
  for (const path of missing) {
    if (lstatSync(path, { throwIfNoEntry: false })) throw changed(path, "did not exist");
  }
  for (const path of system) {
    if (!isSystemPath(path)) throw changed(path, "was a file that only root could change");
  }
  const checked = files.map((file) => ({ file, read: checkedFile(file) }));
  if (checked.length > 0) removeOldCopies(copies);
  for (const { file, read } of checked) {
    if (command.includes(copyOf(file))) writeCodeCopy(file, read.bytes, copies);
    const copy = data.includes(file.path) && dataCopyOf(file, data.indexOf(file.path));
    if (copy) writeDataCopy(copy.replace(COPIES, copies), read);
  }
}

function checkedFile(file: CodeFile): ReadCode {
  const now = readCode(file.path, { followLink: false });
  if (!("file" in now)) throw changed(file.path, "was a file that could be read");
  const isSame =
    now.file.path === file.path &&
    now.file.sha256 === file.sha256 &&
    now.file.size === file.size &&
    now.file.mode === file.mode;
  if (!isSame) throw changed(file.path, "had another content, place or mode");
  return now;
}

/** Where only root can look: whatever owner and mode the copy has, the agent cannot reach it. */
function writeDataCopy(path: string, { file, bytes, owner, modified }: ReadCode): void {
  const directory = dirname(path);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  utimesSync(directory, new Date(), new Date());
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, bytes, { flag: "wx", mode: 0o600 });
  chownSync(aside, owner.uid, owner.gid);
  chmodSync(aside, file.mode);
  utimesSync(aside, modified, modified);
  renameSync(aside, path);
}

function writeCodeCopy(file: CodeFile, bytes: Buffer, copies: string): void {
  const path = copies === COPIES ? copyOf(file) : copyOf(file).replace(COPIES, copies);
  const directory = dirname(path);
  mkdirSync(directory, { recursive: true, mode: 0o755 });
  chmodSync(directory, 0o755);
  utimesSync(directory, new Date(), new Date());
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, bytes, { flag: "wx", mode: 0o400 });
  chmodSync(aside, (file.mode & 0o111) === 0 ? 0o444 : 0o555);
  renameSync(aside, path);
}

function removeOldCopies(copies: string): void {
  mkdirSync(copies, { recursive: true, mode: 0o755 });
  for (const name of readdirSync(copies)) {
    const path = join(copies, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found && Date.now() - found.mtimeMs > KEPT_MS) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}

function changed(path: string, before: string): ToolError {
  return new ToolError(
    "permissionDenied",
    `${path.slice(0, 200)} has changed since it was approved: it ${before}. Nothing was run; ask for approval again.`,
    { changedSinceApproval: true },
  );
}
