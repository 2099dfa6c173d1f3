/** Choices that permit something, the narrowest first. Without a schema: the web page uses this, too. */
export const APPROVING = ["once", "timed", "thread"] as const;
export type Approving = (typeof APPROVING)[number];

/** Whether a choice permits something. */
export function approves(choice: string): choice is Approving {
  return APPROVING.some((one) => one === choice);
}
