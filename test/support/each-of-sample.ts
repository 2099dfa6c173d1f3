import { it } from "vitest";
import { sampleOf } from "./thorough.ts";

/** As `it.each`, for a fixed sample of the cases with every change, and for all of them in `npm run test:all`. */
export function eachOfSample(perChange: number) {
  return <Case extends readonly unknown[]>(cases: readonly Case[]) =>
    it.each(sampleOf(cases, perChange));
}
