import { TAKES_AWAY } from "../data-operands.ts";
import { hasAnyOption, hasOption, operandsOf, valuesOfOption } from "../options.ts";
import { absoluteShapes, type Places, zoneOf } from "../paths.ts";
import { asks, type Call, changes, type Inspector, type Rule, type Rules } from "../rule.ts";
import { isUnknown, literalWord, mayBeOptions, UNKNOWN_WORDS, type Word } from "../word.ts";

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
  mktemp: ({ args }, inspect) => {
    inspect.notes("makes a temporary file");
    const usesTemporary = args.some(({ shape }) => /^-[a-z]*t|^--tmpdir/.test(shape));
    for (const place of valuesOfOption(args, { short: "p" })) inspect.touches(place);
    for (const { text, shape } of args)
      if (shape.startsWith("--tmpdir=")) inspect.touches({ text, shape: shape.slice(9) });
    const [template] = operandsOf(args, { valued: "p", valuedLong: ["suffix"] });
    if (template && !usesTemporary) inspect.touches(template);
  },
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
  chattr: asks("changes file attributes"),
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
    inspect.click("makes install start another program");
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
      inspect.click(`${program} of a path that is known only at run time`);
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

function patchFiles({ args }: Call, inspect: Inspector): void {
  inspect.notes("changes files");
  for (const file of operandsOf(args, { valued: "dpioBDFVYgrz" })) inspect.writes(file);
  for (const directory of valuesOfOption(args, { short: "d", long: "directory" }))
    inspect.writes(directory);
  for (const file of valuesOfOption(args, { short: "o", long: "output" })) inspect.writes(file);
}
