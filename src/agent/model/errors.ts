import { ModelError, type ModelErrorKind } from "../../contract/model.ts";
import type { Failure } from "./failure.ts";
import { retryAfterMs } from "./retry.ts";

/** What the sentences name. */
export interface ErrorContext {
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
}

/** Judges a failure by who can repair it. */
export function toModelError(failure: Failure, context: ErrorContext, cause?: unknown): ModelError {
  return modelError(kindOf(failure), failure, context, cause);
}

export function modelError(
  kind: ModelErrorKind,
  failure: Failure,
  context: ErrorContext,
  cause?: unknown,
): ModelError {
  const said = quoted(failure.text, context.apiKey);
  const waitMs = failure.headers && retryAfterMs(failure.headers, Date.now());
  return new ModelError(kind, SENTENCES[kind](context, said), {
    cause,
    ...(failure.status === undefined ? {} : { status: failure.status }),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  });
}

const SENTENCES: Record<ModelErrorKind, (context: ErrorContext, said: string) => string> = {
  refusedKey: ({ baseUrl, apiKey }, said) =>
    apiKey
      ? `${baseUrl} rejected OPENAI_API_KEY. Set a key that may use the model, then restart. ${said}`
      : `${baseUrl} requires an API key. Set OPENAI_API_KEY, then restart. ${said}`,
  unknownModel: ({ baseUrl, model }, said) =>
    `${baseUrl} has no model "${model}" for this key. Set MODEL to one that it has, then restart. ${said}`,
  wrongAddress: ({ baseUrl }, said) =>
    `There is no model API at ${baseUrl}. Set OPENAI_BASE_URL to the part of the address before /chat/completions (often ending in /v1), then restart. ${said}`,
  outOfQuota: ({ baseUrl }, said) =>
    `The account of OPENAI_API_KEY is out of credit at ${baseUrl}. Add credit or raise its limit. ${said}`,
  contextTooLong: ({ model }, said) =>
    `The conversation is too long for ${model} and has to be shortened. ${said}`,
  rateLimited: ({ baseUrl }, said) =>
    `${baseUrl} rate-limited the request. Try again later; if this is common, raise the account's rate limit. ${said}`,
  unavailable: ({ baseUrl }, said) =>
    `The model at ${baseUrl} cannot be reached or does not respond. Try again later; if it persists, check the server and the network. ${said}`,
  cutStream: ({ baseUrl }, said) =>
    `The reply from ${baseUrl} broke off more than once. Try again; if it persists, look for a proxy or time limit in between. ${said}`,
  emptyReply: ({ model }, said) =>
    `${model} sent an empty answer more than once. Try again; if it persists, check the server's chat template for this model. ${said}`,
  badRequest: ({ baseUrl }, said) =>
    `${baseUrl} rejected the request. Check MODEL, LLM_API and REASONING_EFFORT; otherwise this is a bug. ${said}`,
};

const MAX_QUOTE = 500;

/** The server's own words: bounded, on one line, without the key (some servers repeat it). */
function quoted(text: string, apiKey: string | undefined): string {
  const safe = apiKey ? text.replaceAll(apiKey, "***") : text;
  const line = safe.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  if (line === "") return "It gave no reason.";
  return `It said: ${line.length > MAX_QUOTE ? `${line.slice(0, MAX_QUOTE)}…` : line}`;
}

const TOO_LONG =
  /context.{0,20}(length|window|size)|maximum (context|input|prompt)|(prompt|input|request|messages?) (is |are )?too (long|large)|too many (input )?tokens|reduce the length/i;

/** By what the error is called, then by its status, then by its words: servers agree on less and less. */
function kindOf(failure: Failure): ModelErrorKind {
  return byCode(failure) ?? byStatus(failure) ?? byPlace(failure);
}

const BY_CODE: Readonly<Record<string, ModelErrorKind>> = {
  invalid_api_key: "refusedKey",
  authentication_error: "refusedKey",
  permission_error: "refusedKey",
  insufficient_quota: "outOfQuota",
  billing_hard_limit_reached: "outOfQuota",
  model_not_found: "unknownModel",
  deploymentnotfound: "unknownModel",
  context_length_exceeded: "contextTooLong",
  exceed_context_size_error: "contextTooLong",
  rate_limit_exceeded: "rateLimited",
  rate_limit_error: "rateLimited",
  server_error: "unavailable",
  overloaded_error: "unavailable",
  invalid_prompt: "badRequest",
};

function byCode({ codes = [] }: Failure): ModelErrorKind | undefined {
  return codes.map((code) => BY_CODE[code]).find((kind) => kind !== undefined);
}

const BY_STATUS: Readonly<Record<number, ModelErrorKind>> = {
  401: "refusedKey",
  402: "outOfQuota",
  403: "refusedKey",
  404: "wrongAddress",
  405: "wrongAddress",
  408: "unavailable",
  409: "unavailable",
  413: "contextTooLong",
  425: "unavailable",
  429: "rateLimited",
};

function byStatus({ status, text }: Failure): ModelErrorKind | undefined {
  if (status === undefined) return undefined;
  if (status >= 500) return "unavailable";
  const kind = BY_STATUS[status] ?? "badRequest";
  if (kind !== "badRequest" && kind !== "wrongAddress") return kind;
  if (TOO_LONG.test(text)) return "contextTooLong";
  return speaksOfModel(text) ? "unknownModel" : kind;
}

function byPlace({ where, text }: Failure): ModelErrorKind {
  if (where === "connection") return "unavailable";
  return TOO_LONG.test(text) ? "contextTooLong" : "cutStream";
}

function speaksOfModel(text: string): boolean {
  return /model\b.{0,80}(not (found|exist|available|a valid)|does(n't| not) exist|invalid|unknown)|(unknown|invalid|no such) model|not a valid model/i.test(
    text,
  );
}
