import { startModelServer } from "../model-server.ts";
import { say } from "./replies.ts";
import type { ModelServer, ModelServerOptions } from "./server.ts";

export type Body = Record<string, unknown>;

/** One request as a client would make it, or nearly. */
export async function post(server: ModelServer, path: string, body: unknown, headers: object = {}) {
  const response = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.key}`,
      "content-type": "application/json",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

/** What the server says to one request, of a server that would answer every good one. */
export async function said(path: string, body: unknown, options: ModelServerOptions = {}) {
  await using server = await startModelServer(options);
  server.script(() => say("fine"));
  const { status, text } = await post(server, path, body);
  if (status === 200) return "accepted";
  const { error } = JSON.parse(text);
  return `${status} ${error.code ?? "-"} ${error.message}`;
}
