import { absoluteShapes } from "./paths.ts";
import type { Call } from "./rule.ts";
import { copiesEnvironment } from "./secrets.ts";
import { readable, type Word } from "./word.ts";

/** Whether the words or the input of a call are made of all variables of the environment. */
export function holdsEnvironment(
  { args, input }: Call,
  copies: ReadonlySet<string>,
  directories: readonly string[],
): boolean {
  const words = [...args, ...(input.text ? [input.text] : []), ...(input.file ? [input.file] : [])];
  return words.some((word) => namesEnvironment(word, copies, directories));
}

/** Whether a word is made of all variables, or of a variable or file that holds them. */
export function namesEnvironment(
  word: Word,
  copies: ReadonlySet<string>,
  directories: readonly string[],
): boolean {
  return copiesEnvironment(word) || (copies.size > 0 && namesCopy(word, copies, directories));
}

/** Whether a word has one of these variables in it, or ends with the name of one of these files. */
function namesCopy(
  { text, shape }: Word,
  copies: ReadonlySet<string>,
  directories: readonly string[],
): boolean {
  const names = [...text.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name ?? "");
  const [file = ""] = /[^@=]*$/.exec(readable(shape)) ?? [];
  const paths = file === "" ? [] : absoluteShapes(file, directories);
  return [...names, ...paths].some((one) => copies.has(one));
}
