import { posix } from "node:path";
import { absoluteShapes } from "./paths.ts";
import type { Call } from "./rule.ts";
import { hasMarks, literalWord, UNKNOWN, type Word } from "./word.ts";

/** `git`, `hub` which hands on to it, and `git-push` in git's own folder, all as calls of git; undefined for others. */
export function asGit(call: Call): Call | undefined {
  if (call.program === "git") return call;
  if (call.program === "hub") return { ...call, program: "git" };
  const [, verb] = /^git-([a-z][a-z-]*)$/.exec(call.program) ?? [];
  if (verb === undefined) return undefined;
  return { ...call, program: "git", args: [literalWord(verb), ...call.args] };
}

/** Whether git takes the next word for the value of this option. */
export function isGitValue(option: Word | undefined): boolean {
  return /^(?:-[cC]|--(?:git-dir|work-tree|namespace|super-prefix|config-env|attr-source))$/.test(
    option?.shape ?? "",
  );
}

/** The directories whose repository a git call uses; UNKNOWN among them when its options do not tell. */
export function gitDirectories(call: Call): readonly string[] {
  const git = asGit(call);
  if (!git) return [];
  const { args, directories } = git;
  let places = directories;
  let gitDir: string | undefined;
  for (let index = 0; index < args.length; index++) {
    const word = args[index] as Word;
    if (hasMarks(word) && !/^\w/.test(word.shape)) return [UNKNOWN];
    if (!word.shape.startsWith("-")) break;
    const values = isGitValue(word) ? valuesAt(args, index + 1) : [];
    index += values.length;
    const [value = ""] = values;
    const before = places;
    if (word.shape === "-C" && value !== "")
      places = values.flatMap((one) => absoluteShapes(one, before));
    if (word.shape === "--git-dir") gitDir = value;
    if (word.shape.startsWith("--git-dir=")) gitDir = word.shape.slice("--git-dir=".length);
  }
  return gitDir === undefined ? places : absoluteShapes(gitDir, places).map(directoryOf);
}

/** The next word; all that it may be, where a variable in a loop stands for several. */
function valuesAt(args: readonly Word[], at: number): string[] {
  const text = args[at]?.text ?? "";
  if (!/[${]/.test(text)) return args.slice(at, at + 1).map(({ shape }) => shape);
  const end = args.findIndex((word, index) => index > at && word.text !== text);
  return args.slice(at, end < 0 ? undefined : end).map(({ shape }) => shape);
}

/** Git looks for `.git` in a directory; another name of a repository could hide a second one from the inspection. */
function directoryOf(gitDir: string): string {
  return posix.basename(gitDir) === ".git" ? posix.dirname(gitDir) : UNKNOWN;
}
