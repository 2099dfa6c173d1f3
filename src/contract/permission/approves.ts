import type { Approving } from "./approval.ts";

/** Without a schema: the web page uses it, too. */
const APPROVING: readonly string[] = ["once", "timed", "thread"] satisfies Approving[];

/** Whether a choice permits something. */
export function approves(choice: string): choice is Approving {
  return APPROVING.includes(choice);
}
