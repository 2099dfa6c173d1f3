import { lstatSync, readlinkSync, type Stats } from "node:fs";
import type { ChangedPath } from "../../../src/contract/workspace/approved-run.ts";

/** The kernel's own limit. */
const MAX_LINKS = 40;
const WORKLOAD_UID = 1000;

/**
 * The first part of a path that the workload could replace, so that the path leads elsewhere; undefined when only root
 * can change where it leads. Walks as the kernel does: links are followed, and `..` is the parent of where they lead.
 * A directory at its end counts as well, because the names in it are the workload's.
 */
export function replaceablePart(
  { path, isRemoved }: ChangedPath,
  workloadUid = WORKLOAD_UID,
): string | undefined {
  const names = path.split("/").reverse();
  let links = 0;
  let place = "/";
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      place = place.slice(0, Math.max(place.lastIndexOf("/"), 1));
      continue;
    }
    const next = place === "/" ? `/${name}` : `${place}/${name}`;
    if (belongsToWorkload(look(place), workloadUid)) return next;
    const found = look(next);
    // Root creates the rest where only root can create anything.
    if (found === "missing") return undefined;
    // Links of processes lead elsewhere for each process.
    if (found === "hidden" || (found.isSymbolicLink() && next.startsWith("/proc/"))) return next;
    if (!found.isSymbolicLink()) place = next;
    else if (isRemoved && names.length === 0) return undefined;
    else {
      links += 1;
      if (links > MAX_LINKS) return next;
      const target = readlinkSync(next);
      if (target.startsWith("/")) place = "/";
      names.push(...target.split("/").reverse());
    }
  }
  if (isRemoved) return undefined;
  const end = look(place);
  const isOpen =
    typeof end === "object" && end.isDirectory() && belongsToWorkload(end, workloadUid);
  return isOpen ? place : undefined;
}

function look(path: string): Stats | "missing" | "hidden" {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? "missing";
  } catch {
    return "hidden"; // for example another process's files in /proc
  }
}

/** Whether the workload can put another entry in the place of one in this directory. */
function belongsToWorkload(directory: Stats | "missing" | "hidden", workloadUid: number): boolean {
  if (typeof directory === "string") return true;
  return directory.uid === workloadUid || (directory.mode & 0o022) !== 0;
}
