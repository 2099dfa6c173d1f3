export type Fields = Record<string, unknown>;

/** A "no" of Slack: HTTP 200 with `ok: false`, as its documentation names it. */
export class SlackRefusedError extends Error {
  override readonly name = "SlackRefusedError";
  readonly error: string;
  readonly more: Fields;

  constructor(error: string, more: Fields = {}) {
    super(error);
    this.error = error;
    this.more = more;
  }
}

/** As Slack says what is wrong with a nested value, and where. */
export function refusalWithMessages(error: string, problems: readonly string[]): SlackRefusedError {
  return new SlackRefusedError(error, {
    ...(error === "invalid_blocks" && { errors: problems }),
    response_metadata: { messages: problems.map((problem) => `[ERROR] ${problem}`) },
  });
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined: it is no JSON. */
export function parsedJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

export function fieldsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

export function stringIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Slack writes these three as entities in every text that it hands out. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** Slack does not say what it counts as a character; by the strictest count nobody is surprised. */
export function lengthOf(text: string): number {
  return text.length;
}
