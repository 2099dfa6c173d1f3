/** The person has used up the limit for this hour; the message says when to try again. */
export class UploadLimitError extends Error {
  override readonly name = "UploadLimitError";
}

/** How much each person may upload within an hour. */
export interface UploadBudget {
  /** Counts bytes before they are taken; throws an UploadLimitError where they would be too many. */
  take(person: string, bytes: number): Promise<void>;
  /** Bytes that were counted and did not come. */
  giveBack(person: string, bytes: number): Promise<void>;
}
