import type { IncomingHttpHeaders } from "node:http";
import { type Fields, isObject } from "./refusal.ts";

export type Wire = "chat" | "responses";

/** A request as it came, and what a script wants to know of it. */
export interface SeenRequest {
  readonly number: number;
  readonly wire: Wire;
  readonly headers: IncomingHttpHeaders;
  /** Of the client: requests over one connection have the same. */
  readonly port: number | undefined;
  /** The body's exact text. */
  readonly text: string;
  readonly body: Fields;
  readonly system: string;
  /** What people and reminders said, oldest first. */
  readonly users: readonly string[];
  /** What tools gave back, oldest first, without the element that marks it as such. */
  readonly results: readonly { readonly callId: string; readonly text: string }[];
  readonly tools: readonly string[];
  /** The client went away before the reply was complete. */
  aborted: boolean;
  /** The answer's status, once there is one. */
  status: number | undefined;
  /** By the server's own clock: when its first byte had come, and when the last one of the answer had left. */
  readonly receivedAtMs: number;
  answeredAtMs: number | undefined;
}

export function seen(given: {
  number: number;
  wire: Wire;
  headers: IncomingHttpHeaders;
  port: number | undefined;
  text: string;
  body: Fields;
  receivedAtMs: number;
}): SeenRequest {
  const { wire, body } = given;
  const entries = objects(wire === "chat" ? body.messages : body.input);
  const system = entries.filter(({ role }) => role === "system" || role === "developer");
  return {
    ...given,
    system: wire === "chat" ? system.map(said).join("\n") : String(body.instructions ?? ""),
    users: entries.filter(({ role }) => role === "user").map(said),
    results:
      wire === "chat"
        ? entries
            .filter(({ role }) => role === "tool")
            .map((entry) => ({ callId: String(entry.tool_call_id), text: output(said(entry)) }))
        : entries
            .filter(({ type }) => type === "function_call_output")
            .map((entry) => ({
              callId: String(entry.call_id),
              text: output(String(entry.output)),
            })),
    tools: objects(body.tools).map((tool) =>
      String(isObject(tool.function) ? tool.function.name : tool.name),
    ),
    aborted: false,
    status: undefined,
    answeredAtMs: undefined,
  };
}

function objects(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function output(text: string): string {
  return /^<tool-output>\n([\s\S]*)\n<\/tool-output>$/.exec(text)?.[1] ?? text;
}

function said({ content }: Fields): string {
  if (typeof content === "string") return content;
  return objects(content)
    .map((part) => String(part.text ?? ""))
    .join("");
}
