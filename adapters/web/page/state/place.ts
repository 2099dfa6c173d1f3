import type { ThreadId } from "../../../../src/contract/platform/incoming.ts";

/** One thing in a thread, as a link means it. */
export interface Target {
  readonly thread: ThreadId;
  readonly item: string;
}

/** Where one is, as the page's address says it. */
export interface Place {
  readonly thread: ThreadId | undefined;
  readonly target: Target | undefined;
}

export function placeOf(hash: string): Place {
  const fragment = new URLSearchParams(hash.replace(/^#/, ""));
  const thread = fragment.get("thread") ?? undefined;
  const item = fragment.get("post");
  return { thread, target: thread && item ? { thread, item } : undefined };
}

/** The same as the links that the bot itself gives. */
export function fragmentOf(thread: ThreadId | undefined, item?: string): string {
  if (thread === undefined) return "#";
  return item === undefined ? `#thread=${thread}` : `#thread=${thread}&post=${item}`;
}
