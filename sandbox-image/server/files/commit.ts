import {
  type BigIntStats,
  closeSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import { codeOf } from "../error-code.ts";
import type { Exchange, ExchangeLog } from "./exchange-log.ts";
import { explain } from "./fs-errors.ts";
import { type Change, discard, type Staged, stage } from "./stage.ts";

interface CommitOptions {
  /** Lets a change of several files that a crash cut off be taken back. */
  readonly log?: ExchangeLog | undefined;
  /** Nothing takes effect before it resolves; when it rejects, nothing does. */
  readonly recorded?: (() => Promise<void>) | undefined;
}

/**
 * Puts all the changes into effect, or none and throws. Each file is old or new at any moment, never half; with a log, all
 * of them are old again after a crash in the middle. All but the content itself is done synchronously: a handful of names
 * takes less time than one trip through the thread pool.
 */
export async function commit(
  changes: readonly Change[],
  { log, recorded }: CommitOptions = {},
): Promise<void> {
  const staged: Staged[] = [];
  const mark = crypto.randomUUID();
  const isLogged = log !== undefined && changes.length > 1;
  try {
    for (const change of changes) staged.push(await stage(change));
    await recorded?.();
    if (isLogged) await log.begin(mark, staged.map(namesOf));
    for (const one of staged) checkUnchanged(one);
    exchangeAll(staged);
    if (isLogged) log.exchanged(mark);
    staged.forEach(discard);
  } catch (error) {
    staged.forEach(discard);
    for (const { directory } of staged.toReversed()) await directory.unmake();
    throw error;
  } finally {
    if (isLogged) log.end(mark);
    for (const { directory, file } of staged) {
      file?.[Symbol.dispose]();
      directory[Symbol.dispose]();
    }
  }
}

function namesOf({ change, names }: Staged): Exchange {
  const [directory, target] = [dirname(change.path), basename(change.path)];
  return { directory, target, ...names };
}

function checkUnchanged({ change, target }: Staged): void {
  const { before, shown } = change;
  const now = statsOf(target, shown);
  if (!before && now) throw existsAlready(shown);
  if (before && !(now && isSame(before, now))) {
    throw new ToolError(
      "executionFailed",
      `${shown} was changed by another process, so nothing was written. Read it again and repeat the edit.`,
    );
  }
}

function isSame(before: BigIntStats, now: BigIntStats): boolean {
  return before.ino === now.ino && before.size === now.size && before.mtimeNs === now.mtimeNs;
}

function statsOf(path: string | Buffer, shown: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true });
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw explain(shown, error, "written");
  }
}

function existsAlready(shown: string): ToolError {
  return new ToolError(
    "executionFailed",
    `${shown} was created by another process, so nothing was written. Read it first.`,
  );
}

function exchangeAll(staged: readonly Staged[]): void {
  const done: Staged[] = [];
  try {
    if (staged.length > 1) staged.forEach(keepOld);
    for (const one of staged) {
      exchange(one);
      done.push(one);
    }
  } catch (error) {
    const stuck = undoAll(done.reverse());
    throw stuck.length > 0 ? halfDone(stuck, error) : error;
  }
}

/** Returns what could not be put back: its old content must then not be thrown away. */
function undoAll(done: readonly Staged[]): Staged[] {
  const stuck: Staged[] = [];
  for (const one of done) {
    try {
      undo(one);
    } catch {
      one.leftovers.delete(one.kept);
      stuck.push(one);
    }
  }
  return stuck;
}

function halfDone(stuck: readonly Staged[], cause: unknown): ToolError {
  const names = stuck.map(({ change, names }) => `${change.shown} (${names.kept} beside it)`);
  return new ToolError(
    "executionFailed",
    `The change failed halfway and could not be undone completely. The old content was kept for: ${names.join(", ")}.`,
    {},
    { cause },
  );
}

/** Before anything is exchanged: from then on all of it can be taken back. */
function keepOld({ change, target, kept, leftovers }: Staged): void {
  try {
    if (!change.before) return;
    linkSync(target, kept);
    leftovers.add(kept);
  } catch (error) {
    throw explain(change.shown, error, "written");
  }
}

function exchange({ change, target, fresh, leftovers }: Staged): void {
  try {
    if (change.after === undefined) unlinkSync(target);
    else if (change.before === undefined) putNew(fresh, target);
    else {
      renameSync(fresh, target);
      leftovers.delete(fresh);
    }
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw existsAlready(change.shown);
    throw explain(change.shown, error, "written");
  }
}

/** A second name never replaces a file that has come into being since; a rename would. */
function putNew(fresh: string | Buffer, target: string | Buffer): void {
  try {
    linkSync(fresh, target);
  } catch (error) {
    // File systems without hard links: reserve the name, then rename over what was reserved.
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(codeOf(error))) throw error;
    closeSync(openSync(target, "wx"));
    renameSync(fresh, target);
  }
}

function undo({ change, target, kept }: Staged): void {
  if (change.before) renameSync(kept, target);
  else unlinkSync(target);
}
