import {
  accessSync,
  type BigIntStats,
  constants,
  fchmodSync,
  fchownSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { codeOf } from "../error-code.ts";
import { Directory } from "./directory.ts";
import { type Content, FreshFile } from "./fresh-file.ts";
import { explain } from "./fs-errors.ts";

/** What one file is to become. */
export interface Change {
  /** Resolved. */
  readonly path: string;
  readonly shown: string;
  /** The file as it was read; absent when there must not be one. */
  readonly before?: BigIntStats;
  /** The new text; absent when the file goes. */
  readonly after?: Content;
  /** Permission bits; those of before, or what the umask leaves, when left out. */
  readonly mode?: number;
  /** A new file that may be run, as far as the umask lets it. */
  readonly executable?: boolean;
}

/** A change whose new content waits under another name in the same directory. */
export interface Staged {
  readonly change: Change;
  readonly directory: Directory;
  readonly target: string | Buffer;
  readonly fresh: string | Buffer;
  /** A second name for the old file while the exchange may still have to be undone. */
  readonly kept: string | Buffer;
  /** The two names without their directory. */
  readonly names: { readonly fresh: string; readonly kept: string };
  file?: FreshFile;
  /** Those of the two names that were given and are not needed once all is over. */
  readonly leftovers: Set<string | Buffer>;
}

/** Writes the new content, and changes nothing that anybody looks at. */
export async function stage(change: Change): Promise<Staged> {
  const directory = await openParent(change);
  const mark = crypto.randomUUID();
  const names = { fresh: `.deckhand-${mark}.new`, kept: `.deckhand-${mark}.old` };
  const staged: Staged = {
    change,
    directory,
    target: directory.at(basename(change.path)),
    fresh: directory.at(names.fresh),
    kept: directory.at(names.kept),
    names,
    leftovers: new Set(),
  };
  try {
    if (change.before) accessSync(staged.target, constants.W_OK);
    if (change.after !== undefined) staged.file = await writeFresh(staged, change.after);
    return staged;
  } catch (error) {
    discard(staged);
    await directory.unmake();
    directory[Symbol.dispose]();
    throw explain(change.shown, error, "written");
  }
}

async function openParent({ path, shown, before }: Change): Promise<Directory> {
  try {
    const parent = dirname(path);
    return await (before ? Directory.open(parent) : Directory.make(parent));
  } catch (error) {
    throw explain(shown, error, "written");
  }
}

async function writeFresh(staged: Staged, content: Content): Promise<FreshFile> {
  const { before, executable, mode = before && Number(before.mode) & 0o7777 } = staged.change;
  const file = new FreshFile(staged.fresh, executable ? 0o777 : 0o666);
  staged.leftovers.add(staged.fresh);
  try {
    if (before) keepOwner(file.fd, before);
    if (mode !== undefined) fchmodSync(file.fd, mode);
    await file.write(content);
    await file.secure({ replaces: before !== undefined });
    return file;
  } catch (error) {
    file[Symbol.dispose]();
    throw error;
  }
}

/** Root writes files of others and must leave them theirs; nobody else can give a file away. */
function keepOwner(fd: number, { uid, gid }: BigIntStats): void {
  try {
    if (process.geteuid?.() === 0) fchownSync(fd, Number(uid), Number(gid));
  } catch (error) {
    if (codeOf(error) !== "EPERM") throw error;
  }
}

/** Removes what nobody needs any more. */
export function discard({ leftovers }: Staged): void {
  for (const leftover of leftovers) {
    try {
      unlinkSync(leftover);
    } catch {
      // It has taken its place, or somebody has removed it.
    }
  }
  leftovers.clear();
}
