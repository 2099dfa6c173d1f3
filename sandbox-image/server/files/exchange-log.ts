import { lstatSync, renameSync, unlinkSync } from "node:fs";
import { z } from "zod";
import { Directory } from "./directory.ts";

/** One file of a change to several: names within one directory. */
export const Exchange = z.object({
  directory: z.string(),
  target: z.string(),
  /** The new content's own name, and the second name of what was there before. */
  fresh: z.string(),
  kept: z.string(),
});
export type Exchange = z.infer<typeof Exchange>;

/** Remembers a change to several files while it is being made, in case the server dies in the middle of it. */
export interface ExchangeLog {
  /** Resolves once it is durable. From now on a crash means: take all of it back. */
  begin(id: string, exchanges: readonly Exchange[]): Promise<void>;
  /** All of it is done. From now on a crash means: only tidy up. */
  exchanged(id: string): void;
  /** Nothing is left to do, whatever became of it. */
  end(id: string): void;
}

/** After a crash: a change that was made as a whole stays, any other is taken back. */
export function settleExchanges(exchanges: readonly Exchange[], isDone: boolean): void {
  if (isDone) tidyUp(exchanges);
  else takeBack(exchanges);
}

/** Puts back what an exchange that was cut off has changed. Done twice, or after the whole, it does nothing. */
function takeBack(exchanges: readonly Exchange[]): void {
  for (const exchange of exchanges.toReversed()) {
    try {
      using directory = Directory.open(exchange.directory);
      takeBackOne(directory, exchange);
    } catch {
      // The directory is gone or another by now: nothing of ours is left in it.
    }
  }
}

function takeBackOne(directory: Directory, { target, fresh, kept }: Exchange): void {
  const now = directory.at(target);
  const before = directory.at(kept);
  const after = directory.at(fresh);
  const wasThere = inodeOf(before) !== undefined;
  // Renaming one name of a file to another of its names would do nothing at all.
  if (wasThere && inodeOf(before) !== inodeOf(now)) renameSync(before, now);
  if (!wasThere && inodeOf(after) !== undefined && inodeOf(after) === inodeOf(now)) unlinkSync(now);
  removeLeftovers(directory, { fresh, kept });
}

/** Removes the names that an exchange needed. */
function tidyUp(exchanges: readonly Exchange[]): void {
  for (const exchange of exchanges) {
    try {
      using directory = Directory.open(exchange.directory);
      removeLeftovers(directory, exchange);
    } catch {
      // The directory is gone, and its leftovers with it.
    }
  }
}

function removeLeftovers(directory: Directory, { fresh, kept }: Pick<Exchange, "fresh" | "kept">) {
  for (const leftover of [directory.at(fresh), directory.at(kept)]) {
    if (inodeOf(leftover) !== undefined) unlinkSync(leftover);
  }
}

function inodeOf(path: string | Buffer): bigint | undefined {
  try {
    return lstatSync(path, { bigint: true }).ino;
  } catch {
    return undefined; // not there
  }
}
