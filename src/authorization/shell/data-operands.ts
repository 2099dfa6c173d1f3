import { fileOperands, isKnownProgram, onlyPrintsFiles } from "./known-programs.ts";
import { valuesOfOption } from "./options.ts";
import { absoluteShapes } from "./paths.ts";
import type { Call } from "./rule.ts";
import { hasMarks, isUnknown, type Word } from "./word.ts";

/** The options that are understood; a call with any other is left alone. */
interface Options {
  readonly flags?: string;
  /** Letters of options whose value follows. */
  readonly valued?: string;
  readonly longFlags?: readonly string[];
  readonly longValued?: readonly string[];
}

interface Parsed {
  readonly operands: readonly Word[];
  readonly given: ReadonlySet<string>;
}

/** A program that does the same with a copy of a file that has the same name, bytes, mode, owner and time. */
interface Reader extends Options {
  /** Which operands are files that it only reads. */
  readonly files: (parsed: Parsed) => readonly Word[];
}

const first = ({ operands }: Parsed) => operands.slice(0, 1);
const sources = ({ operands, given }: Parsed) =>
  given.has("t") || given.has("target-directory") ? operands : operands.slice(0, -1);

const READERS: Readonly<Record<string, Reader>> = {
  cp: {
    flags: "adfiLnPprRTuvx",
    valued: "tS",
    longFlags: [
      ...["archive", "force", "no-clobber", "verbose", "no-target-directory", "recursive"],
      ...["remove-destination", "dereference", "no-dereference", "update"],
    ],
    longValued: ["target-directory", "suffix"],
    files: sources,
  },
  install: {
    flags: "bcCDpTv",
    valued: "gmotS",
    longFlags: ["compare", "preserve-timestamps", "verbose", "no-target-directory"],
    longValued: ["group", "mode", "owner", "target-directory", "suffix"],
    files: sources,
  },
  rsync: {
    flags: "avzrtplogDHAXSnuhcxqPikLKW",
    longFlags: [
      ...["archive", "verbose", "compress", "dry-run", "progress", "stats", "human-readable"],
      ...["recursive", "links", "perms", "times", "owner", "group", "checksum", "update"],
      ...["inplace", "ignore-existing", "existing", "size-only", "mkpath", "itemize-changes"],
    ],
    longValued: ["chown", "chmod"],
    files: sources,
  },
  unzip: { flags: "onqj", valued: "d", files: first },
};

function isFile(word: Word): boolean {
  return word.shape !== "-" && !hasMarks(word);
}

/** Files that the call only reads, at places of the text where a verified copy can stand instead. */
export function dataOperands(call: Call): ReadonlySet<Word> {
  const { program, args, input } = call;
  const redirected = input.file ? [input.file] : [];
  if (program === "tar") return new Set([...redirected, ...extracted(call)]);
  if (onlyPrintsFiles(call)) return new Set([...redirected, ...fileOperands(call).filter(isFile)]);
  const reader = Object.hasOwn(READERS, program) ? READERS[program] : undefined;
  const parsed = reader && parse(args, reader);
  return new Set([...redirected, ...(parsed ? reader.files(parsed) : [])]);
}

/** `tar -C DIRECTORY -xzf ARCHIVE …`, `tar xf ARCHIVE`, `tar --extract --file ARCHIVE`: not where it writes the archive. */
function extracted(call: Call): readonly Word[] {
  const { args } = call;
  if (!isKnownProgram(call) || args.some(hasMarks)) return [];
  const [bundle] = args;
  const isOld = /^[A-Za-z]+$/.test(bundle?.shape ?? "");
  const clusters = args.map(({ shape }) => /^-([A-Za-z]+)$/.exec(shape)?.[1] ?? "");
  const letters = clusters.join("") + (isOld ? bundle?.shape : "");
  const names = args.map(({ shape }) => shape);
  const reads = /[xt]/.test(letters) || names.some((name) => /^--(?:extract|get|list)$/.test(name));
  const writes =
    /[crudAg]/.test(letters) ||
    names.some((name) => /^--(?:create|append|update|delete|listed)/.test(name));
  if (!reads || writes) return [];
  if (!isOld) return [...valuesOfOption(args, { short: "f", long: "file" })].filter(isWhole(args));
  // The values of old-style letters follow in the letters' order.
  const valued = [...(bundle?.shape ?? "")].filter((letter) => "fCXb".includes(letter));
  const archive = valued.includes("f") ? args[1 + valued.indexOf("f")] : undefined;
  return archive ? [archive] : [];
}

/** Not a part of a word, for which no copy can stand. */
function isWhole(args: readonly Word[]): (word: Word) => boolean {
  return (word) => args.includes(word);
}

function parse(args: readonly Word[], options: Options): Parsed | undefined {
  const { flags = "", valued = "", longFlags = [], longValued = [] } = options;
  const [operands, given]: [Word[], Set<string>] = [[], new Set()];
  for (let index = 0; index < args.length; index++) {
    const word = args[index] as Word;
    const { shape } = word;
    if (hasMarks(word)) return undefined;
    if (shape === "--") return { operands: [...operands, ...args.slice(index + 1)], given };
    if (!shape.startsWith("-") || shape === "-") operands.push(word);
    else if (shape.startsWith("--")) {
      const [name = ""] = shape.slice(2).split("=", 1);
      const isValued = longValued.includes(name);
      if (!isValued && !longFlags.includes(shape.slice(2))) return undefined;
      given.add(name);
      if (isValued && !shape.includes("=")) index++;
    } else {
      const at = [...shape.slice(1)].findIndex((letter) => !flags.includes(letter));
      const letter = at < 0 ? undefined : shape[at + 1];
      if (letter !== undefined && !valued.includes(letter)) return undefined;
      if (letter !== undefined) given.add(letter);
      if (at === shape.length - 2) index++;
    }
  }
  return { operands, given };
}

/** They change no file but those that their rules name as written. */
const HARMLESS =
  /^(?:cp|install|cat|tac|head|tail|base64|base32|[bx]?zcat|cut|tee|echo|printf|true|false|test|\[|:|cd|pwd|mkdir|ls|stat|id|whoami|systemctl|service|date|sleep|wc|grep|sha256sum|md5sum|diff|cmp|(?:ba|da)?sh|nice|timeout|nohup|command|env)$/;

/**
 * Whether the call may change files that are not among its written paths: then a copy made before would be another
 * file than the one that a later part of the command reads.
 */
export function mayChangeFiles(call: Call): boolean {
  const { program, args } = call;
  if (/^(?:sudo|doas)$/.test(program)) {
    const command = args.findIndex(({ shape }) => !/^(?:-[EHnS]+|--|\w+=.*)$/.test(shape));
    // Another user than root could not read the copy.
    return command < 0 || (args[command]?.shape ?? "-").startsWith("-");
  }
  return !HARMLESS.test(program) && !CHANGES_MODES.test(program) && !onlyPrintsFiles(call);
}

/** A mode that begins with a dash. */
export const TAKES_AWAY = /^-[rwxXst]+(?:,[ugoa]*[-+=][rwxXstugo]*)*$/;

const CHANGES_MODES = /^(?:chmod|chown|chgrp)$/;

/** Files whose mode or owner the call changes, which a copy made before would not have; undefined when unknown. */
export function pathsOfModes({ program, args, directories }: Call): readonly string[] | undefined {
  if (!CHANGES_MODES.test(program)) return [];
  // `chmod -x file`: a mode, not an option.
  const takenAway =
    program === "chmod" ? args.find(({ shape }) => TAKES_AWAY.test(shape)) : undefined;
  const words = args.filter((word) => word !== takenAway);
  const parsed = parse(words, { flags: "RvcfhHLP", longFlags: ["recursive", "verbose"] });
  if (!parsed) return undefined;
  const files = parsed.operands.slice(takenAway ? 0 : 1); // behind the mode or owner
  const paths = files.flatMap(({ shape }) => absoluteShapes(shape, directories));
  return paths.some((shape) => isUnknown({ text: shape, shape })) ? undefined : paths;
}
