import { TAKES_AWAY } from "../data-operands.ts";
import { hasAnyOption, hasOption, operandsOf, valuesOfOption } from "../options.ts";
import { absoluteShapes, type Places, zoneOf } from "../paths.ts";
import { asks, type Call, changes, each, type Inspector, type Rule, type Rules } from "../rule.ts";
import {
  INSIDE,
  isUnknown,
  literalWord,
  mayBeOptions,
  readable,
  UNKNOWN,
  UNKNOWN_WORDS,
  type Word,
} from "../word.ts";
import { fromNetwork } from "./upstream.ts";

/** All operands are made, or have another mode or date afterwards. */
function touchesAll(options: { valued?: string; valuedLong?: string[] } = {}): Rule {
  return ({ args }, inspect) => {
    inspect.notes("writes in the sandbox");
    for (const path of operandsOf(args, options)) inspect.touches(path);
  };
}

/** All operands are written. */
function writesAll(options: { valued?: string; valuedLong?: string[] } = {}): Rule {
  return ({ args }, inspect) => {
    inspect.notes("writes in the sandbox");
    for (const path of operandsOf(args, options)) inspect.writes(path);
  };
}

export const files: Rules = {
  rm: (call, inspect) =>
    removal(call, inspect, {
      recursive:
        hasOption(call.args, { short: "r", long: "recursive" }) ||
        hasOption(call.args, { short: "R" }),
    }),
  rmdir: (call, inspect) => removal(call, inspect, { recursive: false }),
  unlink: (call, inspect) => removal(call, inspect, { recursive: false }),
  trash: (call, inspect) => removal(call, inspect, { recursive: true }),
  "trash-put": (call, inspect) => removal(call, inspect, { recursive: true }),
  rimraf: (call, inspect) => removal(call, inspect, { recursive: true }),
  del: (call, inspect) => removal(call, inspect, { recursive: true }),
  touch: touchesAll({ valued: "drt", valuedLong: ["date", "reference", "time"] }),
  mkdir: touchesAll({ valued: "mZ", valuedLong: ["mode", "context"] }),
  mkfifo: writesAll({ valued: "m" }),
  mktemp: changes("makes a temporary file"),
  tee: writesAll(),
  sponge: writesAll(),
  truncate: writesAll({ valued: "sr", valuedLong: ["size", "reference"] }),
  fallocate: writesAll({ valued: "lo" }),
  patch: patchFiles,
  mv: move,
  cp: copyTo,
  install: copyTo,
  ln: copyTo,
  link: copyTo,
  rename: ({ args }, inspect) => {
    inspect.notes("renames files");
    for (const path of operandsOf(args).slice(1)) inspect.writes(path);
  },
  chmod: permissions,
  chown: permissions,
  chgrp: permissions,
  setfacl: permissions,
  chattr: asks("changes what may be done with files"),
  split: (call, inspect) => {
    inspect.notes("writes files beside the one it reads");
    for (const code of valuesOfOption(call.args, { long: "filter" }))
      inspect.runsCode(code, "split --filter");
    const [, prefix] = operandsOf(call.args, {
      valued: "abClntdu",
      valuedLong: ["suffix-length", "bytes", "line-bytes", "lines", "number", "additional-suffix"],
    });
    if (prefix) inspect.writes({ ...prefix, shape: `${prefix.shape}aa` });
  },
  csplit: changes("writes files beside the one it reads"),
  ...each("gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress pigz", compressor),
  tar: archive,
  bsdtar: archive,
  zip,
  unzip: unpack,
  ...each("7z 7za 7zz 7zr", ({ args }, inspect) => {
    inspect.notes("packs or unpacks files");
    const [, , ...packed] = operandsOf(args);
    if (args.some(({ shape }) => /^-sdel/i.test(shape))) removesPacked(packed, inspect);
    for (const { text, shape } of args)
      if (/^-o./.test(shape)) inspect.writes({ text, shape: shape.slice(2) });
  }),
  ...each("rar arj lha zoo arc", ({ args }, inspect) => {
    inspect.notes("packs or unpacks files");
    const [verb, , ...packed] = operandsOf(args);
    const moves =
      /^m|M/.test(verb?.shape ?? "") || args.some(({ shape }) => /^-d[fr]$/.test(shape));
    if (moves) removesPacked(packed, inspect);
  }),
  unrar: changes("unpacks files"),
  cpio: (call, inspect) => {
    inspect.notes("packs or unpacks files");
    if (hasOption(call.args, { long: "rsh-command" }))
      inspect.click("has cpio start another program");
  },
  ar: changes("writes an archive"),
  find,
};

function removal({ args }: Call, inspect: Inspector, how: { recursive: boolean }): void {
  inspect.notes("removes files");
  if (hasOption(args, { long: "no-preserve-root" })) inspect.click("may remove the root directory");
  for (const path of operandsOf(args)) inspect.deletes(path, how);
}

function move({ args }: Call, inspect: Inspector): void {
  inspect.notes("moves files");
  const targets = valuesOfOption(args, { short: "t", long: "target-directory" });
  const operands = operandsOf(args, { valued: "tS", valuedLong: ["target-directory", "suffix"] });
  copies(operands, destinationsOf(operands, targets), inspect);
  for (const source of targets[0] ? operands : operands.slice(0, -1)) movesAway(source, inspect);
}

/** The last operand, unless more may follow: then any of them can be the last. */
function destinationsOf(operands: readonly Word[], targets: readonly Word[]): readonly Word[] {
  if (targets.length > 0) return targets;
  if (operands.some(({ shape }) => shape.includes(UNKNOWN_WORDS))) return operands;
  return operands.length > 1 ? operands.slice(-1) : [];
}

/** Moving is removing, except that an unknown file can be found again. */
function movesAway(source: Word, inspect: Inspector): void {
  if (isUnknown(source)) return;
  inspect.deletes(source, { recursive: !mayBeOptions(source) });
}

function copyTo({ args, program }: Call, inspect: Inspector): void {
  inspect.notes("writes in the sandbox");
  const targets = valuesOfOption(args, { short: "t", long: "target-directory" });
  const operands = operandsOf(args, {
    valued: "tSgmo",
    valuedLong: ["target-directory", "suffix", "mode", "owner", "group"],
  });
  const makesDirectories =
    program === "install" && hasOption(args, { short: "d", long: "directory" });
  if (makesDirectories) for (const path of operands) inspect.touches(path);
  else copies(operands, destinationsOf(operands, targets), inspect);
  const links = hasOption(args, { short: "s", long: "symbolic" });
  if (/^(?:ln|link)$/.test(program) || (program === "cp" && (links || isLinking(args))))
    makesLinks(operands, targets, inspect);
  if (hasOption(args, { long: "strip-program" }))
    inspect.click("has install start another program");
}

function isLinking(args: readonly Word[]): boolean {
  return hasAnyOption(args, [{ long: "symbolic-link" }, { short: "l", long: "link" }]);
}

/** The copies stand under their own names, or in a directory under those of what was copied. */
function copies(
  operands: readonly Word[],
  destinations: readonly Word[],
  inspect: Inspector,
): void {
  for (const path of destinations) {
    const sources = operands.filter((operand) => operand !== path);
    inspect.touches(path, sources);
    for (const source of sources) inspect.mayWrite(inDirectory(path, source), source);
  }
}

/** `ln -s TARGET`, `ln -s TARGET LINK`, `ln -s TARGET … DIRECTORY`, `ln -st DIRECTORY TARGET …` */
function makesLinks(operands: readonly Word[], targets: readonly Word[], inspect: Inspector): void {
  const [directory] = targets;
  if (operands.length === 1 && !directory)
    for (const target of operands) inspect.links(inDirectory(literalWord("."), target), target);
  const path = directory ?? (operands.length > 1 ? operands.at(-1) : undefined);
  if (!path) return;
  for (const target of operands) {
    if (target === path) continue;
    if (!directory) inspect.links(path, target);
    if (!/(?:^|\/)\.{0,2}\/*$/.test(target.shape)) inspect.links(inDirectory(path, target), target);
  }
}

function inDirectory(directory: Word, { text, shape }: Word): Word {
  const name = shape.replace(/\/+$/, "");
  return { text, shape: `${directory.shape}/${name.slice(name.lastIndexOf("/") + 1)}` };
}

function permissions({ args, program, directories }: Call, inspect: Inspector): void {
  inspect.notes(`${program} in the sandbox`);
  const operands = operandsOf(args, { valued: "mMxX", valuedLong: ["reference", "from"] });
  const [mode] = operands;
  const isModeElsewhere =
    program === "setfacl" ||
    hasOption(args, { long: "reference" }) ||
    (program === "chmod" && args.some(({ shape }) => TAKES_AWAY.test(shape)));
  const paths = isModeElsewhere ? operands : operands.slice(1);
  const setsId = /^[ugoa]*[+=][rwxXt]*s|^0?[2467]\d{3}$/.test(mode?.shape ?? "");
  if (program === "chmod" && setsId) inspect.click("makes a program run as its owner");
  for (const path of paths) {
    const recursive = hasOption(args, { short: "R", long: "recursive" });
    if (recursive && isUnknownPlace(path, directories, inspect))
      inspect.click(`${program} of what is only known when it runs`);
    inspect.touches(path);
    if ((recursive || inspect.asRoot) && isOutside(path, directories, inspect))
      inspect.phrase(`${program} outside the workspace`);
  }
}

function isUnknownPlace(path: Word, directories: readonly string[], places: Places): boolean {
  return absoluteShapes(path.shape, directories).some(
    (shape) => zoneOf(shape, places) === "unknown",
  );
}

/** Whether a path lies, or may lie, outside of what the workspace's user has. */
function isOutside(path: Word, directories: readonly string[], places: Places): boolean {
  return absoluteShapes(path.shape, directories).some((shape) =>
    /^(?:outside|device)$/.test(zoneOf(shape, places)),
  );
}

function compressor({ args, program }: Call, inspect: Inspector): void {
  const onlyShows = hasAnyOption(args, [
    { short: "c", long: "stdout" },
    { short: "l", long: "list" },
    { short: "t", long: "test" },
  ]);
  if (!onlyShows) inspect.notes(`${program} replaces files`);
  if (args.some(mayBeOptions))
    inspect.notes(`${program} with options that are only known when it runs`);
}

const TAR_STARTS = [
  "to-command",
  "checkpoint-action",
  "use-compress-program",
  "rsh-command",
  "rmt-command",
  "info-script",
  "new-volume-script",
].map((long) => ({ long }));

function archive({ args, input }: Call, inspect: Inspector): void {
  const [first] = args;
  const mode = first && !first.shape.startsWith("-") ? `-${first.shape}` : "";
  const words = mode ? [{ text: mode, shape: mode }, ...args.slice(1)] : args;
  if (hasAnyOption(words, TAR_STARTS) || hasAnyOption(args, [{ short: "I" }, { short: "F" }]))
    inspect.click("has tar start another program");
  if (hasOption(args, { short: "P", long: "absolute-names" }))
    inspect.click("may unpack outside the workspace");
  const lists = hasOption(words, { short: "t", long: "list" });
  const acts = hasAnyOption(words, [
    { short: "x", long: "extract" },
    { long: "get" },
    { short: "c", long: "create" },
    { short: "r", long: "append" },
    { short: "u", long: "update" },
    { short: "A" },
    { long: "delete" },
  ]);
  if (acts || !lists || args.some(mayBeOptions)) inspect.notes("packs or unpacks files");
  const directories = valuesOfOption(args, { short: "C", long: "directory" });
  for (const directory of directories) inspect.writes(directory);
  if (hasOption(args, { long: "remove-files" })) {
    const packed = operandsOf(words, { valued: "fCbTXgKNHV", valuedLong: ["file", "directory"] });
    removesPacked(directories.length > 0 ? directories : packed, inspect);
  }
  if (hasAnyOption(args, [{ long: "recursive-unlink" }]))
    removesPacked(directories.length > 0 ? directories : [literalWord(".")], inspect);
  const isUnpacked = hasAnyOption(words, [{ short: "x", long: "extract" }, { long: "get" }]);
  const files = valuesOfOption(words, { short: "f", long: "file" });
  if (isUnpacked && (fromNetwork(input) || files.some((file) => inspect.cameFromElsewhere(file))))
    inspect.downloads(undefined);
  if (acts && hasOption(words, { short: "c", long: "create" }))
    for (const file of valuesOfOption(words, { short: "f", long: "file" })) inspect.writes(file);
}

/** Archivers that delete what they have packed delete directories whole. */
function removesPacked(paths: readonly Word[], inspect: Inspector): void {
  for (const path of paths) inspect.deletes(path, { recursive: true });
}

function zip({ args }: Call, inspect: Inspector): void {
  inspect.notes("packs files");
  const [, ...packed] = operandsOf(args, { valued: "bntx" });
  if (hasOption(args, { short: "m", long: "move" })) removesPacked(packed, inspect);
  if (args.some(({ shape }) => /^-(?:TT|-unzip-command)/.test(shape)))
    inspect.click("has zip start another program");
  const [file] = operandsOf(args, { valued: "bntx" });
  if (file) inspect.writes(file);
}

function unpack({ args }: Call, inspect: Inspector): void {
  if (!hasAnyOption(args, [{ short: "l" }, { short: "t" }, { short: "Z" }, { short: "v" }]))
    inspect.notes("unpacks files");
  for (const directory of valuesOfOption(args, { short: "d" })) inspect.writes(directory);
  if (operandsOf(args, { valued: "d" }).some((file) => inspect.cameFromElsewhere(file)))
    inspect.downloads(undefined);
}

function patchFiles({ args }: Call, inspect: Inspector): void {
  inspect.notes("changes files");
  for (const file of operandsOf(args, { valued: "dpioBDFVYgrz" })) inspect.writes(file);
  for (const directory of valuesOfOption(args, { short: "d", long: "directory" }))
    inspect.writes(directory);
  for (const file of valuesOfOption(args, { short: "o", long: "output" })) inspect.writes(file);
}

/** Tests that pick files by what they are called. An age or a size picks anything. */
const FIND_TESTS = new Set([
  "-name",
  "-iname",
  "-path",
  "-ipath",
  "-wholename",
  "-regex",
  "-iregex",
  "-empty",
]);
const FIND_RUNS = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

/** What find finds below its starting points becomes part of the programs it starts. */
function find({ args }: Call, inspect: Inspector): void {
  const first = args.findIndex(({ shape }) => /^[-(!]/.test(shape) && !/^-[HLPOD]/.test(shape));
  const given = args
    .slice(0, first < 0 ? args.length : first)
    .filter(({ shape }) => !shape.startsWith("-"));
  const expression = first < 0 ? [] : args.slice(first);
  const unknownRoots = expression.some(({ shape }) => shape.startsWith("-files0-from"));
  const named = given.length > 0 ? given : [{ text: ".", shape: "." }];
  const roots = unknownRoots ? [{ text: "", shape: UNKNOWN_WORDS }] : named;
  if (args.some(mayBeOptions) && expression.length === 0)
    inspect.notes("find with options that are only known when it runs");
  const found = foundBelow(roots, expression);
  for (let index = 0; index < expression.length; index++) {
    const word = expression[index]?.shape ?? "";
    if (FIND_RUNS.has(word)) index = findStarts(expression, index + 1, found, inspect);
    else if (word === "-delete")
      for (const path of found) inspect.deletes(path, { recursive: true });
    else if (word.startsWith("-files0-from"))
      inspect.notes("find with starting points that are only known when it runs");
    else if (/^-f(?:print|ls|print0|printf)$/.test(word) && expression[index + 1])
      inspect.writes(expression[index + 1] as Word);
  }
}

/** Operators that make more match than the tests in front of an action say. */
const FIND_WIDENS = new Set(["!", "-not", "-o", "-or", ",", "-true", "-prune"]);

/**
 * With a filter only some of what lies below the starting points; without one, all of it. Only tests by name before
 * the first action count, and none where an operator turns them round.
 */
function foundBelow(roots: readonly Word[], expression: readonly Word[]): Word[] {
  const action = expression.findIndex(
    ({ shape }) => FIND_RUNS.has(shape) || shape === "-delete" || shape === "-fprint",
  );
  const tests = action < 0 ? expression : expression.slice(0, action);
  const prunedDirectly =
    tests.at(-1)?.shape === "-prune" &&
    !tests.some(({ shape }) => /^(?:!|-not|-o|-or|,)$/.test(shape));
  const alternatives = tests.some(({ shape }) => shape === "(") && !tests.some(isWidening);
  const widened =
    tests.some(({ shape }) => FIND_WIDENS.has(shape)) && !prunedDirectly && !alternatives;
  const filtered = tests.some(({ shape }, index) => {
    const pattern = tests[index + 1]?.shape ?? "";
    return (
      shape === "-empty" ||
      (FIND_TESTS.has(shape) && /[A-Za-z0-9_-]{1}/.test(withoutClasses(pattern)))
    );
  });
  return roots.map(({ text, shape }) => ({
    text,
    shape: filtered && !widened ? `${shape.replace(/\/$/, "")}/x${INSIDE}` : shape,
  }));
}

/** Inside parentheses `-o` lists names; everything else that widens does so there, too. */
function isWidening({ shape }: Word): boolean {
  return FIND_WIDENS.has(shape) && shape !== "-o" && shape !== "-or";
}

/** What a pattern demands: `*`, `./*`, `.*` and `[a-z]*` demand nothing. */
function withoutClasses(pattern: string): string {
  return readable(pattern)
    .replaceAll(/\[[^\]]*\]/g, "")
    .replace(/^\.\/|^\.(?=\*)/, "");
}

function findStarts(
  expression: readonly Word[],
  from: number,
  found: readonly Word[],
  inspect: Inspector,
): number {
  const length = expression.slice(from).findIndex(({ shape }) => shape === ";" || shape === "+");
  const end = length < 0 ? expression.length : from + length;
  const words = expression.slice(from, end).flatMap((word) => {
    if (word.shape === "{}") return found;
    return [{ text: word.text, shape: word.shape.replaceAll("{}", UNKNOWN) }];
  });
  // However small each deletion is, together they are one of a whole tree.
  if (/^(?:.*\/)?(?:rm|unlink|shred)$/.test(words[0]?.shape ?? ""))
    for (const path of found) inspect.deletes(path, { recursive: true });
  inspect.runs(words);
  return end;
}
