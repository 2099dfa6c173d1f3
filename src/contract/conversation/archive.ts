export interface ArchivedMessage {
  readonly at: string;
  readonly author: string;
  readonly text: string;
}

/** Messages that were taken out of a transcript to make room, and what they were about. */
export interface ArchiveChunk {
  readonly conversation: string;
  /** Times of its first and its last message (ISO 8601). */
  readonly from: string;
  readonly to: string;
  readonly summary: string;
  readonly topics: readonly string[];
  readonly messages: readonly ArchivedMessage[];
}

/** What no longer fits the model's context, conversation by conversation. */
export interface Archive {
  /** Oldest first. */
  chunks(conversation: string): Promise<readonly ArchiveChunk[]>;
}
