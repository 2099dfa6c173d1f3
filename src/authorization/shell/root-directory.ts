import { posix } from "node:path";
import { executedOperands } from "./code-uses.ts";
import { fileOperands, otherOperand } from "./known-programs.ts";
import { operandsOf } from "./options.ts";
import { handlingOf, isOwnProgram, wordsOf } from "./root-handling.ts";
import type { Call } from "./rule.ts";
import { hasPattern, type Word } from "./word.ts";

/** Whether a call of root means something else in another directory. All other calls start in `/`. */
export function needsDirectory(name: Word, call: Call): boolean {
  const { input } = call;
  const handling = handlingOf(name, call);
  if (wordsOf(call).some((word) => /^\.{1,2}(?:\/|$)/.test(word.shape) || isHerePattern(word)))
    return true;
  if (handling === "starts") return false;
  if (input.file && !posix.isAbsolute(input.file.shape)) return true;
  if (call.program === "git") return handling !== "anything";
  if (handling === "only handles") return looksAround(call);
  return executedOperands(name, call).some(({ word, candidates }) =>
    candidates
      ? handling === "runs code"
      : !posix.isAbsolute(word.shape) || isOwnProgram(word.shape),
  );
}

/** A pattern finds other files in another directory. */
function isHerePattern(word: Word): boolean {
  return hasPattern(word) && !word.shape.startsWith("/");
}

const LOOKS_NOWHERE =
  /^(?:echo|printf|true|false|:|sleep|exit|return|shift|wait|kill|set|unset|export|declare|local|typeset|readonly|read|umask|ulimit|type|hash|trap|eval|basename|dirname|seq|break|continue|getopts|let|xargs|which|test|\[)$/;

function looksAround(call: Call): boolean {
  const { program, args } = call;
  const other = otherOperand(call);
  const operands = (program === "find" ? fileOperands(call) : operandsOf(args)).filter(
    (word) => word !== other,
  );
  if (operands.some(({ shape }) => /^[^-/][^=:]*\//.test(shape))) return true;
  if (LOOKS_NOWHERE.test(program)) return false;
  return operands.length === 0 || operands.some(({ shape }) => !posix.isAbsolute(shape));
}
