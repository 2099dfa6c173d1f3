import type { Call } from "../rule.ts";
import { isUnknown, readable } from "../word.ts";

const FETCHING =
  /^(?:curl|wget2?|fetch|curlie|wcurl|lwp-download|lwp-request|aria2c|axel|http|https|xh|nc|ncat|netcat|socat|ssh|scp|ftp|lynx|w3m)$/;

/** Whether what a program reads comes from another machine. */
export function fromNetwork({ upstream }: Call["input"]): boolean {
  return upstream.some(({ program }) => FETCHING.test(program));
}

/** The texts that a program finds on its input; nothing where another program makes them. */
export function printedTexts({ text, upstream }: Call["input"]): string[] | undefined {
  if (text) return isUnknown(text) ? undefined : [readable(text.shape)];
  if (upstream.some(({ program }) => !/^(?:echo|printf|cat)$/.test(program))) return undefined;
  const words = upstream.flatMap(({ args, input }) => [
    ...args,
    ...(input.text ? [input.text] : []),
  ]);
  return words.some(isUnknown) ? undefined : words.map(({ shape }) => readable(shape));
}

/** Whether a program reads all variables of the environment. */
export function fromEnvironment({ upstream }: Call["input"]): boolean {
  return upstream.some(({ program }) =>
    /^(?:env|printenv|set|export|declare|typeset)$/.test(program),
  );
}
