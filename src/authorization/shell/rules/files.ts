import { hasAnyOption, hasOption, operandsOf, valuesOfOption } from "../options.ts";
import { asks, type Call, changes, each, type Inspector, type Rule, type Rules } from "../rule.ts";
import { mayBeOptions, UNKNOWN, UNKNOWN_WORDS, type Word } from "../word.ts";

/** All operands are written. */
function writesAll(options: { valued?: string; valuedLong?: string[] } = {}): Rule {
  return ({ args }, inspect) => {
    inspect.medium("writes in the sandbox");
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
  touch: writesAll({ valued: "drt", valuedLong: ["date", "reference", "time"] }),
  mkdir: writesAll({ valued: "mZ", valuedLong: ["mode", "context"] }),
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
  rename: changes("renames files"),
  chmod: permissions,
  chown: permissions,
  chgrp: permissions,
  setfacl: permissions,
  chattr: asks("changes what may be done with files"),
  ...each("split csplit", changes("writes files beside the one it reads")),
  ...each("gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress pigz", compressor),
  tar: archive,
  bsdtar: archive,
  zip,
  unzip: unpack,
  "7z": changes("packs or unpacks files"),
  "7za": changes("packs or unpacks files"),
  unrar: changes("unpacks files"),
  cpio: (call, inspect) => {
    inspect.medium("packs or unpacks files");
    if (hasOption(call.args, { long: "rsh-command" }))
      inspect.high("has cpio start another program");
  },
  ar: changes("writes an archive"),
  find,
};

function removal({ args }: Call, inspect: Inspector, how: { recursive: boolean }): void {
  inspect.medium("removes files");
  if (hasOption(args, { long: "no-preserve-root" })) inspect.high("may remove the root directory");
  for (const path of operandsOf(args)) inspect.deletes(path, how);
}

function move({ args }: Call, inspect: Inspector): void {
  inspect.medium("moves files");
  const targets = valuesOfOption(args, { short: "t", long: "target-directory" });
  const operands = operandsOf(args, { valued: "tS", valuedLong: ["target-directory", "suffix"] });
  for (const path of destinationsOf(operands, targets)) inspect.writes(path);
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
  if (source.shape.includes(UNKNOWN)) return;
  inspect.deletes(source, { recursive: !mayBeOptions(source) });
}

function copyTo({ args }: Call, inspect: Inspector): void {
  inspect.medium("writes in the sandbox");
  const targets = valuesOfOption(args, { short: "t", long: "target-directory" });
  const operands = operandsOf(args, {
    valued: "tSgmo",
    valuedLong: ["target-directory", "suffix", "mode", "owner", "group"],
  });
  for (const path of destinationsOf(operands, targets)) inspect.writes(path);
  if (hasOption(args, { long: "strip-program" })) inspect.high("has install start another program");
}

function permissions({ args, program }: Call, inspect: Inspector): void {
  inspect.medium(`${program} in the sandbox`);
  const [mode, ...paths] = operandsOf(args, { valued: "mMxX", valuedLong: ["reference", "from"] });
  const setsId = /^[ugoa]*[+=][rwxXt]*s|^0?[2467]\d{3}$/.test(mode?.shape ?? "");
  if (program === "chmod" && setsId) inspect.high("makes a program run as its owner");
  for (const path of paths) {
    const recursive = hasOption(args, { short: "R", long: "recursive" });
    if (recursive && path.shape.startsWith(UNKNOWN))
      inspect.high(`${program} of what is only known when it runs`);
    inspect.writes(path);
  }
}

function compressor({ args, program }: Call, inspect: Inspector): void {
  const onlyShows = hasAnyOption(args, [
    { short: "c", long: "stdout" },
    { short: "l", long: "list" },
    { short: "t", long: "test" },
  ]);
  if (!onlyShows) inspect.medium(`${program} replaces files`);
  if (args.some(mayBeOptions))
    inspect.medium(`${program} with options that are only known when it runs`);
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

function archive({ args }: Call, inspect: Inspector): void {
  const [first] = args;
  const mode = first && !first.shape.startsWith("-") ? `-${first.shape}` : "";
  const words = mode ? [{ text: mode, shape: mode }, ...args.slice(1)] : args;
  if (hasAnyOption(words, TAR_STARTS) || hasAnyOption(args, [{ short: "I" }, { short: "F" }]))
    inspect.high("has tar start another program");
  if (hasOption(args, { short: "P", long: "absolute-names" }))
    inspect.high("may unpack outside the workspace");
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
  if (acts || !lists || args.some(mayBeOptions)) inspect.medium("packs or unpacks files");
  for (const directory of valuesOfOption(args, { short: "C", long: "directory" }))
    inspect.writes(directory);
  if (acts && hasOption(words, { short: "c", long: "create" }))
    for (const file of valuesOfOption(words, { short: "f", long: "file" })) inspect.writes(file);
}

function zip({ args }: Call, inspect: Inspector): void {
  inspect.medium("packs files");
  if (args.some(({ shape }) => /^-(?:TT|-unzip-command)/.test(shape)))
    inspect.high("has zip start another program");
  const [file] = operandsOf(args, { valued: "bntx" });
  if (file) inspect.writes(file);
}

function unpack({ args }: Call, inspect: Inspector): void {
  if (!hasAnyOption(args, [{ short: "l" }, { short: "t" }, { short: "Z" }, { short: "v" }]))
    inspect.medium("unpacks files");
  for (const directory of valuesOfOption(args, { short: "d" })) inspect.writes(directory);
}

function patchFiles({ args }: Call, inspect: Inspector): void {
  inspect.medium("changes files");
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
  const roots = given.length > 0 ? given : [{ text: ".", shape: "." }];
  const expression = first < 0 ? [] : args.slice(first);
  if (args.some(mayBeOptions) && expression.length === 0)
    inspect.medium("find with options that are only known when it runs");
  const found = foundBelow(roots, expression);
  for (let index = 0; index < expression.length; index++) {
    const word = expression[index]?.shape ?? "";
    if (FIND_RUNS.has(word)) index = findStarts(expression, index + 1, found, inspect);
    else if (word === "-delete")
      for (const path of found) inspect.deletes(path, { recursive: true });
    else if (/^-f(?:print|ls|print0|printf)$/.test(word) && expression[index + 1])
      inspect.writes(expression[index + 1] as Word);
  }
}

/** With a filter only some of what lies below the starting points; without one, all of it. */
function foundBelow(roots: readonly Word[], expression: readonly Word[]): Word[] {
  const filtered = expression.some(({ shape }, index) => {
    const pattern = expression[index + 1]?.shape ?? "";
    return FIND_TESTS.has(shape) && !/^[*.]*$/.test(pattern);
  });
  return roots.map(({ text, shape }) => ({
    text,
    shape: filtered ? `${shape.replace(/\/$/, "")}/x${UNKNOWN}` : shape,
  }));
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
  inspect.runs(words);
  return end;
}
