import { constants, fstatSync } from "node:fs";
import { nameOf, parentOf } from "./bytes.ts";
import { readUpTo } from "./capture.ts";
import type { Side } from "./diff.ts";
import type { Entry, Tree } from "./entry.ts";
import { isUntouched } from "./entry.ts";
import { isMoved } from "./errors.ts";
import { Folder, OpenFile } from "./folder.ts";
import type { Records } from "./records.ts";

/** A checkpoint as one side of a comparison. */
export function keptSide(records: Records, id: string): Side {
  return {
    tree: records.treeOf(records.find(id)),
    read: (entry) =>
      ifThere(() => {
        using blob = records.blobs.open(entry.content);
        return readUpTo(blob.fd, entry.size);
      }),
  };
}

/** The workspace as it was scanned just now. */
export function presentSide(root: string, tree: Tree): Side {
  return { tree, read: (entry) => ifThere(() => readPresent(root, entry)) };
}

function readPresent(root: string, entry: Entry): Buffer | undefined {
  using top = Folder.open(root);
  using parent = top.descend(parentOf(entry.path));
  using file = new OpenFile(
    parent.at(nameOf(entry.path)),
    constants.O_RDONLY | constants.O_NONBLOCK,
  );
  if (!isUntouched(entry, fstatSync(file.fd))) return undefined;
  return readUpTo(file.fd, entry.size);
}

function ifThere(read: () => Buffer | undefined): Buffer | undefined {
  try {
    return read();
  } catch (error) {
    if (isMoved(error)) return undefined;
    throw error;
  }
}
