import { ToolError } from "../../../src/contract/tools/operation.ts";
import { codeOf } from "../error-code.ts";

/** What went wrong with a file, as a sentence that says what to do next. */
export function explain(
  path: string,
  error: unknown,
  doing: "read" | "written" = "read",
): ToolError {
  if (error instanceof ToolError) return error;
  const code = codeOf(error);
  const name = shortened(path);
  const known = doing === "written" ? (WRITING[code] ?? REASONS[code]) : REASONS[code];
  const message = known?.(name) ?? `${name} could not be ${doing} (${code || String(error)}).`;
  return new ToolError("executionFailed", message, {}, { cause: error });
}

/** Nobody can read a path of a million characters. */
function shortened(path: string): string {
  return path.length > 300 ? `${path.slice(0, 200)}…${path.slice(-50)}` : path;
}

type Sentences = Readonly<Record<string, (path: string) => string>>;

const REASONS: Sentences = {
  ENOENT: (path) =>
    `${path} does not exist. Find it with list_dir or file_search, or create it with create_file.`,
  EISDIR: (path) => `${path} is a directory. Use list_dir to see what is in it.`,
  EACCES: (path) => `${path} is not readable by the workspace's user. Check it with ls -l.`,
  EPERM: (path) => `${path} is not accessible to the workspace's user. Check it with ls -l.`,
  ENOTDIR: (path) => `A part of ${path} is a file, not a directory. Check it with list_dir.`,
  ENAMETOOLONG: (path) =>
    `The path ${path} is too long, or a name in it is over 255 bytes. Use a shorter one.`,
  ELOOP: (path) =>
    `${path} is a symbolic link that points in a circle, or has just become a link. Check it with ls -l.`,
};

const WRITING: Sentences = {
  EACCES: (path) =>
    `${path} is not writable by the workspace's user, so nothing was changed. Check it with ls -l.`,
  EPERM: (path) =>
    `${path} is not writable by the workspace's user, so nothing was changed. Check it with ls -l.`,
  EROFS: (path) => `${path} is on a read-only file system. Choose a path in the workspace.`,
  ENOSPC: (path) =>
    `The disk is full, so ${path} was not written and nothing was changed. Delete files and try again.`,
  EDQUOT: (path) =>
    `The disk is full, so ${path} was not written and nothing was changed. Delete files and try again.`,
  EFBIG: (path) => `${path} would become too large, so nothing was written.`,
};
