import { setImmediate as nextTurnOfTheLoop } from "node:timers/promises";
import type { ModelTool, StepRequest, TranscriptItem } from "../contract/model.ts";
import { BoundedMap } from "../lib/bounded.ts";
import { renderMessage, renderResult } from "./model/render.ts";
import { replayedArguments } from "./model/settle.ts";

/** What a request is long by: its prompt and its tools, and each of its items. */
export interface RequestTokens {
  readonly total: number;
  /** The prompt and the tools, which stay whatever becomes of the items. */
  readonly fixed: number;
  /** Of items that were in the request. */
  readonly of: (item: TranscriptItem) => number;
}

/** Counts what a model would. Models whose tokenizer is not known are counted like OpenAI's latest. */
export async function tokensIn(model: string, request: StepRequest): Promise<RequestTokens> {
  const counter = await counterOf(encodingOf(model));
  const items = new Map<TranscriptItem, number>();
  for (const item of request.items) items.set(item, await counter.item(item));
  const fixed = await counter.fixed(request);
  const total = request.items.reduce((sum, item) => sum + (items.get(item) ?? 0), fixed);
  return { total, fixed, of: (item) => items.get(item) ?? 0 };
}

const bounds = new WeakMap<object, number>();

/** A number of tokens that the request surely does not have more of: each of them is at least one byte. */
export function mostTokensIn({ system, tools, items }: StepRequest): number {
  const bound = (value: object, most: () => number) => {
    const known = bounds.get(value) ?? OVERHEAD + most();
    bounds.set(value, known);
    return known;
  };
  const schemas = tools.map(({ name, description, parameters }) => {
    const schema = bound(parameters, () => bytesIn([JSON.stringify(parameters)]));
    return schema + bytesIn([name, description]);
  });
  const said = items.map((item) =>
    bound(item, () => bytesIn(textsOf(item)) + unreadableTokens(item)),
  );
  return [...schemas, ...said].reduce((sum, one) => sum + one, OVERHEAD + bytesIn([system]));
}

function bytesIn(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

type Encoding = "cl100k_base" | "o200k_base";

function encodingOf(model: string): Encoding {
  return /gpt-4(?!o|\.)|gpt-3\.5/i.test(model) ? "cl100k_base" : "o200k_base";
}

/** What servers put around each message, and the ids of calls. More than most of them need. */
const OVERHEAD = 16;

/** All of an item that is sent as text. */
function textsOf(item: TranscriptItem): string[] {
  switch (item.type) {
    case "user":
    case "reminder":
      return [renderMessage(item)];
    case "assistant":
      return [item.text];
    case "reasoning":
      return [item.text, JSON.stringify(item.origin.extra?.summary ?? "")];
    case "call":
      return [item.name, replayedArguments(item.arguments)];
    case "result":
      return [renderResult(item.text)];
  }
}

/** Thoughts that cannot be read take about as many tokens as a quarter of their characters. */
function unreadableTokens(item: TranscriptItem): number {
  const hidden = item.type === "reasoning" && item.origin.extra?.encrypted_content;
  return typeof hidden === "string" ? Math.ceil(hidden.length / 4) : 0;
}

type CountText = (text: string) => number;

/** A run of one letter takes a time that grows with the square of its length: it is counted piece by piece. */
const PIECE_CHARS = 500;
/** Of longer texts some pieces, evenly spread, stand for all. */
const MOST_PIECES = 400;
const SAMPLED_MARGIN = 1.1;
/** Others want to get on, too. */
const LONGEST_WORK_MS = 10;
const KNOWN_TEXTS = 200;

/** Each item is counted once; a transcript only grows. */
class TokenCounter {
  readonly #countText: CountText;
  readonly #known = new WeakMap<object, number>();
  readonly #texts = new BoundedMap<string, number>(KNOWN_TEXTS);
  #workedSinceMs = 0;

  constructor(countText: CountText) {
    this.#countText = countText;
  }

  item(item: TranscriptItem): Promise<number> {
    return this.#once(item, async () => {
      const texts = await Promise.all(textsOf(item).map((text) => this.#count(text)));
      return texts.reduce((sum, one) => sum + one, OVERHEAD + unreadableTokens(item));
    });
  }

  async fixed({ system, tools }: StepRequest): Promise<number> {
    let sum = OVERHEAD + (await this.#text(system));
    for (const tool of tools) sum += await this.#tool(tool);
    return sum;
  }

  async #tool({ name, description, parameters }: ModelTool): Promise<number> {
    const schema = await this.#once(parameters, () => this.#count(JSON.stringify(parameters)));
    return OVERHEAD + schema + (await this.#text(name)) + (await this.#text(description));
  }

  async #once(value: object, count: () => Promise<number>): Promise<number> {
    const tokens = this.#known.get(value) ?? (await count());
    this.#known.set(value, tokens);
    return tokens;
  }

  /** What is written anew for every request and says the same each time. */
  async #text(text: string): Promise<number> {
    const tokens = this.#texts.get(text) ?? (await this.#count(text));
    this.#texts.set(text, tokens);
    return tokens;
  }

  async #count(text: string): Promise<number> {
    const pieces = Math.ceil(text.length / PIECE_CHARS);
    const counted = Math.min(pieces, MOST_PIECES);
    let tokens = 0;
    for (let index = 0; index < counted; index += 1) {
      const start = Math.floor((index * pieces) / counted) * PIECE_CHARS;
      tokens += this.#countText(text.slice(start, start + PIECE_CHARS));
      await this.#breathe();
    }
    return counted === pieces ? tokens : Math.ceil((tokens / counted) * pieces * SAMPLED_MARGIN);
  }

  async #breathe(): Promise<void> {
    const now = performance.now();
    // A pause that others made is none of ours: then it is later than this by far, and one more does no harm.
    if (now - this.#workedSinceMs < LONGEST_WORK_MS) return;
    await nextTurnOfTheLoop();
    this.#workedSinceMs = performance.now();
  }
}

const counters = new Map<Encoding, Promise<TokenCounter>>();

/** Its tables take a quarter of a second and tens of megabytes: they are read once somebody has to count. */
function counterOf(encoding: Encoding): Promise<TokenCounter> {
  const counter = counters.get(encoding) ?? makeCounter(encoding);
  counters.set(encoding, counter);
  return counter;
}

async function makeCounter(encoding: Encoding): Promise<TokenCounter> {
  const { countTokens } =
    encoding === "cl100k_base"
      ? await import("gpt-tokenizer/encoding/cl100k_base")
      : await import("gpt-tokenizer/encoding/o200k_base");
  // What looks like a control token in people's texts is text.
  const asText = { disallowedSpecial: new Set<string>() };
  return new TokenCounter((text) => countTokens(text, asText));
}
