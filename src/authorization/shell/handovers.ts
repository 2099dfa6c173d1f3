import { absoluteRoutes } from "./paths.ts";
import type { Call } from "./rule.ts";
import { isUnknown, readable, UNKNOWN, type Word } from "./word.ts";

/** A path that the workload may write to from then on: it, or only what lies in it. */
interface Given {
  readonly path: string;
  readonly isInside: boolean;
}

/** What one call of root does about who may write where. */
interface Step {
  readonly segment: string;
  readonly given: readonly Given[];
  /** "looks": at its paths, or makes them; "rights": says who may write to them. */
  readonly does: "looks" | "rights" | "anything";
  readonly paths: readonly string[];
  readonly directories: readonly string[];
}

/** An owner or a mode that the text does not tell may be the workload's. */
const IS_WORKLOADS = /(?:^|[:.+])(?:agent|1000)(?=$|[:.,])/;
const OPEN_MODE = /^0*[0-7]*[2367]$|(?:^|,)[ugoa]*[oa][ugoa]*[-+=][rxXst]*w|(?:^|,)[+=][rxXst]*w/;
/** Everything that is made from then on can be written by all. */
const OPEN_MASK = /^[0-7]*[0145]$|(?:^|,)[ugoa]*[oa][ugoa]*[+=][rx]*w/;
const ONLY_LOOKS =
  /^(?:ls|stat|test|\[|echo|printf|true|false|:|cd|pushd|popd|pwd|du|df|id|sleep|mkdir|getfacl|namei|readlink|realpath|basename|dirname|exit|set|wait|date|sudo|doas|env|nice|timeout|nohup|command|time)$/;
const SETS_RIGHTS = /^(?:chown|chgrp|chmod|setfacl)$/;
/** Its parts run again, so that what stands before a call may also come behind it. */
const REPEATS = /(?:^|[^\w-])(?:for|while|until|select|xargs|parallel|find|fd|watch)(?![\w-])/;

/**
 * Who gets what in a command of root. What root does in a directory that the same command has given to the workload
 * is checked by nobody: the directory was root's when the card was made, and when the command started.
 */
export class Handovers {
  readonly #steps: Step[] = [];

  call(call: Call): void {
    const { program, segment, directories } = call;
    const [given, does, paths] = [givenBy(call), doneBy(program), pathsOf(call)];
    this.#steps.push({ segment, given, does, paths, directories });
  }

  /** A redirection. */
  writes(path: Word, directories: readonly string[]): void {
    const paths = routesOf([path], directories);
    this.#steps.push({ segment: path.text, given: [], does: "anything", paths, directories: [] });
  }

  /** A path that is given away, and what root does there afterwards. */
  usedAfter(text: string): { readonly path: string; readonly segment: string } | undefined {
    const repeats = REPEATS.test(text);
    for (const [index, { given }] of this.#steps.entries())
      for (const one of given) {
        const later = this.#steps.find(
          (step, at) => (repeats ? at !== index : at > index) && uses(step, one),
        );
        if (later) return { path: readable(one.path), segment: later.segment };
      }
    return undefined;
  }
}

function doneBy(program: string): Step["does"] {
  if (ONLY_LOOKS.test(program)) return "looks";
  return SETS_RIGHTS.test(program) ? "rights" : "anything";
}

function uses({ does, paths, directories }: Step, { path, isInside }: Given): boolean {
  if (does === "looks") return false;
  const root = path === "/" ? "" : path;
  const isBelow = (one: string) => one.startsWith(`${root}/`);
  const isDeeper = (one: string) => isBelow(one) && one.slice(root.length + 1).includes("/");
  // What lies in a directory of root's cannot be replaced, only changed.
  if (does === "rights") return paths.some(isInside ? isDeeper : isBelow);
  if (isUnknown({ text: path, shape: path })) return true;
  const isThere = (one: string) => one === path || isBelow(one);
  return directories.some(isThere) || paths.some(isInside ? isBelow : isThere);
}

/** Its words, and what stands in them behind an equals sign or a letter of an option. */
function pathsOf({ written, args, input, directories }: Call): string[] {
  const program = written.includes("/") ? [{ text: written, shape: written }] : [];
  const words = [...program, ...args, ...(input.file ? [input.file] : [])].flatMap(
    ({ text, shape }) =>
      [shape, shape.slice(shape.indexOf("=") + 1), shape.replace(/^-[a-zA-Z]/, "")].map((one) => ({
        text,
        shape: one,
      })),
  );
  return routesOf(words, directories);
}

function routesOf(words: readonly Word[], directories: readonly string[]): string[] {
  return words.flatMap(({ shape }) =>
    absoluteRoutes(shape, directories).map((route) => route.replace(/(?<=.)\/+$/, "")),
  );
}

function givenBy(call: Call): Given[] {
  const { program, args, directories } = call;
  const self = (paths: readonly Word[]) =>
    routesOf(paths, directories).map((path) => ({ path, isInside: false }));
  const words = args.filter(({ shape }) => !shape.startsWith("-"));
  const [first, ...others] = words;
  switch (program) {
    case "chown":
    case "chgrp":
      if (hasReference(args)) return self(words);
      return mayBe(first, IS_WORKLOADS) ? self(others) : [];
    case "chmod":
      if (hasReference(args)) return self(words);
      return mayBe(first, OPEN_MODE) ? self(others) : [];
    case "setfacl":
      return args.some((word) =>
        mayBe(word, /(?:agent|1000|\bo(?:ther)?:*):[rx-]*w|^--(?:set|restore)/),
      )
        ? self(words.slice(-1))
        : [];
    case "umask":
      return mayBe(first, OPEN_MASK) ? [{ path: UNKNOWN, isInside: false }] : [];
    case "mkdir":
    case "install":
      return opensWhatItMakes(args) ? self(words) : [];
    case "cp":
    case "rsync":
    case "tar":
    case "cpio":
      return keepsOwners(program, args)
        ? routesOf(places(program, args, words), directories).map((path) => ({
            path,
            isInside: true,
          }))
        : [];
    default:
      return [];
  }
}

/** A reference has the owner and the mode of a file, which may be the workload's. */
function hasReference(args: readonly Word[]): boolean {
  return args.some(({ shape }) => /^--ref/.test(shape));
}

function mayBe(word: Word | undefined, pattern: RegExp): boolean {
  return word !== undefined && (isUnknown(word) || pattern.test(readable(word.shape)));
}

function opensWhatItMakes(args: readonly Word[]): boolean {
  return args.some(({ shape }, index) => {
    const [, letter, attached] =
      /^-[a-zA-Z]*([mog])(.*)$|^--(?:mode|owner|group)=(.*)$/.exec(shape) ?? [];
    if (letter === undefined && !/^--(?:mode|owner|group)/.test(shape)) return false;
    const value = shape.startsWith("--")
      ? shape.slice(shape.indexOf("=") + 1)
      : attached || (args[index + 1]?.shape ?? "");
    const word = { text: value, shape: value };
    return mayBe(word, letter === "m" || shape.startsWith("--mode") ? OPEN_MODE : IS_WORKLOADS);
  });
}

/** `cp -a`, `rsync -a`, `tar x` as root: what belonged to the workload still does. */
function keepsOwners(program: string, args: readonly Word[]): boolean {
  const has = (pattern: RegExp) => args.some(({ shape }) => pattern.test(shape));
  if (program === "tar")
    return has(/^-?[a-zA-Z]*x|^--(?:extract|get)$/) && !has(/^--no-same-owner$/);
  if (program === "rsync")
    return has(/^-[a-zA-Z]*[ao]|^--(?:archive|owner)$/) && !has(/^--(?:no-o|no-owner|chown=root)/);
  if (program === "cpio") return has(/^-[a-zA-Z]*[ip]/);
  return has(/^-[a-zA-Z]*[ap]|^--(?:archive|preserve)/) && !has(/^--no-preserve=.*ownership/);
}

/** Where the copies go: the last operand, or the value of an option. */
function places(program: string, args: readonly Word[], words: readonly Word[]): readonly Word[] {
  const at = args.findIndex(({ shape }) =>
    /^(?:-C|-t|--directory|--target-directory)$/.test(shape),
  );
  const attached = args.flatMap(({ text, shape }) => {
    const [, value] = /^(?:--(?:target-)?directory=|-[Ct](?=\/))(.+)$/s.exec(shape) ?? [];
    return value === undefined ? [] : [{ text, shape: value }];
  });
  const named = [...attached, ...(args[at + 1] && at >= 0 ? [args[at + 1] as Word] : [])];
  if (named.length > 0) return named;
  return program === "tar" || program === "cpio" ? [{ text: ".", shape: "." }] : words.slice(-1);
}
