import { type BigIntStats, fstatSync, lstatSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import { raw } from "../../../src/lib/file-names.ts";
import { explain } from "./fs-errors.ts";

/** Larger files are for grep and for commands; reading one whole would fill the workspace's memory. */
export const FILE_LIMIT_BYTES = 64 * 1024 * 1024;

/** The file's stats without its content. Throws for anything but a regular file. */
export async function regularStats(path: string, shown: string): Promise<BigIntStats> {
  try {
    const stats = await lstat(raw(path), { bigint: true });
    expectRegular(stats, shown);
    return stats;
  } catch (error) {
    throw explain(shown, error);
  }
}

/** To be called before opening: opening a pipe or a device can disturb the processes that use it. */
export function expectRegularAt(path: string, shown: string): void {
  expectRegular(lstatSync(raw(path), { bigint: true }), shown);
}

/** The stats of an open file, which is regular and not too large to read. */
export function readableStats(fd: number, shown: string): BigIntStats {
  const stats = fstatSync(fd, { bigint: true });
  expectRegular(stats, shown);
  if (stats.size > FILE_LIMIT_BYTES) throw tooLarge(shown, Number(stats.size));
  return stats;
}

function expectRegular(stats: BigIntStats, shown: string): void {
  if (stats.isFile() || stats.isSymbolicLink()) return;
  throw new ToolError(
    "executionFailed",
    stats.isDirectory()
      ? `${shown} is a directory. Use list_dir to see what is in it.`
      : `${shown} is ${kindOf(stats)}, not a regular file. Look at it with a command.`,
  );
}

function kindOf(stats: BigIntStats): string {
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  return stats.isBlockDevice() ? "a block device" : "a character device";
}

function tooLarge(shown: string, bytes: number): ToolError {
  const megabytes = Math.round(bytes / 1024 / 1024);
  return new ToolError(
    "executionFailed",
    `${shown} has ${megabytes} MB, which is too large to read whole. Use run_command with sed -n or rg.`,
  );
}

/** A file of /proc or a device driver that says it is empty and never comes to an end. */
export function endless(shown: string): ToolError {
  const megabytes = FILE_LIMIT_BYTES / 1024 / 1024;
  return new ToolError(
    "executionFailed",
    `${shown} does not report its size and has more than ${megabytes} MB. Use run_command with head -c.`,
  );
}
