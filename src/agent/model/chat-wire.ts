import type { FinishReason, ModelEvent, TranscriptItem, Usage } from "../../contract/model.ts";
import { ChatCalls } from "./chat-calls.ts";
import { ChatChunk, type Delta, textOf } from "./chat-chunk.ts";
import { chatBody } from "./chat-request.ts";
import { ModelServerError } from "./failure.ts";
import { readUsage } from "./usage.ts";
import type { Accumulator, Outcome, Wire } from "./wire.ts";

/** Chat Completions: what every compatible server speaks, each in its own way. */
export const chatWire: Wire = {
  name: "chat",
  path: "/chat/completions",
  spare: ["stream_options", "prompt_cache_key", "reasoning_content", "reasoning", "extra_content"],
  sampling: ["temperature", "top_p", "reasoning_effort"],
  body: chatBody,
  accumulator: (model, tools) => new ChatAccumulator(model, tools),
};

class ChatAccumulator implements Accumulator {
  readonly #model: string;
  readonly #calls: ChatCalls;
  #text = "";
  #thoughts = "";
  #thoughtField = "";
  #finishReason: string | undefined;
  #usage: Usage | undefined;

  constructor(model: string, tools: readonly string[]) {
    this.#model = model;
    this.#calls = new ChatCalls(tools);
  }

  push(value: unknown): ModelEvent[] {
    const { success, data: chunk } = ChatChunk.safeParse(value);
    if (!success) return [];
    this.#usage = readUsage(chunk.usage) ?? readUsage(chunk.x_groq?.usage) ?? this.#usage;
    // We ask for one choice; whatever else arrives belongs to another.
    const choice = chunk.choices?.find(({ index }) => !index);
    if (!choice) return [];
    if (choice.finish_reason) this.#finishReason = choice.finish_reason;
    if (choice.finish_reason === "error") {
      throw new ModelServerError({
        text: "the provider reported an error in the middle of its reply",
      });
    }
    const delta = choice.delta ?? choice.message;
    return delta ? this.#pushDelta(delta) : [];
  }

  #pushDelta(delta: Delta): ModelEvent[] {
    const calls = [
      ...(delta.tool_calls ?? []),
      ...(delta.function_call ? [{ function: delta.function_call }] : []),
    ];
    return [
      ...this.#think(delta),
      ...this.#say(textOf(delta)),
      ...calls.flatMap((fragment) => this.#calls.push(fragment)),
    ];
  }

  #think(delta: Delta): ModelEvent[] {
    const field = delta.reasoning_content ? "reasoning_content" : "reasoning";
    const text = delta[field];
    if (!text) return [];
    this.#thoughtField = field;
    this.#thoughts += text;
    return [{ type: "reasoningDelta", text }];
  }

  #say(text: string): ModelEvent[] {
    if (text === "") return [];
    this.#text += text;
    return [{ type: "textDelta", text }];
  }

  finish(): Outcome {
    const { calls, events } = this.#calls.finish(this.#model);
    const items: TranscriptItem[] = [...calls];
    if (this.#text !== "") items.unshift({ type: "assistant", text: this.#text });
    if (this.#thoughts !== "") {
      const origin = { wire: "chat", model: this.#model, id: this.#thoughtField } as const;
      items.unshift({ type: "reasoning", text: this.#thoughts, origin });
    }
    return { reason: this.#reason(calls.length > 0), events, items, usage: this.#usage };
  }

  /** Calls are calls, whatever the server calls the end: many say "stop". */
  #reason(hasCalls: boolean): FinishReason | undefined {
    if (this.#finishReason === undefined) return undefined;
    if (this.#finishReason === "length") return "length";
    if (this.#finishReason === "content_filter") return "filtered";
    return hasCalls ? "calls" : "stop";
  }
}
