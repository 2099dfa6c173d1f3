import { hasAnyOption, type OptionName, operandsOf, valuesOfOption } from "./options.ts";
import type { Call } from "./rule.ts";
import { literalWord, type Word } from "./word.ts";

/** What a program changes besides what its rule names as written: for root, all of it counts. */
interface Changer {
  readonly operands?: "all" | "first" | "last";
  /** Options whose values it writes. */
  readonly options?: readonly OptionName[];
  /** With one of these it only reads its operands. */
  readonly unless?: readonly OptionName[];
  /** Letters of options whose value is no operand. */
  readonly valued?: string;
}

const CHANGERS: readonly (readonly [RegExp, Changer])[] = [
  [
    /^(?:gzip|gunzip|bzip2|bunzip2|xz|unxz|lzma|zstd|unzstd|lz4|compress|uncompress|pigz)$/,
    {
      operands: "all",
      options: [{ short: "o" }],
      unless: [
        { short: "c", long: "stdout" },
        { long: "to-stdout" },
        { short: "l", long: "list" },
        { short: "t", long: "test" },
      ],
    },
  ],
  [/^(?:dos2unix|unix2dos|mac2unix|strip|ranlib|shred|mkswap|mkfs(?:\..+)?)$/, { operands: "all" }],
  [/^(?:ed|ex|vi|vim|nvim|nano|pico|emacs|joe|sponge|chattr)$/, { operands: "all" }],
  [/^(?:mknod|script)$/, { operands: "first", valued: "mcEIOBTom" }],
  [/^(?:dpkg-deb|objcopy|ffmpeg|mount)$/, { operands: "last", valued: "iot" }],
  [/^ar$/, { operands: "all" }],
  [/^mktemp$/, { operands: "all", options: [{ short: "p", long: "tmpdir" }], valued: "p" }],
  [/^csplit$/, { options: [{ short: "f", long: "prefix" }] }],
  [
    /^(?:bsd)?tar$/,
    { options: [{ long: "one-top-level" }, { short: "g", long: "listed-incremental" }] },
  ],
  [
    /^cpio$/,
    {
      operands: "all",
      options: [
        { short: "D", long: "directory" },
        { short: "O", long: "file" },
      ],
      valued: "DFIOCMHRE",
    },
  ],
  [
    /^rsync$/,
    {
      options: ["log-file", "backup-dir", "partial-dir", "temp-dir", "write-batch"].map((long) => ({
        long,
      })),
    },
  ],
  [/^ssh-keygen$/, { options: [{ short: "f" }] }],
  [/^gpg2?$/, { options: [{ short: "o", long: "output" }] }],
  [/^(?:strace|ltrace|time)$/, { options: [{ short: "o", long: "output" }] }],
  [
    /^logrotate$/,
    {
      options: [
        { short: "s", long: "state" },
        { short: "l", long: "log" },
      ],
    },
  ],
  [
    /^(?:user(?:add|mod|del)|group(?:add|mod|del)|chpasswd|adduser)$/,
    {
      options: [
        { short: "d", long: "home-dir" },
        { long: "home" },
        { short: "R", long: "root" },
        { short: "P", long: "prefix" },
      ],
    },
  ],
  [/^ldconfig$/, { options: [{ short: "C" }, { short: "r" }] }],
  [/^visudo$/, { options: [{ short: "f", long: "file" }] }],
  [
    /^update-alternatives$/,
    { options: [{ long: "install" }, { long: "altdir" }, { long: "admindir" }] },
  ],
  [
    /^pip[\d.]*$/,
    {
      options: [
        { short: "t", long: "target" },
        { short: "d", long: "dest" },
        { long: "root" },
        { long: "prefix" },
        { short: "w", long: "wheel-dir" },
        { long: "log" },
      ],
    },
  ],
];

/** Words that name files or directories which the call changes. */
export function changedOperands({ program, args }: Call): readonly Word[] {
  if (program === "ln" && operandsOf(args, { valued: "tS" }).length === 1)
    return [literalWord(".")];
  if (/^(?:bsd)?tar$/.test(program))
    return [...archivesWritten(args), ...changersOf(program, args)];
  return changersOf(program, args);
}

function changersOf(program: string, args: readonly Word[]): Word[] {
  const changer = CHANGERS.find(([pattern]) => pattern.test(program))?.[1];
  if (!changer) return [];
  const { operands, options = [], unless = [], valued = "" } = changer;
  const values = options.flatMap((option) => valuesOfOption(args, option));
  if (operands === undefined || hasAnyOption(args, unless)) return values;
  const named = operandsOf(args, { valued });
  if (operands === "all") return [...values, ...named];
  return [...values, ...(operands === "first" ? named.slice(0, 1) : named.slice(-1))];
}

/** `tar cf`, `-r`, `-u`, `-A` and `--delete` change the archive; listing and unpacking do not. */
function archivesWritten(args: readonly Word[]): readonly Word[] {
  const [first] = args;
  const isBare = first !== undefined && !first.shape.startsWith("-");
  const words = isBare ? [literalWord(`-${first.shape}`), ...args.slice(1)] : args;
  const onlyReads = hasAnyOption(words, [
    { short: "x", long: "extract" },
    { long: "get" },
    { short: "t", long: "list" },
    { short: "d", long: "diff" },
    { long: "compare" },
  ]);
  return onlyReads && !hasAnyOption(words, [{ long: "delete" }])
    ? []
    : valuesOfOption(words, { short: "f", long: "file" });
}
