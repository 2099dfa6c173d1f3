/** One deliberate fault. The suite is good for something only if the named test finds it. */
export interface Mutant {
  /** What somebody might have got wrong. */
  readonly fault: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly text: string;
  readonly replacement: string;
  /** The test file that must fail. */
  readonly test: string;
}

/** Faults of several files that one test file must find. */
export function mutantsOf(
  test: string,
  faults: readonly (readonly [fault: string, file: string, text: string, replacement: string])[],
): Mutant[] {
  return faults.map(([fault, file, text, replacement]) => ({
    fault,
    file,
    text,
    replacement,
    test,
  }));
}
