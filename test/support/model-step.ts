import { createModel } from "../../src/agent/model/model.ts";
import { ModelSettings } from "../../src/agent/settings.ts";
import {
  type CallItem,
  type Model,
  ModelError,
  type ModelEvent,
  type ModelTool,
  type StepRequest,
  type TranscriptItem,
  type Usage,
} from "../../src/contract/model.ts";
import type { ModelServer } from "./model-server/server.ts";

/** A model that talks to this server, and does not wait long for anything. */
export function modelAt(server: ModelServer, settings: object = {}): Model {
  const model = createModel(
    ModelSettings.parse({
      apiKey: server.key,
      baseUrl: server.url,
      name: server.model,
      retryBaseMs: 1,
      ...settings,
    }),
  );
  if (!model) throw new Error("a base URL makes a model");
  return model;
}

export const user = (text: string): TranscriptItem => ({ type: "user", text });

const READ_FILE: ModelTool = {
  name: "read_file",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

export const LIST_TODOS: ModelTool = {
  name: "list_todos",
  description: "Lists what is to do.",
  parameters: { type: "object" },
};

export interface Step {
  readonly events: ModelEvent[];
  /** Without what a retry made void. */
  readonly text: string;
  readonly thoughts: string;
  readonly calls: CallItem[];
  readonly items: readonly TranscriptItem[];
  readonly reason: string;
  readonly usage: Usage | undefined;
  readonly retries: Extract<ModelEvent, { type: "retrying" }>[];
}

/** Runs one step to its end. */
export async function step(model: Model, request: Partial<StepRequest> = {}): Promise<Step> {
  const events = await Array.fromAsync(model.step(stepRequest(request)));
  const last = events.at(-1);
  if (last?.type !== "finished") throw new Error("the last event must be `finished`");
  const restart = events.findLastIndex((event) => event.type === "retrying");
  const valid = events.slice(restart + 1);
  return {
    events,
    text: valid.map((event) => (event.type === "textDelta" ? event.text : "")).join(""),
    thoughts: valid.map((event) => (event.type === "reasoningDelta" ? event.text : "")).join(""),
    calls: valid.flatMap((event) => (event.type === "callComplete" ? [event.call] : [])),
    items: last.items,
    reason: last.reason,
    usage: valid.find((event) => event.type === "usage")?.usage,
    retries: events.filter((event) => event.type === "retrying"),
  };
}

export function stepRequest(request: Partial<StepRequest>): StepRequest {
  return {
    system: "You are a deckhand.",
    items: [user("hello")],
    tools: [READ_FILE, LIST_TODOS],
    signal: new AbortController().signal,
    ...request,
  };
}

/** Runs one step that cannot be had. */
export async function failure(
  model: Model,
  request: Partial<StepRequest> = {},
): Promise<ModelError> {
  const error = await step(model, request).catch((thrown: unknown) => thrown);
  if (error instanceof ModelError) return error;
  throw new Error(`expected a ModelError, got ${String(error)}`);
}
