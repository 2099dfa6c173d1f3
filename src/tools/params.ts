import { z } from "zod";
import { text } from "../contract/tools/params.ts";

/** Models send `0.5` and `"0.5"` for one and the same number; words and percentages are refused. */
export function decimal(bounds: { min?: number; max?: number } = {}) {
  let number = z.number();
  if (bounds.min !== undefined) number = number.min(bounds.min);
  if (bounds.max !== undefined) number = number.max(bounds.max);
  return z.preprocess(
    (value) =>
      typeof value === "string" && /^\s*[+-]?(\d+\.?\d*|\.\d+)\s*$/.test(value)
        ? Number(value)
        : value,
    number,
  );
}

/** Text of which something is left when the white space is taken away. */
export function words(what: string) {
  return text(what).refine((value) => value.trim() !== "", `${what} must not be blank`);
}
