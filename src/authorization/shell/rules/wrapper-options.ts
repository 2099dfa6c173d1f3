import { type OptionName, takesNext } from "../options.ts";
import type { Call, Inspector, Rule } from "../rule.ts";
import type { Word } from "../word.ts";

/** How a program that starts another one reads its own words. */
export interface Wrapper {
  /** Letters of options without a value. */
  readonly flags?: string;
  /** Letters of options whose value is the next word or follows at once. */
  readonly valued?: string;
  /** Long options without a value; with one. Others are not known, and asked for. */
  readonly flagsLong?: readonly string[];
  readonly valuedLong?: readonly string[];
  /** Words of its own before the program: `timeout 5 make`. */
  readonly operands?: number;
  /** Options may follow those words: `setarch x86_64 -R make`. */
  readonly optionsAfterOperands?: boolean;
  /** `NAME=value` words may stand before the program. */
  readonly assignments?: boolean;
  /** Its option for the directory in which the program starts. */
  readonly chdir?: OptionName;
  readonly also?: Rule;
}

/** Where a wrapper's own options end; nothing when one of them is not known. */
export function afterOptions(args: readonly Word[], wrapper: Wrapper): number | undefined {
  const { valued = "", valuedLong = [], assignments = false } = wrapper;
  let index = 0;
  for (; index < args.length; index++) {
    const { shape } = args[index] as Word;
    if (shape === "--") return index + 1;
    if (assignments && /^[A-Za-z_]\w*=/.test(shape)) continue;
    if (!shape.startsWith("-") || shape === "-") return index;
    if (!isKnownOption(shape, wrapper)) return undefined;
    if (takesNext(shape, valued, valuedLong)) index++;
  }
  return index;
}

function isKnownOption(
  shape: string,
  { flags = "", valued = "", flagsLong = [], valuedLong = [] }: Wrapper,
): boolean {
  if (shape.startsWith("--")) {
    const [name = ""] = shape.slice(2).split("=", 1);
    return (
      flagsLong.includes(name) || valuedLong.includes(name) || name === "help" || name === "version"
    );
  }
  for (const letter of shape.slice(1)) {
    if (valued.includes(letter)) return true;
    if (!flags.includes(letter)) return false;
  }
  return true;
}

/** The guard does not know where the launched command begins, so it tries every word. */
export function unknownOption(call: Call, inspect: Inspector): void {
  inspect.click(`${call.program} with an option that the guard does not know`);
  inspect.mayRun(call.args);
}
