import { isWorkloadPath } from "../binding/workload-paths.ts";
import type { CodeOperand } from "./code-operand.ts";
import { codeOperands, executedOperands, pathsMentioned } from "./code-uses.ts";
import { otherOperand } from "./known-programs.ts";
import { valuesOfOption } from "./options.ts";
import { absoluteRoutes } from "./paths.ts";
import { type Handling, handlingOf, ownWordsEnd, takesText, wordsOf } from "./root-handling.ts";
import type { Call } from "./rule.ts";
import { isUnknown, literalWord, readable, UNKNOWN, type Word } from "./word.ts";

interface Standing {
  readonly isFunction: boolean;
}

/** The files that decide what a call of root does: whatever is not known to be data counts as code. */
export function rootOperands(name: Word, call: Call, { isFunction }: Standing): CodeOperand[] {
  const handling = isFunction ? "anything" : handlingOf(name, call);
  if (handling === "only handles") {
    const other = otherOperand(call);
    return codeOperands(name, call).filter(({ word }) => word !== other);
  }
  const executed = isFunction ? [] : executedOperands(name, call);
  const named = new Set(executed.filter(({ candidates }) => !candidates).map(({ word }) => word));
  const { file } = handling === "starts" && !changesInput(call) ? {} : call.input;
  const words = [...wordsOf(call), ...(file ? [file] : [])];
  const others = words
    .filter((word) => !named.has(word))
    .flatMap((word) => possibleCode(word, { call, handling }));
  const texts = takesText(call) || handling === "starts" ? [] : textsOnInput(call.input);
  const settings = call.program === "git" ? valuesOfOption(call.args, { short: "c" }) : [];
  const inside = [...words, ...texts, ...settings].flatMap((word) => mentionedIn(word, call));
  return [...executed, ...others, ...inside];
}

/** `exec < file`: for everything that follows. */
function changesInput(call: Call): boolean {
  return call.program === "exec" && ownWordsEnd(call) === call.args.length;
}

/** The text of a here-document, and the words that another part of the command prints for the program. */
function textsOnInput({ text, upstream }: Call["input"]): Word[] {
  const printed = upstream.flatMap(({ program, args, input }) => [
    ...(/^(?:echo|printf)$/.test(program) ? args : []),
    ...(input.text ? [input.text] : []),
  ]);
  return [...(text ? [text] : []), ...printed].map((word) => ({
    ...word,
    shape: `${word.shape} `,
  }));
}

const PLAIN_PATH = /^(?:\/|\.{1,2}(?:\/|$)|~)/;

const OPENED = /^\/(?:dev\/fd\/[1-9]|proc\/(?:self|thread-self|\d+)\/)/;

interface Given {
  readonly call: Call;
  readonly handling: Handling;
}

function possibleCode(word: Word, { call, handling }: Given): CodeOperand[] {
  const { shape } = word;
  const isPath = PLAIN_PATH.test(shape);
  if (isUnknown(word) || /^[-@]|^$|\n|^\w+:\/\//.test(shape) || shape.length > 1000) return [];
  if (!isPath && handling === "runs code" && /[\s()'"`;|&<>]/.test(shape)) return [];
  if (!isPath && (handling === "takes names" || !isInReach(shape, call.directories))) return [];
  // A descriptor, or the directory of a process: what it stands for by then is not in the text.
  if (isPath && OPENED.test(shape)) return [{ kind: "run", word: { text: shape, shape: UNKNOWN } }];
  const isName = !isPath && handling !== "anything";
  return [{ kind: "run", word, isPossible: true, alsoMissing: !isName }];
}

/** Whether the workload may have put something there: only root writes in these directories. */
function isInReach(shape: string, directories: readonly string[]): boolean {
  return absoluteRoutes(shape, directories).some(
    (path) =>
      isWorkloadPath(path) ||
      (shape.startsWith("/")
        ? !/^\/(?:etc|usr|bin|sbin|lib\w*|proc|sys|dev|boot|root)(?:\/|$)/.test(path)
        : directories.some((directory) => !/^\/(?:root)?$/.test(directory))),
  );
}

const MOST_MENTIONS = 16;

/** Paths of the workload inside a longer word: no copy can stand in their place. */
function mentionedIn(word: Word, { directories }: Call): CodeOperand[] {
  const { text, shape } = word;
  const attached = /^(?:-[A-Za-z]|@|-{0,2}[\w-]+=@?)([\w./~][^\s=]*)$/.exec(shape)?.slice(1) ?? [];
  return [...piecesOf(word), ...attached]
    .filter((piece) => isInReach(piece, directories))
    .slice(0, MOST_MENTIONS)
    .map((piece) => ({
      kind: "run",
      // Without a place in the text: it is only a part of the word.
      word: { ...literalWord(piece), text },
      isPossible: true,
      isMentioned: true,
      alsoMissing: PLAIN_PATH.test(piece),
    }));
}

function piecesOf({ shape }: Word): string[] {
  return pathsMentioned(readable(shape)).filter((piece) => piece !== shape);
}

interface Mention {
  readonly path: string;
  /** It is written as a path, so that it counts although there is no such file. */
  readonly isStrict: boolean;
}

/** The same for the value of a variable that root's programs see. */
export function rootMentions(word: Word, directories: readonly string[]): Mention[] {
  return [word.shape, ...piecesOf(word)]
    .filter((piece) => /[./]/.test(piece) && isInReach(piece, directories))
    .slice(0, MOST_MENTIONS)
    .flatMap((piece) =>
      absoluteRoutes(piece, directories).map((path) => ({
        path,
        isStrict: PLAIN_PATH.test(piece),
      })),
    );
}
