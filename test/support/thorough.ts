/** How many cases a test runs: few with every change, all of them in `npm run test:all`. */
export function caseCount(counts: { readonly perChange: number; readonly all: number }): number {
  return process.env.TEST_ALL === "1" ? counts.all : counts.perChange;
}
