import { KNOWN_OPTIONS, type Known, known } from "./known-options.ts";
import type { Call } from "./rule.ts";
import { readSedScript } from "./rules/sed-script.ts";
import { literalWord, readable, type Word } from "./word.ts";

/** They print their words, change the shell, or look at files without opening them, whatever their words are. */
const HARMLESS =
  /^(?:echo|printf|test|\[|true|false|:|cd|pushd|popd|pwd|sleep|exit|return|shift|wait|kill|set|unset|export|declare|local|typeset|readonly|read|umask|ulimit|type|hash|trap|eval|basename|dirname|seq|break|continue|getopts|let|xargs|which)$/;

/** Whether the program, with these options, only handles the files that it is given. */
export function isKnownProgram({ program, args }: Call): boolean {
  if (HARMLESS.test(program)) return true;
  if (program === "dd") return args.every(({ shape }) => /^[a-z]+=|^\p{Co}/u.test(shape));
  if (program === "find")
    return !args.some(({ shape }) => /^-(?:fprint[0f]?|fls|files0-from)$/.test(shape));
  if (/^[gmn]?awk$/.test(program)) return onlyPrints(args);
  const operands = operandsInTable(program, args);
  return operands !== undefined && (program !== "sed" || editsOnly(args, operands));
}

function operandsInTable(program: string, args: readonly Word[]): Word[] | undefined {
  if (!Object.hasOwn(KNOWN_OPTIONS, program)) return undefined;
  const words = program === "tar" ? withDash(args) : args.map(withoutSuffix);
  return operandsOf(words, KNOWN_OPTIONS[program] as Known, { isChmod: program === "chmod" });
}

/** The first operand is a mode, an owner, a pattern or a program. */
const TAKES_FIRST = /^(?:chmod|chown|chgrp|[efz]?grep|rg|jq|sed|[gmn]?awk)$/;
const GIVES_FIRST = /^(?:-[a-zA-Z]*[ef]|--(?:regexp|file|expression|reference)(?:=.*)?)$/;

/** The operands of a known program that are files. */
export function fileOperands({ program, args }: Call): readonly Word[] {
  if (program === "find") {
    const end = args.findIndex(({ shape }) => /^[-(!]/.test(shape));
    return end < 0 ? args : args.slice(0, end);
  }
  const operands =
    operandsInTable(program, args) ??
    operandsOf(args, known(LETTERS, "Fv"), { isChmod: false }) ??
    args;
  return takesFirst({ program, args }) ? operands.slice(1) : operands;
}

/** The operand of a known program that is no file. */
export function otherOperand(call: Call): Word | undefined {
  const files = fileOperands(call);
  return takesFirst(call)
    ? call.args.find((word) => !word.shape.startsWith("-") && !files.includes(word))
    : undefined;
}

function takesFirst({ program, args }: Pick<Call, "program" | "args">): boolean {
  return TAKES_FIRST.test(program) && !args.some(({ shape }) => GIVES_FIRST.test(shape));
}

const LETTERS = "abcdefghijklmnopqrstuwxyzABCDEGHIJKLMNOPQRSTUVWXYZ0123456789";

/** They print what they read, and write no file. */
const ONLY_PRINTS =
  /^(?:cat|tac|head|tail|wc|nl|[efz]?grep|diff|cmp|comm|md5sum|b2sum|cksum|sha\d+sum|cut|sort|paste|fold|rev|od|strings|base64|base32|[bx]?zcat|jq|[gmn]?awk|sed)$/;

export function onlyPrintsFiles(call: Call): boolean {
  const { program, args } = call;
  if (!ONLY_PRINTS.test(program) || !isKnownProgram(call)) return false;
  if (program === "sed") return !args.some(({ shape }) => /^-[a-zA-Z]*i|^--in-place/.test(shape));
  return !/^(?:diff|[efz]?grep)$/.test(program) || !isRecursive(args);
}

function isRecursive(args: readonly Word[]): boolean {
  return args.some(({ shape }) => /^-[a-zA-Z]*[rR]|^--recursive/.test(shape));
}

/** `sed -i.bak …` */
function withoutSuffix(word: Word): Word {
  const [, option] = /^(-[nrEsuz]*i)\.\w+$/.exec(word.shape) ?? [];
  return option === undefined ? word : literalWord(option);
}

/** `tar xzf …` */
function withDash([first, ...rest]: readonly Word[]): readonly Word[] {
  return first && /^[A-Za-z]+$/.test(first.shape)
    ? [literalWord(`-${first.shape}`), ...rest]
    : [...(first ? [first] : []), ...rest];
}

/** The operands; undefined with an option that is not known. */
function operandsOf(
  args: readonly Word[],
  { flags, valued, long }: Known,
  { isChmod }: { readonly isChmod: boolean },
): Word[] | undefined {
  const operands: Word[] = [];
  for (let index = 0; index < args.length; index++) {
    const word = args[index] as Word;
    const { shape } = word;
    if (shape === "--") return [...operands, ...args.slice(index + 1)];
    if (!/^-./.test(shape) || (isChmod && /^-[rwxXst]/.test(shape))) operands.push(word);
    else if (shape.startsWith("--")) {
      const [name = ""] = shape.slice(2).split("=", 1);
      const kind = long.get(name);
      if (kind === undefined || (kind === "" && shape.includes("="))) return undefined;
      if (kind === "=" && !shape.includes("=")) index++;
    } else {
      const letters = [...shape.slice(1)];
      const at = letters.findIndex((letter) => !flags.includes(letter) || valued.includes(letter));
      if (at >= 0 && !valued.includes(letters[at] ?? "")) return undefined;
      if (at === letters.length - 1 && at >= 0) index++;
    }
  }
  return operands;
}

/** An awk program that starts nothing, and opens no file that no word names. */
function onlyPrints(args: readonly Word[]): boolean {
  const [program] = operandsOf(args, known("", "Fv"), { isChmod: false }) ?? [];
  return program !== undefined && !/system|getline|close|@|[|>]/.test(program.shape);
}

/** A script that starts nothing and names no file. */
function editsOnly(args: readonly Word[], operands: readonly Word[]): boolean {
  const given = args.filter((_, index) =>
    /^(?:-[a-zA-Z]*e|--expression)$/.test(args[index - 1]?.shape ?? ""),
  );
  const attached = args.flatMap(({ shape }) => /^--expression=(.*)$/s.exec(shape)?.[1] ?? []);
  const scripts = [...given.map(({ shape }) => shape), ...attached];
  const texts = scripts.length > 0 ? scripts : operands.slice(0, 1).map(({ shape }) => shape);
  return texts.every((text) => {
    const effects = readSedScript(readable(text));
    return effects && !effects.starts && effects.writes.length === 0 && !READS_FILE.test(text);
  });
}

/** `r file`, `R file`. */
const READS_FILE = /(?:^|[;{}\n])\s*(?:[\d,$]+|\/[^/\n]*\/)?\s*[rR]\s*[./~\w]/;
