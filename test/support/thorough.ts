/** `npm run test:all` runs every case; the tests of a change run a fixed sample of each long list. */
export const isThorough = process.env.TEST_ALL === "1";

/** How many cases a test runs: few with every change, all of them in `npm run test:all`. */
export function caseCount(counts: { readonly perChange: number; readonly all: number }): number {
  return isThorough ? counts.all : counts.perChange;
}

/** All cases in `npm run test:all`; with every change so many of them, evenly spread over the list. */
export function sampleOf<Case>(cases: readonly Case[], perChange: number): readonly Case[] {
  if (isThorough || perChange >= cases.length) return cases;
  return Array.from(
    { length: perChange },
    (_, index) => cases[Math.floor((index * cases.length) / perChange)] as Case,
  );
}

/**
 * All cases in `npm run test:all`; with every change one in `step` of them. Tests with consecutive indexes get different
 * ones: `step` tests together run every case.
 */
export function shareOf<Case>(
  cases: readonly Case[],
  { index, step }: { readonly index: number; readonly step: number },
): readonly Case[] {
  return isThorough ? cases : cases.filter((_, at) => at % step === index % step);
}

/** All cases in `npm run test:all`; with every change those that bring a class with them that none before them has. */
export function coverOf<Case>(
  cases: readonly Case[],
  classesOf: (one: Case) => readonly string[],
): readonly Case[] {
  if (isThorough) return cases;
  const covered = new Set<string>();
  return cases.filter((one) => {
    const fresh = classesOf(one).filter((name) => !covered.has(name));
    for (const name of fresh) covered.add(name);
    return fresh.length > 0;
  });
}
