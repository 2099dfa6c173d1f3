import { closeSync, constants, fstatSync, openSync, readlinkSync } from "node:fs";
import { ToolError } from "../../../src/contract/tools/operation.ts";
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

/** Linux's own: names a file without opening it, so that a pipe or device does nothing. */
const O_PATH = 0o10000000;

/** Open files and directories that stay what they are, whatever their paths lead to later. */
export class BoundPaths implements Disposable {
  readonly descriptors: number[] = [];

  /** Throws a ToolError when one of the paths is gone or leads through a link by now. */
  constructor(paths: readonly string[]) {
    using undo = new DisposableStack();
    undo.defer(() => this[Symbol.dispose]());
    for (const path of paths) this.#open(path);
    undo.move();
  }

  #open(path: string): void {
    let descriptor: number;
    try {
      descriptor = openSync(path, O_PATH | constants.O_NOFOLLOW);
    } catch (error) {
      throw changed(path, codeOf(error) === "ENOENT" ? "it is gone" : "it can no longer be opened");
    }
    this.descriptors.push(descriptor);
    const real = readlinkSync(`/proc/self/fd/${descriptor}`);
    if (real !== path) throw changed(path, `it leads to ${real.slice(0, 200)} now`);
    if (fstatSync(descriptor).isSymbolicLink()) throw changed(path, "it is a link now");
  }

  [Symbol.dispose](): void {
    for (const descriptor of this.descriptors.splice(0)) closeSync(descriptor);
  }
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
    throw changed(path, codeOf(error) === "ENOENT" ? "it is gone" : "it is no longer a directory");
  }
}

function changed(path: string, how: string): ToolError {
  return new ToolError(
    "permissionDenied",
    `${path.slice(0, 200)} has changed since the command was approved: ${how}. ` +
      "Nothing was run; ask for approval again.",
    { changedSinceApproval: true },
  );
}
