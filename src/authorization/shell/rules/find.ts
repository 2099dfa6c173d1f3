import type { Call, Inspector } from "../rule.ts";
import { INSIDE, mayBeOptions, readable, UNKNOWN, UNKNOWN_WORDS, type Word } from "../word.ts";

/** Tests that pick files by what they are called. An age or a size picks anything. */
const FIND_TESTS = new Set([
  "-name",
  "-iname",
  "-path",
  "-ipath",
  "-wholename",
  "-regex",
  "-iregex",
  "-empty",
]);
const FIND_RUNS = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

/** What find finds below its starting points becomes part of the programs it starts. */
export function find({ args }: Call, inspect: Inspector): void {
  const first = args.findIndex(({ shape }) => /^[-(!]/.test(shape) && !/^-[HLPOD]/.test(shape));
  const given = args
    .slice(0, first < 0 ? args.length : first)
    .filter(({ shape }) => !shape.startsWith("-"));
  const expression = first < 0 ? [] : args.slice(first);
  const unknownRoots = expression.some(({ shape }) => shape.startsWith("-files0-from"));
  const named = given.length > 0 ? given : [{ text: ".", shape: "." }];
  const roots = unknownRoots ? [{ text: "", shape: UNKNOWN_WORDS }] : named;
  if (args.some(mayBeOptions) && expression.length === 0)
    inspect.notes("find with options that are known only at run time");
  const found = foundBelow(roots, expression);
  for (let index = 0; index < expression.length; index++) {
    const word = expression[index]?.shape ?? "";
    if (FIND_RUNS.has(word)) index = findStarts(expression, index + 1, found, inspect);
    else if (word === "-delete")
      for (const path of found) inspect.deletes(path, { recursive: true });
    else if (word.startsWith("-files0-from"))
      inspect.notes("find with starting points that are known only at run time");
    else if (/^-f(?:print|ls|print0|printf)$/.test(word) && expression[index + 1])
      inspect.writes(expression[index + 1] as Word);
  }
}

/** Operators that make more match than the tests in front of an action say. */
const FIND_WIDENS = new Set(["!", "-not", "-o", "-or", ",", "-true", "-prune"]);

/**
 * With a filter only some of what lies below the starting points; without one, all of it. Only tests by name before
 * the first action count, and none where an operator turns them round.
 */
function foundBelow(roots: readonly Word[], expression: readonly Word[]): Word[] {
  const action = expression.findIndex(
    ({ shape }) => FIND_RUNS.has(shape) || shape === "-delete" || shape === "-fprint",
  );
  const tests = action < 0 ? expression : expression.slice(0, action);
  const prunedDirectly =
    tests.at(-1)?.shape === "-prune" &&
    !tests.some(({ shape }) => /^(?:!|-not|-o|-or|,)$/.test(shape));
  const alternatives = tests.some(({ shape }) => shape === "(") && !tests.some(isWidening);
  const widened =
    tests.some(({ shape }) => FIND_WIDENS.has(shape)) && !prunedDirectly && !alternatives;
  const filtered = tests.some(({ shape }, index) => {
    const pattern = tests[index + 1]?.shape ?? "";
    return (
      shape === "-empty" ||
      (FIND_TESTS.has(shape) && /[A-Za-z0-9_-]{1}/.test(withoutClasses(pattern)))
    );
  });
  return roots.map(({ text, shape }) => ({
    text,
    shape: filtered && !widened ? `${shape.replace(/\/$/, "")}/x${INSIDE}` : shape,
  }));
}

/** Inside parentheses `-o` lists names; everything else that widens does so there, too. */
function isWidening({ shape }: Word): boolean {
  return FIND_WIDENS.has(shape) && shape !== "-o" && shape !== "-or";
}

/** What a pattern demands: `*`, `./*`, `.*` and `[a-z]*` demand nothing. */
function withoutClasses(pattern: string): string {
  return readable(pattern)
    .replaceAll(/\[[^\]]*\]/g, "")
    .replace(/^\.\/|^\.(?=\*)/, "");
}

function findStarts(
  expression: readonly Word[],
  from: number,
  found: readonly Word[],
  inspect: Inspector,
): number {
  const length = expression.slice(from).findIndex(({ shape }) => shape === ";" || shape === "+");
  const end = length < 0 ? expression.length : from + length;
  const words = expression.slice(from, end).flatMap((word) => {
    if (word.shape === "{}") return found;
    return [{ text: word.text, shape: word.shape.replaceAll("{}", UNKNOWN) }];
  });
  // However small each deletion is, together they are one of a whole tree.
  if (/^(?:.*\/)?(?:rm|unlink|shred)$/.test(words[0]?.shape ?? ""))
    for (const path of found) inspect.deletes(path, { recursive: true });
  inspect.runs(words);
  return end;
}
