export type UsageKind = "definition" | "declaration" | "call" | "reference";

/** Words that define what they stand before, in the languages that people use. */
const DEFINING =
  /\b(function\*?|class|interface|type|enum|struct|union|trait|impl|module|namespace|package|def|defp|defmodule|fn|func|fun|sub|proc|macro|protocol|extension|record|const|object|typealias|newtype|data)\s+(\([^()]*\)\s*)?$/;
/** Words that give a name to something that is filled in elsewhere. */
const DECLARING =
  /\b(let|var|val|extern|declare|abstract|static|mut|my|our|local|import|using)\s+([\w:<>*&]+\s+)*$/;
/** Control flow that may stand where a return type would. */
const NOT_A_TYPE =
  /\b(return|await|yield|new|throw|else|case|in|of|typeof|delete|not|and|or|if|when|do)\s+$/;

/** Minified code has lines of megabytes. */
const LOOKED_AT = 300;

/** What a line does with the symbol that stands at `at`: told by its words, not by a compiler. */
export function kindOfUsage(line: string, at: number, symbol: string): UsageKind {
  const before = line.slice(Math.max(0, at - LOOKED_AT), at);
  const after = line.slice(at + symbol.length).slice(0, LOOKED_AT);
  if (DEFINING.test(before)) return "definition";
  if (/\bimport\b|\brequire\b|^\s*from\b/.test(before)) return "reference";
  if (DECLARING.test(before))
    return /^\s*(:[^=]*)?=\s*(async\b|function\b|\(|\w+\s*=>)/.test(after)
      ? "definition"
      : "declaration";
  return kindByShape(before, after, symbol);
}

function kindByShape(before: string, after: string, symbol: string): UsageKind {
  const called = /^\s*(<[^<>()]*>)?\(/.test(after) || symbol.endsWith("(");
  if (!called) return /^#\s*define\s+$/.test(before) ? "definition" : "reference";
  const opensBody = /\)\s*(:\s*[^;={}]+|->\s*[^;{}]+|const|throws\s+\w+)?\s*\{\s*\}?\s*$/.test(
    after,
  );
  const beginsLine =
    /^\s*((public|private|protected|static|async|override|export|get|set|#)\s*)*$/.test(before);
  const afterType =
    /^\s*[\w:<>,*&[\]\s]*[\w>*&\]]\s+[*&]*$/.test(before) && !NOT_A_TYPE.test(before);
  if (opensBody && (beginsLine || afterType)) return "definition";
  if (afterType && /\)\s*;\s*$/.test(after)) return "declaration";
  return "call";
}
