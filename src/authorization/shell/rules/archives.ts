import { hasAnyOption, hasOption, operandsOf, valuesOfOption } from "../options.ts";
import { type Call, each, type Inspector, type Rules } from "../rule.ts";
import { literalWord, mayBeOptions, type Word } from "../word.ts";
import { fromNetwork } from "./upstream.ts";

/** Programs that pack, unpack and compress. */
export const archives: Rules = {
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
  ...each("rar unrar arj lha lharc zoo arc ace unace unarj", oldArchive),
  ...each("unar cabextract unshield innoextract dtrx atool aunpack ouch patool unp", unpacksInto),
  cpio: (call, inspect) => {
    inspect.notes("packs or unpacks files");
    const copies = hasOption(call.args, { short: "p", long: "pass-through" });
    const places = copies ? operandsOf(call.args, { valued: "DFIOCMHRE" }).slice(-1) : [];
    for (const place of [
      ...places,
      ...valuesOfOption(call.args, { short: "D", long: "directory" }),
    ])
      inspect.writes(place);
    if (hasOption(call.args, { long: "rsh-command" }))
      inspect.click("makes cpio start another program");
  },
  ar: ({ args }, inspect) => {
    const [mode, archived] = args.filter(({ shape }) => !/^--\w/.test(shape));
    if (/^-?[pt]/.test(mode?.shape ?? "")) return;
    inspect.notes("writes an archive");
    if (archived && !/^-?x/.test(mode?.shape ?? "")) inspect.outputs(archived);
  },
};

function compressor({ args, program }: Call, inspect: Inspector): void {
  const onlyShows = hasAnyOption(args, [
    { short: "c", long: "stdout" },
    { short: "l", long: "list" },
    { short: "t", long: "test" },
  ]);
  if (!onlyShows) inspect.notes(`${program} replaces files`);
  if (args.some(mayBeOptions))
    inspect.notes(`${program} with options that are known only at run time`);
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
  // `--checkpoint` is an option of its own, and no short form of the one that starts programs.
  const others = words.filter(({ shape }) => !/^--checkpoint(?:=|$)/.test(shape));
  if (hasAnyOption(others, TAR_STARTS) || hasAnyOption(args, [{ short: "I" }, { short: "F" }]))
    inspect.click("makes tar start another program");
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
    inspect.click("makes zip start another program");
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

/** `arj e x DIRECTORY/`, `unrar x a.rar DIRECTORY/`: what follows the archive is packed, or a place to unpack to. */
function oldArchive({ args }: Call, inspect: Inspector): void {
  inspect.notes("packs or unpacks files");
  const [verb, , ...others] = operandsOf(args);
  const moves = /^m|M/.test(verb?.shape ?? "") || args.some(({ shape }) => /^-d[fr]$/.test(shape));
  if (moves) removesPacked(others, inspect);
  if (!/^-?[exi]/i.test(verb?.shape ?? "")) return;
  for (const path of others) if (/\/$|^\//.test(path.shape)) inspect.writes(path);
  for (const { text, shape } of args) {
    const [, directory] = /^(?:-o[pr]?|-ht|[ex]?w=)(\/.+)$/.exec(shape) ?? [];
    if (directory !== undefined) inspect.writes({ text, shape: directory });
  }
}

const PLACES = [
  { short: "d", long: "directory" },
  { short: "o", long: "output-directory" },
  { short: "X", long: "extract-to" },
  { long: "outdir" },
  { long: "output-dir" },
  { long: "dir" },
];

function unpacksInto({ args }: Call, inspect: Inspector): void {
  inspect.notes("packs or unpacks files");
  for (const name of PLACES)
    for (const directory of valuesOfOption(args, name)) inspect.writes(directory);
}
