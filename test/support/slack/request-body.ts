import type { IncomingMessage } from "node:http";
import { type Fields, isFields, parsedJson, SlackRefusedError } from "./values.ts";

/** All of it. */
export async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The arguments of a call, in any of the forms that Slack takes: docs.slack.dev/apis/web-api */
export function argumentsIn(request: IncomingMessage, body: Buffer): Fields {
  const query = new URL(request.url ?? "/", "http://localhost").searchParams;
  const [type = ""] = (request.headers["content-type"] ?? "").split(";");
  const inQuery = Object.fromEntries(query);
  if (request.method === "GET" || (body.length === 0 && type === "")) return inQuery;
  if (type === "") throw new SlackRefusedError("missing_post_type");
  if (type === "application/json") return { ...inQuery, ...jsonIn(body) };
  if (type === "application/x-www-form-urlencoded")
    return { ...inQuery, ...Object.fromEntries(new URLSearchParams(body.toString())) };
  throw new SlackRefusedError("invalid_post_type");
}

function jsonIn(body: Buffer): Fields {
  const json = parsedJson(body.toString() || "{}");
  if (!json) throw new SlackRefusedError("invalid_json");
  if (!isFields(json.value)) throw new SlackRefusedError("json_not_object");
  return json.value;
}

/** What was sent to an upload address: the bytes themselves, or the file in a form. */
export async function uploadIn(request: IncomingMessage, body: Buffer): Promise<Uint8Array> {
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) return new Uint8Array(body);
  const form = await new Response(new Uint8Array(body), {
    headers: { "content-type": type },
  }).formData();
  for (const value of form.values()) {
    if (typeof value !== "string") return new Uint8Array(await value.arrayBuffer());
    return new TextEncoder().encode(value);
  }
  return new Uint8Array();
}
