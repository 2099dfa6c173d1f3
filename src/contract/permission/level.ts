import { z } from "zod";

/** How much a call asks of people: nothing, a click, or a typed phrase. */
export type Level = "free" | "click" | "phrase";

/** A level at which people are asked. */
export type AskedLevel = Exclude<Level, "free">;

const ORDER: readonly Level[] = ["free", "click", "phrase"];

/** The highest level wins; nothing at all is free. */
export function highest(levels: Iterable<Level>): Level {
  let rank = 0;
  for (const level of levels) rank = Math.max(rank, ORDER.indexOf(level));
  return ORDER[rank] ?? "free";
}

/** Words for the same levels in policy files, and in records that older versions stored. */
const OLDER_WORDS = { standard: "click", elevated: "click", high: "phrase" } as const;

/** A level in a policy or a stored record, under its present or an older name. */
export const AskedLevel = z
  .enum(["click", "phrase", "standard", "elevated", "high"], {
    error: "must be click or phrase (standard and elevated mean click, high means phrase)",
  })
  .transform(
    (word): AskedLevel => (word === "click" || word === "phrase" ? word : OLDER_WORDS[word]),
  );
