import { FACT, longTurn, sharedPrefixes, tokensOf } from "../../test/support/long-turn.ts";
import { rounded } from "./figures.ts";

const STEPS = 300;
const CONTEXT_TOKENS = 128_000;
const OUTPUT_TOKENS = 16_000;
const LONGEST_MS = 600_000;
const TARGET = 0.95;

/**
 * How much of each request the provider has seen before, over both wires: a turn of 300 steps whose todos change and
 * whose transcript is archived several times. A fact of its third step is asked for near the end.
 */
export async function benchPrefix() {
  const budget = CONTEXT_TOKENS - OUTPUT_TOKENS;
  const chat = await measured("chat");
  const responses = await measured("responses");
  const both = [chat, responses];
  const share = Math.min(...both.map((one) => one.share));
  const maxTokens = Math.max(...both.map((one) => one.maxTokens));
  const archivings = Math.min(...both.map((one) => one.archivings));
  const recalled = both.every((one) => one.recalled);
  return {
    share: rounded(share),
    chatShare: rounded(chat.share),
    responsesShare: rounded(responses.share),
    least: rounded(Math.min(...both.map((one) => one.least))),
    archivings,
    maxTokens,
    budget,
    recalled,
    requests: chat.requests + responses.requests,
    ok: share >= TARGET && maxTokens <= budget && recalled && archivings >= 2,
  };
}

async function measured(wire: "chat" | "responses") {
  const { requests, problems, archivings, recalled } = await longTurn({
    wire,
    steps: STEPS,
    contextTokens: CONTEXT_TOKENS,
    outputTokens: OUTPUT_TOKENS,
    withinMs: LONGEST_MS,
  });
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return {
    ...sharedPrefixes(requests),
    archivings,
    maxTokens: Math.max(...requests.map(tokensOf)),
    recalled: recalled.includes(FACT),
    requests: requests.length,
  };
}
