import type { FilePattern } from "./code-report.ts";
import { valuesOfOption } from "./options.ts";
import { absoluteRoutes, absoluteShapes } from "./paths.ts";
import type { Call } from "./rule.ts";
import { hasPattern, INSIDE, isUnknown, literalWord, readable, type Word } from "./word.ts";

/** They show what is there, and follow a link to it. */
const LOOKS = /^(?:ls|dir|vdir|stat|du|df|find|tree|test|\[)$/;

/** The directories in which a call may run. */
export function placesOf({ directories }: Call): string[] {
  return directories.filter(isKnown);
}

/** Where a call finds files that it obeys although no word names them; `make -C` leaves the directory it starts in. */
export function loadedFrom({ program, args, directories }: Call): string[] {
  const moves = /^g?make$/.test(program)
    ? valuesOfOption(args, { short: "C", long: "directory" })
    : [];
  const reached = moves.reduce<readonly string[]>(
    (places, { shape }) => absoluteShapes(shape, places),
    directories,
  );
  return reached.filter(isKnown);
}

/** The paths that a call looks at without reading a file itself. */
export function lookedAtBy({ program, args, directories }: Call): string[] {
  if (!LOOKS.test(program)) return [];
  return args
    .filter((word) => !/^-|^$/.test(word.shape) && !hasPattern(word))
    .flatMap(({ shape }) => absoluteRoutes(shape, directories))
    .filter(isKnown);
}

function isKnown(path: string): boolean {
  return path.startsWith("/") && !isUnknown(literalWord(path));
}

/** The patterns among the words of a call: the shell puts the names of files in their place. */
export function patternsOf({ args, input, directories }: Call): FilePattern[] {
  return [...args, ...(input.file ? [input.file] : [])].filter(hasPattern).flatMap(({ shape }) =>
    absoluteShapes(shape, directories).map((path) => {
      const names = path.split("/");
      const at = names.findIndex((name) => /[\ue000-\ue00a]/.test(name));
      const place = names.slice(0, at).join("/") || "/";
      return { written: readable(shape), place, isDeep: at < names.length - 1 };
    }),
  );
}

/** They only print their words, hand them on to a call of its own, or take none for a file. */
const NAMES_NO_FILE =
  /^(?:echo|printf|test|\[|true|false|:|sleep|kill|exit|return|set|export|declare|local|typeset|readonly|unset|read|cd|pushd|popd|git|hub|sudo|doas|env|timeout|nice|ionice|nohup|command|exec|time|stdbuf|setsid|builtin|eval|xargs|find|(?:ba|da|z|k)?sh)$/;

/**
 * The words of a call that the text leaves open: the output of another command, a variable, a pattern. For root, the
 * level and its reason tell about all but the names of files.
 */
export function openWordsOf(
  { program, args, input }: Call,
  { asRoot }: { readonly asRoot: boolean },
): string[] {
  if (NAMES_NO_FILE.test(program)) return [];
  return [...args, ...(input.file ? [input.file] : [])]
    .filter((word) => hasPattern(word) || (asRoot ? isFound(word) : isUnknown(word)))
    .map(writtenAs);
}

/** What find has found. */
function isFound({ text, shape }: Word): boolean {
  return shape.includes(INSIDE) && !/[$`]/.test(text);
}

function writtenAs(word: Word): string {
  if (isFound(word)) return `files that find finds in ${word.text}`;
  return word.text === "…" ? "the input of xargs" : word.text;
}
