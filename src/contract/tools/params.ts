import { z } from "zod";

/** Models send `10`, `10.0` and `"10"` for one and the same number; fractions and words are refused. */
export function integer(bounds: { min?: number; max?: number } = {}) {
  const whole = z
    .int()
    .min(bounds.min ?? Number.MIN_SAFE_INTEGER)
    .max(bounds.max ?? Number.MAX_SAFE_INTEGER);
  return z.preprocess(
    (value) =>
      typeof value === "string" && /^\s*[+-]?\d+(\.0*)?\s*$/.test(value) ? Number(value) : value,
    whole,
  );
}

/** `true`, `"true"` and `"false"`; nothing else passes for a yes or a no. */
export function flag() {
  return z.preprocess(
    (value) =>
      typeof value === "string" ? (WORDS.get(value.trim().toLowerCase()) ?? value) : value,
    z.boolean(),
  );
}

const WORDS = new Map([
  ["true", true],
  ["false", false],
]);

/** Whether arguments that nobody has checked say yes to a flag. */
export function isSet(value: unknown): boolean {
  return (
    value === true || (typeof value === "string" && WORDS.get(value.trim().toLowerCase()) === true)
  );
}

/** Text that must say something and cannot carry a NUL, which no path or command line can hold. */
export function text(what: string) {
  return z
    .string()
    .min(1, `${what} must not be empty`)
    .refine((value) => !value.includes("\0"), `${what} must not contain a NUL character`);
}
