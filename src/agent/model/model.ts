import { setTimeout as sleep } from "node:timers/promises";
import type OpenAI from "openai";
import { z } from "zod";
import {
  type Model,
  ModelError,
  type ModelEvent,
  type StepRequest,
  type TranscriptItem,
} from "../../contract/model.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { inputTokensOf, inputTokensOfOther } from "../context-window.ts";
import type { ModelSettings } from "../settings.ts";
import { adapt, firstManner, isOpenAi, type Manner, remembered } from "./adapt.ts";
import { Connection, createClient, OPENAI_URL } from "./connection.ts";
import { type ErrorContext, modelError, toModelError } from "./errors.ts";
import { type Failure, failureOf, ModelServerError } from "./failure.ts";
import { Retries } from "./retry.ts";
import { priced } from "./usage.ts";
import type { Outcome } from "./wire.ts";

/** What a key without a model name means. */
const USUAL_MODEL = "gpt-5.5";

/** Undefined where there is neither a key nor an address: then the bot works without a model. */
export function createModel(settings: ModelSettings): Model | undefined {
  if (!settings.apiKey && !settings.baseUrl) return undefined;
  if (settings.baseUrl && !settings.name) {
    throw new OperatorError(`Set MODEL to the name of a model that ${settings.baseUrl} has.`);
  }
  return new SdkModel(settings);
}

type Problem = ModelServerError | ModelError;

interface Attempt {
  readonly failed?: Problem;
  /** Whether anything has been told already. */
  readonly shown: boolean;
}

class SdkModel implements Model {
  readonly name: string;
  readonly inputTokens: number;
  readonly #settings: ModelSettings;
  readonly #client: OpenAI;
  readonly #context: ErrorContext;
  #manner: Manner;

  constructor(settings: ModelSettings) {
    const { name = USUAL_MODEL, baseUrl = OPENAI_URL, apiKey } = settings;
    this.name = name;
    this.inputTokens = inputTokensOf(name, settings);
    this.#settings = settings;
    this.#client = createClient(settings);
    this.#context = { model: name, baseUrl, apiKey };
    this.#manner = firstManner(settings);
  }

  inputTokensOf(model: string): number {
    return model === this.name ? this.inputTokens : inputTokensOfOther(model, this.#settings);
  }

  async *step(request: StepRequest): AsyncGenerator<ModelEvent> {
    const retries = new Retries(this.#settings);
    let manner = this.#manner;
    for (;;) {
      const body = this.#body(request, manner);
      const { failed, shown } = yield* this.#attempt(request, manner, body);
      if (!failed) return;
      const isSampled = request.sampling !== undefined;
      const taught = this.#lesson(failed, manner, { body, isSampled });
      manner = taught ?? manner;
      if (taught && !shown) continue;
      const problem = this.#judged(failed, request);
      const waitMs = retries.next(problem, shown);
      if (waitMs === undefined) throw problem;
      yield { type: "retrying", because: problem.kind, waitMs, restarts: shown };
      await pause(waitMs, request.signal);
    }
  }

  async *#attempt(
    request: StepRequest,
    manner: Manner,
    body: object,
  ): AsyncGenerator<ModelEvent, Attempt> {
    let shown = false;
    try {
      for await (const event of this.#reply(request, manner, body)) {
        shown = true;
        yield event;
      }
      return { shown };
    } catch (failed) {
      if (!(failed instanceof ModelServerError || failed instanceof ModelError)) throw failed;
      return { failed, shown };
    }
  }

  async *#reply(request: StepRequest, manner: Manner, body: object): AsyncGenerator<ModelEvent> {
    const tools = request.tools.map((tool) => tool.name);
    const name = this.#named(request);
    const accumulator = manner.wire.accumulator(name, tools);
    using connection = new Connection(this.#settings, request.signal);
    for await (const value of connection.values(this.#client, manner.wire.path, body)) {
      yield* accumulator.push(value);
    }
    const outcome = accumulator.finish();
    const reason = this.#reason(outcome, connection.endedWithMark || manner.endsUnmarked);
    // A stream that was cut once says nothing about a server whose next one is whole.
    const endsUnmarked = manner.endsUnmarked && !connection.endedWithMark;
    this.#manner = remembered({ ...manner, endsUnmarked });
    yield* outcome.events;
    if (outcome.usage) {
      yield { type: "usage", usage: priced(outcome.usage, this.#settings.prices[name]) };
    }
    yield { type: "finished", reason, items: outcome.items };
  }

  /** Why the reply ended, if it is one. */
  #reason({ reason, items }: Outcome, isOver: boolean) {
    if (reason === "length" || reason === "filtered") return reason;
    if (!items.some(saysSomething)) {
      throw modelError("emptyReply", { text: "" }, this.#context);
    }
    if (reason) return reason;
    if (!isOver) throw new ModelServerError(UNMARKED_END);
    return items.some(({ type }) => type === "call") ? "calls" : "stop";
  }

  /** A stream that ends twice without saying so was not cut: this server ends all of them like that. */
  #lesson(
    error: Problem,
    manner: Manner,
    asked: { readonly body: object; readonly isSampled: boolean },
  ): Manner | undefined {
    if (error instanceof ModelError) return undefined;
    if (error.failure.text === UNMARKED_END.text) {
      // The other wire has an event for its end, and leaves nothing to guess.
      return manner.wire.name === "chat" ? { ...manner, endsUnmarked: true } : undefined;
    }
    return adapt(manner, error.failure, { api: this.#settings.api, ...asked });
  }

  #judged(error: Problem, request: StepRequest): ModelError {
    if (error instanceof ModelError) return error;
    return toModelError(error.failure, { ...this.#context, model: this.#named(request) }, error);
  }

  #named({ sampling }: StepRequest): string {
    return sampling?.model ?? this.name;
  }

  #body(request: StepRequest, { wire, without }: Manner): object {
    return wire.body(request, {
      model: this.#named(request),
      reasoningEffort: this.#settings.reasoningEffort,
      isOpenAi: isOpenAi(new URL(this.#context.baseUrl).hostname),
      without,
    });
  }

  async check(signal: AbortSignal): Promise<ModelError | undefined> {
    try {
      const listed = Listed.safeParse(
        await this.#client.get("/models", { signal, timeout: this.#settings.connectMs }),
      );
      const names = listed.success ? listed.data.data.map(({ id }) => id) : [];
      if (names.length === 0 || names.some((id) => isCalled(id, this.name))) return undefined;
      const some = names.slice(0, 10).join(", ");
      return modelError("unknownModel", { text: `I have ${some}` }, this.#context);
    } catch (error) {
      signal.throwIfAborted();
      const problem = toModelError(failureOf(error), this.#context, error);
      // Not every server lists its models.
      return problem.kind === "wrongAddress" ? undefined : problem;
    }
  }
}

const UNMARKED_END: Failure = { text: "its stream ended before the reply did", where: "stream" };

const Listed = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Servers put a family before the name or a variant after it: models/gemini, llama3:latest. */
function isCalled(id: string, name: string): boolean {
  return id === name || id.endsWith(`/${name}`) || id.startsWith(`${name}:`);
}

function saysSomething(item: TranscriptItem): boolean {
  return item.type === "call" || (item.type === "assistant" && item.text.trim() !== "");
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
