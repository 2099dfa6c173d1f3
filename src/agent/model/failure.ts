import { APIConnectionError, APIConnectionTimeoutError, APIError } from "openai";
import { z } from "zod";

/** What a server or the way to it said went wrong, before anybody has judged it. */
export interface Failure {
  readonly status?: number | undefined;
  /** `code` and `type` of the error, in lower case. */
  readonly codes?: readonly string[];
  /** The field of the request that the server does not like. */
  readonly param?: string | undefined;
  readonly text: string;
  readonly headers?: Headers | undefined;
  /** Where the failure came from: an answer, a stream that began, or no connection at all. */
  readonly where?: "answer" | "stream" | "connection";
}

/** A failure on its way to whoever judges it. Everything else that is thrown is a mistake of ours. */
export class ModelServerError extends Error {
  override readonly name = "ModelServerError";
  readonly failure: Failure;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.text, options);
    this.failure = { where: "stream", ...failure };
  }
}

const word = z.union([z.string(), z.number()]).nullish().catch(null);
const Reported = z.object({
  message: word,
  code: word,
  type: word,
  status: word,
  param: word,
  detail: z.unknown().optional(),
});

/** Reads what was thrown, by whomever. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ModelServerError) return error.failure;
  if (error instanceof APIConnectionTimeoutError) {
    return { text: "connecting timed out", where: "connection" };
  }
  if (error instanceof APIConnectionError) return { text: rootOf(error), where: "connection" };
  if (error instanceof APIError) {
    const where = error.status === undefined ? "stream" : "answer";
    return {
      where,
      status: error.status,
      headers: error.headers,
      ...reported(error.error, error.message),
    };
  }
  // The body broke off, or what came was no JSON.
  return { text: rootOf(error), where: "stream" };
}

/** Google wraps its error in an array, others in one more `error`; some give only text or a `detail`. */
export function reported(value: unknown, otherwise: string): Failure {
  const inner = Array.isArray(value) ? value[0] : value;
  const body =
    typeof inner === "object" && inner !== null && "error" in inner ? inner.error : inner;
  const { success, data } = Reported.safeParse(body);
  if (!success) return { text: typeof body === "string" ? body : otherwise };
  const numeric = [data.status, data.code].find((code) => typeof code === "number" && code >= 400);
  return {
    text: String(data.message ?? (data.detail ? JSON.stringify(data.detail) : otherwise)),
    codes: [data.code, data.type, data.status].flatMap((code) =>
      code == null ? [] : [String(code).toLowerCase()],
    ),
    param: data.param == null ? undefined : String(data.param),
    ...(typeof numeric === "number" ? { status: numeric } : {}),
  };
}

/** "fetch failed" says nothing; what it was caused by does. */
function rootOf(error: unknown): string {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  if (!(root instanceof Error)) return String(root);
  const code = "code" in root ? String(root.code) : "";
  return root.message.includes(code) && root.message
    ? root.message
    : `${root.message} ${code}`.trim();
}
