import { valuesOfOption } from "../options.ts";
import type { Call, Inspector } from "../rule.ts";
import {
  exactly,
  INSIDE,
  literalWord,
  readable,
  UNKNOWN,
  UNKNOWN_WORDS,
  type Word,
} from "../word.ts";
import { afterOptions, unknownOption, type Wrapper } from "./wrapper-options.ts";

/** What comes in is appended: any number of words that nobody knows here. */
export function xargs(call: Call, inspect: Inspector): void {
  const { args, input } = call;
  const options: Wrapper = {
    flags: "0oprtxeil0123456789",
    valued: "aEILnPsdJRS",
    flagsLong: [
      "null",
      "no-run-if-empty",
      "open-tty",
      "verbose",
      "interactive",
      "exit",
      "show-limits",
    ],
    valuedLong: [
      "arg-file",
      "delimiter",
      "eof",
      "replace",
      "max-lines",
      "max-args",
      "max-procs",
      "max-chars",
      "process-slot-var",
    ],
  };
  const start = afterOptions(args.map(withoutAttached), options);
  if (start === undefined) {
    unknownOption(call, inspect);
    return;
  }
  const [replaced] = [
    ...valuesOfOption(args.slice(0, start), { short: "I" }),
    ...valuesOfOption(args.slice(0, start), { short: "J" }),
    ...attachedMarks(args.slice(0, start)),
  ];
  const mark = replaced ? readable(replaced.shape) : undefined;
  const words = start < args.length ? args.slice(start) : [literalWord("echo")];
  const incoming: Word = { text: "…", shape: foundByFind(input) };
  const printed = printedWords(input);
  if (printed) {
    const value = mark === undefined ? "" : printed.map(({ shape }) => shape).join(" ");
    inspect.mayRun(
      mark === undefined ? [...words, ...printed] : words.map((word) => marked(word, mark, value)),
    );
    if (mark !== undefined && /(?:^|\/)(?:ba|da|z|k)?sh$/.test(readable(words[0]?.shape ?? "")))
      for (const word of words) inspect.mayRun([marked(word, mark, value)]);
  }
  if (words.length === 1 && isOpenEnded(words[0]))
    inspect.click("xargs lets its input choose what runs");
  const places = placesFound(input);
  // However small each deletion is, together they are one of a whole tree.
  if (/^(?:.*\/)?(?:rm|unlink|shred)$/.test(words[0]?.shape ?? ""))
    for (const place of places) inspect.deletes(literalWord(place), { recursive: true });
  if (mark)
    for (const value of [UNKNOWN, ...places])
      inspect.runs(words.map((word) => marked(word, mark, value)));
  else for (const word of [incoming, ...places.map(literalWord)]) inspect.runs([...words, word]);
}

/** They hand on some of their lines as they are. */
const FILTERS = /^(?:[ef]?grep|rg|sort|uniq|head|tail|tac|shuf)$/;

/** Where the files lie that find has found for xargs: judged besides what is not known about their names. */
function placesFound({ upstream }: Call["input"]): string[] {
  const origin = upstream.at(-1);
  if (origin?.program !== "find") return [];
  if (!upstream.slice(0, -1).every(({ program }) => FILTERS.test(program))) return [];
  const end = origin.args.findIndex(({ shape }) => /^[-(!]/.test(shape));
  return origin.args
    .slice(0, end < 0 ? undefined : end)
    .filter((root) => exactly(root) !== undefined)
    .map(({ shape }) => `${shape.replace(/\/$/, "")}/x${INSIDE}`);
}

function marked({ text, shape }: Word, mark: string, value: string): Word {
  return { text, shape: shape.replaceAll(mark, value) };
}

/** The words that `echo` or `printf` hands on, or those of a here-string, as far as the text tells them. */
function printedWords({ upstream, text }: Call["input"]): Word[] | undefined {
  const [only, ...others] = upstream;
  const printed =
    only && others.length === 0 && /^(?:echo|printf)$/.test(only.program) ? only.args : [];
  const words = text ? [text] : printed;
  return words.length > 0 && words.every((word) => exactly(word) !== undefined)
    ? words.flatMap(({ shape }) =>
        shape
          .split(/(?:\s|\\n)+/)
          .filter(Boolean)
          .map(literalWord),
      )
    : undefined;
}

/** Options of xargs whose value is attached or left out: to find the program they are flags. */
function withoutAttached(word: Word): Word {
  return /^(?:-[iel]\S*|--(?:replace|eof|max-lines)(?:=.*)?)$/.test(word.shape)
    ? literalWord("-r")
    : word;
}

/** `-i`, `-iR`, `--replace`, `--replace=R`: the mark is attached, or `{}`. */
function attachedMarks(options: readonly Word[]): Word[] {
  return options.flatMap(({ shape }) => {
    const [, mark] = /^(?:-i|--replace=?)(.*)$/.exec(shape) ?? [];
    return mark === undefined ? [] : [literalWord(mark === "" ? "{}" : mark)];
  });
}

/** Programs whose next word says what they do. */
function isOpenEnded(word: Word | undefined): boolean {
  return /^(?:.*\/)?(?:git|find|kubectl|docker|podman|npm|pnpm|yarn|helm|terraform|aws|gcloud|az|gh|systemctl|make|sh|bash|dash|zsh|xargs|nohup|nice|env|command|time|sudo|doas|eval|exec|ssh|python3?|node|perl|ruby)$/.test(
    readable(word?.shape ?? ""),
  );
}

/** What xargs gets from a find that stays below a directory and looks for something is as good as find's own -exec. */
export function foundByFind({ upstream }: Call["input"]): string {
  const [only, ...others] = upstream;
  const first = only?.args[0]?.shape ?? "";
  // Without a starting point find begins where the shell stands.
  const root = /^-(?:i?name|i?path|i?regex|type|maxdepth|mindepth)$/.test(first) ? "." : first;
  const filtered = only?.args.some(({ shape }) => /^-(?:i?name|i?path|i?regex)$/.test(shape));
  const plain =
    only?.program === "find" &&
    others.length === 0 &&
    filtered &&
    /^[\w./-]+$/.test(root) &&
    !root.startsWith("-");
  return plain ? `${root.replace(/\/$/, "")}/x${INSIDE}` : UNKNOWN_WORDS;
}
