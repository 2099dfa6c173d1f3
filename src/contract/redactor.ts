/**
 * Takes secrets out of what leaves the bot: messages, logs, the audit, requests to a model. Whoever sends
 * something out is given one when made, so that there is no way to forget it. A mask says what stood there.
 */
export interface Redactor {
  /** Doing it twice changes nothing more. Cut long text afterwards, never before: half a secret is not found. */
  redact(text: string): string;
  /** The same for every string in a JSON-like value, keys included. */
  redactDeep<Value>(value: Value): Value;
  /** For text that arrives in pieces. */
  stream(): RedactingStream;
}

/** Gives text back as soon as it cannot be the beginning of a secret any more. */
export interface RedactingStream {
  /** What of the text so far may be shown now. The last word waits for its end. */
  write(chunk: string): string;
  /** Nothing has come for a while: shows the last word too, unless it begins like a known secret. */
  flush(): string;
  end(): string;
}
