import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { ToolError } from "../../../src/contract/operation.ts";
import { codeOf } from "../error-code.ts";

/** An open directory. A path can be swapped between a check and its use; a descriptor cannot. */
export interface BoundDirectory extends Disposable {
  readonly descriptor: number;
}

/** Opens the directory that was approved. Throws a ToolError when its path leads anywhere else by now. */
export function openBoundDirectory(path: string): BoundDirectory {
  const descriptor = open(path);
  const real = readlinkSync(`/proc/self/fd/${descriptor}`);
  if (real !== path) {
    closeSync(descriptor);
    throw changed(path, `it leads to ${real.slice(0, 200)} now`);
  }
  return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
}

/** The real path of a directory, or null when there is none. */
export function realDirectory(path: string): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch {
    return null; // missing, or not a directory: the caller reports that
  }
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } finally {
    closeSync(descriptor);
  }
}

function open(path: string): number {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  try {
    return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    throw changed(path, codeOf(error) === "ENOENT" ? "it is gone" : "it is no directory now");
  }
}

function changed(path: string, how: string): ToolError {
  return new ToolError(
    "permissionDenied",
    `The directory ${path.slice(0, 200)} has changed since the command was approved: ${how}. ` +
      "Nothing was run; ask for approval again.",
    { changedSinceApproval: true },
  );
}
