/**
 * Takes secrets out of what leaves the bot: messages, logs, the audit, requests to a model. Whoever sends
 * something out is given one when made, so that there is no way to forget it. A mask says what stood there.
 */
export interface Redactor {
  /** Doing it twice changes nothing more. Cut long text afterwards, never before: half a secret is not found. */
  redact(text: string): string;
  /** The same for every string in a JSON-like value, keys included. */
  redactDeep<Value>(value: Value): Value;
  /**
   * The same for what somebody has to judge before it is done: whatever could do something stays to be seen, also where
   * it was made to look like a secret, and no mask takes more room than what it hides.
   */
  redactJudged<Value>(value: Value): Value;
  /** The same for a file: the very bytes where nothing is hidden. Undefined: a known secret stands in what is no text. */
  redactFile(bytes: Uint8Array): Promise<Uint8Array | undefined>;
  /** For text that arrives in pieces. `after` is what was shown of it already, as it came. */
  stream(options?: { readonly after?: string }): RedactingStream;
}

/** Gives text back as soon as it cannot be the beginning of a secret any more. */
export interface RedactingStream {
  /** What of the text so far may be shown now. The last word waits for its end. */
  write(chunk: string): string;
  /** Nothing has come for a while: shows the last word too, unless it begins like a known secret. */
  flush(): string;
  end(): string;
  /** How many characters of what came wait to be shown. */
  readonly waiting: number;
}
