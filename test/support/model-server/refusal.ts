/** A request that the real server would refuse, with the answer that it would give. */
export class ModelRefusedError extends Error {
  readonly status: number;
  readonly body: object;

  constructor(
    status: number,
    message: string,
    more: { readonly param?: string; readonly code?: string; readonly type?: string } = {},
  ) {
    super(message);
    this.status = status;
    const { param = null, code = null, type = "invalid_request_error" } = more;
    this.body = { error: { message, type, param, code } };
  }
}

export type Fields = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function invalid(param: string, message: string, code = "invalid_value"): ModelRefusedError {
  return new ModelRefusedError(400, message, { param, code });
}

export function typed(param: string, value: unknown, expected: string): ModelRefusedError {
  const got = value === null ? "null" : typeof value;
  const message = `Invalid type for '${param}': expected ${expected}, but got ${got} instead.`;
  return invalid(param, message, "invalid_type");
}

export function missing(param: string): ModelRefusedError {
  return invalid(param, `Missing required parameter: '${param}'.`, "missing_required_parameter");
}

export function text(
  value: unknown,
  param: string,
  { mayBeBlank = false, most = 10_485_760 } = {},
): string {
  if (value === undefined) throw missing(param);
  if (typeof value !== "string") throw typed(param, value, "a string");
  if (!mayBeBlank && value.trim() === "") {
    throw invalid(param, `Invalid '${param}': the text must not be empty.`, "empty_string");
  }
  if (value.length > most) {
    throw invalid(
      param,
      `Invalid '${param}': string too long. Expected a string with maximum length ${most}, but got a string with length ${value.length} instead.`,
      "string_above_max_length",
    );
  }
  if (!value.isWellFormed()) {
    throw invalid(param, `Invalid '${param}': not a valid Unicode string.`);
  }
  return value;
}

export function list(value: unknown, param: string): readonly unknown[] {
  if (value === undefined) throw missing(param);
  if (!Array.isArray(value)) throw typed(param, value, "an array of objects");
  if (value.length === 0) {
    throw invalid(
      param,
      `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
      "empty_array",
    );
  }
  return value;
}

export function fields(value: unknown, param: string): Fields {
  if (!isObject(value)) throw typed(param, value, "an object");
  return value;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

export function toolName(value: unknown, param: string): string {
  const name = text(value, param);
  if (NAME.test(name)) return name;
  throw invalid(
    param,
    `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
  );
}

/** Servers that run a model's own template read the arguments of earlier calls as an object. */
export function replayedArguments(value: unknown, param: string): void {
  const given = text(value, param, { mayBeBlank: true });
  try {
    if (isObject(JSON.parse(given))) return;
  } catch {
    // Refused below.
  }
  throw invalid(param, `Invalid '${param}': the arguments are not a JSON object.`);
}

/** What is known to the endpoint; anything else is refused. */
export function onlyKnown(body: Fields, known: readonly string[]): void {
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw invalid(unknown, `Unknown parameter: '${unknown}'.`, "unknown_parameter");
  }
}
