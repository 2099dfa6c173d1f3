import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { codeOf } from "./error-code.ts";

/** Makes the names in a directory survive a power cut. */
export function syncFolder(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Old or new, never half. The caller syncs the directory. */
export function replaceFile(path: string, aside: string, data: string): void {
  writeDurably(aside, data);
  renameSync(aside, path);
}

/** Fails with EEXIST when it is there already. A reader never sees half of it. */
export function createFile(path: string, aside: string, data: string): void {
  writeDurably(aside, data);
  try {
    linkSync(aside, path);
  } finally {
    unlinkSync(aside);
  }
}

function writeDurably(path: string, data: string): void {
  const fd = openSync(path, "w", 0o600);
  try {
    writeFileSync(fd, data);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes(codeOf(error))) return undefined;
    throw error;
  }
}
