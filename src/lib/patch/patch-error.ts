/** A text that is not a patch that can be applied. The message says how to repair it. */
export class PatchError extends Error {
  override readonly name = "PatchError";
  /** What has to be changed: the text, or the path that was given beside it. */
  readonly wrong: "text" | "filePath";

  constructor(message: string, wrong: "text" | "filePath" = "text") {
    super(message);
    this.wrong = wrong;
  }
}

/** What is wrong with the patch text itself, and on which of its lines. */
export function malformed(index: number, problem: string): PatchError {
  return new PatchError(`Line ${index + 1} of the patch: ${problem}`);
}
