import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
} from "node:fs";
import { dirname } from "node:path";
import {
  CODE_FILE_LIMIT_BYTES,
  type CodeFile,
  type InspectedFile,
} from "../../../src/contract/approved-run.ts";
import { codeOf } from "../error-code.ts";

/** A file and the bytes that its digest was made of. */
export interface ReadCode {
  readonly file: CodeFile;
  readonly bytes: Buffer;
  readonly owner: { readonly uid: number; readonly gid: number };
  readonly modified: Date;
}

/** Looks at a path as root. Links are followed: the guard binds where they lead. */
export function inspectFile(asked: string): InspectedFile {
  const found = readCode(asked, { followLink: true });
  if ("file" in found) {
    const { file } = found;
    return isSystemPath(file.path)
      ? { kind: "system", asked, path: file.path }
      : { kind: "file", asked, file };
  }
  if (found.why === undefined) return { kind: "missing", asked, path: asked };
  if (isSystemPath(found.path)) return { kind: "system", asked, path: found.path };
  return { kind: "unfit", asked, path: found.path, why: found.why };
}

/** Reads a whole regular file through one descriptor, so that type, path, size and bytes are those of one file. */
export function readCode(
  path: string,
  { followLink }: { followLink: boolean },
): ReadCode | { readonly path: string; readonly why: string | undefined } {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let descriptor: number;
  try {
    descriptor = openSync(path, O_RDONLY | O_NONBLOCK | (followLink ? 0 : O_NOFOLLOW));
  } catch (error) {
    const isMissing = codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
    return { path, why: isMissing ? undefined : "cannot be opened" };
  }
  try {
    return readOpen(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function readOpen(descriptor: number): ReadCode | { readonly path: string; readonly why: string } {
  const path = readlinkSync(`/proc/self/fd/${descriptor}`);
  const found = fstatSync(descriptor);
  if (!found.isFile()) return { path, why: "is not a regular file" };
  const size = Number(found.size);
  if (size > CODE_FILE_LIMIT_BYTES) {
    return { path, why: `is larger than ${CODE_FILE_LIMIT_BYTES / 1024 / 1024} MB` };
  }
  const bytes = readUpTo(descriptor, CODE_FILE_LIMIT_BYTES + 1);
  if (bytes.length > CODE_FILE_LIMIT_BYTES) return { path, why: "is being written to" };
  // Loaded here, because the workspace's own server starts from the same bundle without it.
  const { hash } = process.getBuiltinModule("node:crypto");
  const sha256 = hash("sha256", bytes);
  const { uid, gid, mtime } = found;
  return {
    file: { path, sha256, size: bytes.length, mode: found.mode & 0o777 },
    bytes,
    owner: { uid, gid },
    modified: mtime,
  };
}

function readUpTo(descriptor: number, limit: number): Buffer {
  const chunks: Buffer[] = [];
  for (let length = 0; length < limit; ) {
    const chunk = Buffer.alloc(Math.min(64 * 1024, limit - length));
    const count = readSync(descriptor, chunk, 0, chunk.length, null);
    if (count === 0) break;
    chunks.push(chunk.subarray(0, count));
    length += count;
  }
  return Buffer.concat(chunks);
}

/** Whether only root can change what this real path leads to: each part of it is root's and writable by no one else. */
export function isSystemPath(path: string): boolean {
  for (let part = path; ; part = dirname(part)) {
    const found = lstatSync(part, { throwIfNoEntry: false });
    if (!found || found.isSymbolicLink() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
      return false;
    }
    if (part === "/") return true;
  }
}
