import { z } from "zod";

/** Text that every later stage can store and send. */
export const CleanText = z
  .string()
  .refine((text) => !text.includes("\0"), "must not contain a NUL character")
  .refine((text) => text.isWellFormed(), "must not contain half of a surrogate pair");
