/**
 * A word as bash will see it, as far as the text tells. `shape` is its value after quotes are gone, with marks
 * where the text alone does not say. Marks are private characters: no command with those gets this far.
 */
export interface Word {
  /** As written. */
  readonly text: string;
  readonly shape: string;
  /** Where it stands in the text that was parsed; absent for a word that was made of parts of the text. */
  readonly range?: { readonly start: number; readonly end: number };
}

/** Something only known when it runs, as a part of one word. */
export const UNKNOWN = "\ue000";
/** The same unquoted: it may become any number of words, options among them. */
export const UNKNOWN_WORDS = "\ue001";
/** Unquoted `*`, `?` and `[`: these find files. */
export const STAR = "\ue002";
export const QUESTION = "\ue003";
export const BRACKET = "\ue004";
/** Alternatives: unquoted `{a,b}`, or the values that a variable may have. */
export const OPEN = "\ue005";
export const COMMA = "\ue006";
export const CLOSE = "\ue007";
/** Where an unquoted variable's known value falls apart into words. */
export const SPLIT = "\ue008";

/**
 * Something only known when it runs that stays one word and leads nowhere else: a number, a new temporary name, what
 * find has found below a directory. Never empty, and never `..`.
 */
export const INSIDE = "\ue00a";

/** The value of `$!`: the last job of this very shell, or nothing. */
export const OWN_JOB = "\ue009";

/** More alternatives than that are not followed up: they become unknown. */
const MAXIMUM_ALTERNATIVES = 64;
const MAXIMUM_BRACES = 64;

export function literalWord(value: string): Word {
  return { text: value, shape: value };
}

/** The value if it is known completely and finds no files: what a name or a piece of code must be. */
export function exactly(word: Word | undefined): string | undefined {
  return word === undefined || isUnknown(word) || hasPattern(word) ? undefined : word.shape;
}

export function isUnknown({ shape }: Word): boolean {
  return UNKNOWN_MARK.test(shape);
}

/** Might be an option, or several words, or none. */
export function mayBeOptions({ shape }: Word): boolean {
  return shape.startsWith(UNKNOWN) || shape.includes(UNKNOWN_WORDS);
}

export function hasPattern({ shape }: Word): boolean {
  return shape.includes(STAR) || shape.includes(QUESTION) || shape.includes(BRACKET);
}

/** Not one word that is known completely. */
export function hasMarks({ shape }: Word): boolean {
  return ANY_MARK.test(shape);
}

/** For people and for looking at prefixes: marks become what was written, the unknown becomes `…`. */
export function readable(shape: string): string {
  if (!ANY_MARK.test(shape)) return shape;
  let text = "";
  for (const character of shape) text += READABLE[character] ?? character;
  return text;
}

const BRANCHING_MARK = /[\ue005-\ue008]/;
const ANY_MARK = /[\ue000-\ue00a]/;
const UNKNOWN_MARK = /[\ue000\ue001\ue009\ue00a]/;

const READABLE: Readonly<Record<string, string>> = {
  [UNKNOWN]: "…",
  [UNKNOWN_WORDS]: "…",
  [INSIDE]: "…",
  [OWN_JOB]: "$!",
  [STAR]: "*",
  [QUESTION]: "?",
  [BRACKET]: "[",
  [OPEN]: "{",
  [COMMA]: ",",
  [CLOSE]: "}",
  [SPLIT]: " ",
};

/** Every word that a shape with alternatives and split points stands for. */
export function wordsOf(text: string, shape: string): Word[] {
  if (!BRANCHING_MARK.test(shape)) return [{ text, shape }];
  const isWide = shape.split(OPEN, MAXIMUM_BRACES + 1).length > MAXIMUM_BRACES;
  const shapes = (isWide ? undefined : alternativesOf(shape)) ?? [UNKNOWN_WORDS];
  return shapes
    .flatMap((one) => one.split(SPLIT))
    .filter((one, _, all) => one !== "" || all.length === 1)
    .map((one) => ({ text, shape: one }));
}

/** The shapes without alternatives; nothing when there are too many. */
function alternativesOf(shape: string): string[] | undefined {
  const open = shape.indexOf(OPEN);
  if (open < 0) return [shape.replaceAll(COMMA, ",").replaceAll(CLOSE, "}")];
  const branches = branchesAt(shape, open);
  if (!branches) return alternativesOf(`${shape.slice(0, open)}{${shape.slice(open + 1)}`);
  const results: string[] = [];
  for (const branch of branches.texts) {
    // Inside one branch of alternatives that has a single text, e.g. `{}`, the braces stand for themselves.
    const deeper = alternativesOf(shape.slice(0, open) + branch + shape.slice(branches.end));
    if (!deeper || results.length + deeper.length > MAXIMUM_ALTERNATIVES) return undefined;
    results.push(...deeper);
  }
  return results;
}

/** The texts between the braces that open there; nothing when these are just characters. */
function branchesAt(shape: string, open: number): { texts: string[]; end: number } | undefined {
  const texts: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let index = open + 1; index < shape.length; index++) {
    const mark = shape[index];
    if (mark === OPEN) depth++;
    else if (mark === CLOSE && depth > 0) depth--;
    else if (mark === COMMA && depth === 0) {
      texts.push(shape.slice(from, index));
      from = index + 1;
    } else if (mark === CLOSE) {
      texts.push(shape.slice(from, index));
      return texts.length > 1 ? { texts, end: index + 1 } : undefined;
    }
  }
  return undefined;
}

/** Several values a variable may have, as one shape. */
export function oneOf(shapes: readonly string[]): string {
  return shapes.length === 1 ? (shapes[0] ?? "") : OPEN + shapes.join(COMMA) + CLOSE;
}

/** An unknown name of a variable, other than one that only ends with something unknown behind `=`. */
export function mayHaveSubscript(name: Word): boolean {
  return isUnknown(name) || runsInSubscript(readable(name.shape));
}

/** Arithmetic evaluates subscripts, and a subscript may hold a substitution: `unset 'a[$(id)]'` runs id. */
export function runsInSubscript(text: string): boolean {
  return /\[[^[\]]*(?:\$\(|`)/.test(text);
}
