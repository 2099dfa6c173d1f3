import { readable, type Word } from "./word.ts";

/** An option by its short letter, its long name, or both: `{ short: "o", long: "output" }`. */
export interface OptionName {
  readonly short?: string;
  readonly long?: string;
}

/**
 * Whether an option may be among the words. Rather too often: long names may be cut short as GNU allows it, and a
 * letter anywhere in a cluster counts.
 */
export function hasOption(args: readonly Word[], name: OptionName): boolean {
  return beforeDashes(args).some(
    (arg) => arg.shape.startsWith("-") && isOption(readable(arg.shape), name),
  );
}

export function hasAnyOption(args: readonly Word[], names: readonly OptionName[]): boolean {
  return names.some((name) => hasOption(args, name));
}

/** What is given to an option, in all the ways of writing it. */
export function valuesOfOption(args: readonly Word[], name: OptionName): Word[] {
  const values: Word[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] as Word;
    if (!arg.shape.startsWith("-")) continue;
    const given = isOption(readable(arg.shape), name) ? valueIn(arg, name) : undefined;
    if (given) values.push(given);
    else if (given === null && args[index + 1]) values.push(args[index + 1] as Word);
  }
  return values;
}

function isOption(text: string, { short, long }: OptionName): boolean {
  if (text.startsWith("--")) {
    const [name = ""] = text.slice(2).split("=", 1);
    return long !== undefined && name.length >= 2 && long.startsWith(name);
  }
  return short !== undefined && /^-[^-]/.test(text) && text.slice(1).includes(short);
}

/** The value inside the same word; null when it is the next word. */
function valueIn(arg: Word, { short }: OptionName): Word | null {
  const { shape } = arg;
  if (shape.startsWith("--")) {
    const equals = shape.indexOf("=");
    return equals < 0 ? null : { text: arg.text, shape: shape.slice(equals + 1) };
  }
  const rest = shape.slice(shape.indexOf(short ?? "") + 1);
  return rest === "" ? null : { text: arg.text, shape: rest };
}

/** Words that are not options, for programs whose options take no separate value except the named ones. */
export function operandsOf(
  args: readonly Word[],
  { valued = "", valuedLong = [] }: { valued?: string; valuedLong?: readonly string[] } = {},
): Word[] {
  const operands: Word[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] as Word;
    if (arg.shape === "--") return [...operands, ...args.slice(index + 1)];
    if (!arg.shape.startsWith("-") || arg.shape === "-") operands.push(arg);
    else if (takesNext(arg.shape, valued, valuedLong)) index++;
  }
  return operands;
}

/** Whether an option's value is the word after it. */
export function takesNext(shape: string, valued: string, valuedLong: readonly string[]): boolean {
  if (shape.startsWith("--")) return valuedLong.includes(shape.slice(2));
  const at = [...shape.slice(1)].findIndex((letter) => valued.includes(letter));
  return at >= 0 && at === shape.length - 2;
}

function beforeDashes(args: readonly Word[]): readonly Word[] {
  const end = args.findIndex((arg) => arg.shape === "--");
  return end < 0 ? args : args.slice(0, end);
}
