import type { IncomingMessage, ServerResponse } from "node:http";
import { type Fields, isObject, ModelRefusedError } from "./refusal.ts";

export async function readBody(request: IncomingMessage, most = 50_000_000): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > most) {
      throw new ModelRefusedError(413, "Request body is too large.", { code: "request_too_large" });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

export function parsed(text: string, { headers }: IncomingMessage): Fields {
  const problem = new ModelRefusedError(
    400,
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly.)",
  );
  if (!headers["content-type"]?.startsWith("application/json")) throw problem;
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Refused below.
  }
  throw problem;
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const type = typeof body === "string" ? "text/html" : "application/json";
  response.writeHead(status, { "content-type": type, ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
