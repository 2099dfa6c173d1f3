import { randomUUID } from "node:crypto";
import { inspect, stripVTControlCharacters } from "node:util";
import type { Redactor } from "../../contract/redactor.ts";
import { type ErrorKind, ToolError } from "../../contract/tools/operation.ts";
import type { Answer, AuthorizationNeeded, ToolResult } from "../../contract/tools/tool-call.ts";
import type { PreparedCall } from "../call/prepare-call.ts";

export type Redaction = Pick<Redactor, "redact" | "redactDeep">;

/** All of a result but its metrics and events, which are added last. */
export type ResultDraft = Omit<ToolResult, "performance" | "progressEvents">;

export function successResult(
  call: PreparedCall,
  answer: Answer,
  redactor: Redaction,
): ResultDraft {
  const content = redactor.redact(readable(answer.text));
  const isJson = answer.mimeType === "application/json" && parses(content);
  return {
    ...resultOf(call),
    success: true,
    output: {
      content,
      mimeType: isJson ? "application/json" : "text/plain",
      additionalData: clean(answer.data ?? {}, redactor),
    },
  };
}

export function failureResult(
  call: PreparedCall,
  error: ToolError,
  redactor: Redaction,
  requiresAuthorization?: AuthorizationNeeded,
): ResultDraft {
  const details = clean(error.details, redactor);
  return {
    ...resultOf(call),
    success: false,
    kind: error.kind,
    output: {
      content: errorText(error.kind, redactor.redact(readable(error.message)), details),
      mimeType: "text/plain",
      additionalData: details,
    },
    ...(requiresAuthorization && { requiresAuthorization }),
  };
}

/** Begins with a marker that no success has. What is known beside the message follows on a line of its own. */
function errorText(kind: ErrorKind, message: string, details: Record<string, unknown>): string {
  const first = `Error (${kind}): ${message}`;
  return Object.keys(details).length > 0 ? `${first}\n${JSON.stringify(details)}` : first;
}

function resultOf({ toolName, operation, callId }: PreparedCall) {
  return {
    toolName,
    executionId: randomUUID(),
    callId,
    metadata: {
      timestamp: new Date().toISOString(),
      version: "1.0" as const,
      additionalContext: operation === undefined ? {} : { operation },
    },
  };
}

/**
 * What a model can read: no half characters, and nothing that only a terminal understands. That is taken out before
 * secrets are looked for, which colours could hide. In JSON the escape character is written out.
 */
function readable(text: string): string {
  const whole = text.toWellFormed();
  return withoutEscapes(whole.includes("\\u001b") ? jsonWithoutEscapes(whole) : whole);
}

function jsonWithoutEscapes(text: string): string {
  try {
    return JSON.stringify(
      JSON.parse(text, (_, value) => (typeof value === "string" ? withoutEscapes(value) : value)),
    );
  } catch {
    return text; // Somebody writes about escape characters.
  }
}

function withoutEscapes(text: string): string {
  return stripVTControlCharacters(text).replaceAll(ESCAPE, "");
}

const ESCAPE = String.fromCharCode(0x1b);

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The same data without secrets, as JSON can keep it. What JSON cannot say at all is left out. */
function clean(
  data: Readonly<Record<string, unknown>>,
  redactor: Redaction,
): Record<string, unknown> {
  try {
    return redactor.redactDeep(JSON.parse(JSON.stringify(data, bigAsText)));
  } catch {
    return {};
  }
}

function bigAsText(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

/** The failure that stands for whatever was thrown. Only a ToolError's words are meant for the model. */
export function asToolError(error: unknown, what: string): ToolError {
  if (error instanceof ToolError) return error;
  const message = error instanceof Error ? error.message : inspect(error);
  return new ToolError("executionFailed", `${what} failed: ${message}`, {}, { cause: error });
}
