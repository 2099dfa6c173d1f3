let report = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

/** The worker has no standard error: it reports over its link. */
export function setBugReporter(reporter: (text: string) => void): void {
  report = reporter;
}

/** For an error that only a defect in the server can cause. */
export function reportBug(error: unknown): void {
  report(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
