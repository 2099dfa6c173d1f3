import { hash } from "node:crypto";

/** Where the hash chain of a conversation's journal begins. */
export interface ChainStart {
  readonly conversation: string;
  /** Number of the first line that is chained; earlier ones were written by a version without a chain. */
  readonly coveredFrom: number;
  /** When an older store was upgraded (ms since 1970); undefined for a conversation that began afterwards. */
  readonly coveredSinceMs?: number | undefined;
}

/** A line as it is kept: its data is JSON text. */
export interface KeptLine {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly data: string;
}

/** The hash before the first chained line; it binds the start, so that moving it is noticed. */
export function startHash({ conversation, coveredFrom, coveredSinceMs }: ChainStart): string {
  return hash("sha256", JSON.stringify([conversation, coveredFrom, coveredSinceMs ?? null]));
}

export function lineHash(previous: string, { seq, at, kind, data }: KeptLine): string {
  return hash("sha256", `${JSON.stringify([previous, seq, at, kind, data.length])}${data}`);
}
