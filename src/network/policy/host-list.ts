import { z } from "zod";
import { HostEntryError } from "./host-pattern.ts";
import { readHosts } from "./host-rules.ts";

/** Names the entries of a list that cannot be used. */
function check(entries: readonly string[], context: z.RefinementCtx): void {
  for (const [index, entry] of entries.entries()) {
    try {
      readHosts([entry]);
    } catch (error) {
      if (!(error instanceof HostEntryError)) throw error;
      context.addIssue({ code: "custom", message: error.message, path: [index] });
    }
  }
}

/** A list of hosts in a file. */
export const HostList = z.array(z.string().trim().min(1)).superRefine(check).transform(readHosts);

/** The same in one text, separated by commas or blanks. */
export const HostListText = z
  .string()
  .default("")
  .transform((text) => text.split(/[\s,]+/).filter((entry) => entry !== ""))
  .superRefine((entries, context) => {
    // A text has no places of its own: the message names the entry.
    for (const entry of entries)
      check([entry], {
        ...context,
        addIssue: (issue) =>
          context.addIssue(typeof issue === "string" ? issue : { ...issue, path: [] }),
      });
  })
  .transform(readHosts);
