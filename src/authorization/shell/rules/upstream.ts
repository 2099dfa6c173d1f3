import type { Call } from "../rule.ts";

const FETCHING =
  /^(?:curl|wget2?|fetch|curlie|wcurl|lwp-download|lwp-request|aria2c|axel|http|https|xh|nc|ncat|netcat|socat|ssh|scp|ftp|lynx|w3m)$/;

/** Whether what a program reads comes from another machine. */
export function fromNetwork({ upstream }: Call["input"]): boolean {
  return upstream.some(({ program }) => FETCHING.test(program));
}

/** Whether a program reads all variables of the environment. */
export function fromEnvironment({ upstream }: Call["input"]): boolean {
  return upstream.some(({ program }) =>
    /^(?:env|printenv|set|export|declare|typeset)$/.test(program),
  );
}
