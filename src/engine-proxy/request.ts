import type { IncomingMessage } from "node:http";
import { stringify } from "node:querystring";

/** A request that the proxy does not pass on. Nothing of it has reached the engine. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly status: number;

  constructor(message: string, options: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options);
    this.status = options.status ?? 403;
  }
}

/** What is left of a request after everything that two parsers could read differently was refused. */
export interface ParsedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** As it was sent; "" where there is none. */
  readonly body: string;
  readonly isUpgrade: boolean;
}

// No percent signs, empty parts, or parts that begin with a dot.
const PATH = /^(\/[A-Za-z0-9_][A-Za-z0-9_.:@-]*)+$/;
/** A workspace's specification has 14 KB. */
const BODY_BYTES = 64 * 1024;
const ONCE = ["host", "content-length", "content-type", "connection", "upgrade"];
const NEVER = ["transfer-encoding", "expect", "trailer", "te"];

/** Throws a RefusedError for a head that a client like the bot's never sends. */
export function parseHead(request: IncomingMessage): Omit<ParsedRequest, "body"> & {
  readonly bodyBytes: number;
} {
  const names = request.rawHeaders.filter((_, at) => at % 2 === 0).map((one) => one.toLowerCase());
  const repeated = ONCE.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (repeated) throw new RefusedError(`The header ${repeated} is repeated.`, { status: 400 });
  const forbidden = NEVER.find((name) => names.includes(name));
  if (forbidden)
    throw new RefusedError(`The header ${forbidden} is not accepted.`, { status: 400 });
  const { method = "", url = "", headers, httpVersion } = request;
  if (httpVersion !== "1.1") throw new RefusedError("Only HTTP/1.1 is accepted.", { status: 400 });
  const [path = "", ...rest] = url.split("?");
  if (!PATH.test(path)) throw new RefusedError("The path is not normalized.", { status: 400 });
  const isUpgrade = headers.upgrade !== undefined;
  if (isUpgrade && headers.upgrade !== "tcp")
    throw new RefusedError("Unknown upgrade.", { status: 400 });
  return {
    method,
    path,
    query: parseQuery(rest),
    isUpgrade,
    bodyBytes: bodyBytesOf(headers["content-length"]),
  };
}

/** Of the spellings that mean the same parameters only the one that the bot's client makes is accepted. */
function parseQuery(parts: readonly string[]): Record<string, string> {
  const text = parts.join("?");
  const query = Object.fromEntries(new URLSearchParams(text));
  if (stringify(query) !== text)
    throw new RefusedError("The query is not normalized.", { status: 400 });
  return query;
}

function bodyBytesOf(text: string | undefined): number {
  if (text === undefined) return 0;
  if (!/^\d{1,9}$/.test(text))
    throw new RefusedError("The content length is not a number.", { status: 400 });
  if (Number(text) > BODY_BYTES) throw new RefusedError("The body is too long.", { status: 413 });
  return Number(text);
}

/** The body's bytes as text. Throws where they are no UTF-8. */
export function asText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new RefusedError("The body is not UTF-8.", { status: 400, cause });
  }
}
