import { hasAnyOption, type OptionName, operandsOf, valuesOfOption } from "../options.ts";
import { type Call, each, type Inspector, onlyReads, type Rule, type Rules } from "../rule.ts";
import { LOOKS_FOR_SECRETS } from "../secrets.ts";
import { INSIDE, literalWord, mayBeOptions, type Word } from "../word.ts";
import { printedTexts } from "./upstream.ts";

/** Options of a reading program that make it do more. */
interface Exceptions {
  /** Take a file to write. */
  readonly writes?: readonly OptionName[];
  /** Change something that is not named by a path. */
  readonly changes?: readonly OptionName[];
  /** Take a program to start: asked for, since nobody expects that of them. */
  readonly starts?: readonly OptionName[];
}

/** Reads, unless one of its dangerous options is there, or something unknown stands where an option may. */
function readsExcept({ writes = [], changes = [], starts = [] }: Exceptions): Rule {
  return ({ args, program }, inspect) => {
    if (args.some(mayBeOptions))
      inspect.notes(`${program} with options that are known only at run time`);
    if (
      hasAnyOption(
        args,
        starts.filter((name) => !isPlainPager(args, name)),
      )
    )
      inspect.click(`makes ${program} start another program`);
    if (hasAnyOption(args, changes))
      inspect.notes(`${program} with an option that changes something`);
    for (const name of writes) for (const path of valuesOfOption(args, name)) inspect.writes(path);
  };
}

/** `man -P cat`: a pager that only shows text is as good as none. */
function isPlainPager(args: readonly Word[], name: OptionName): boolean {
  const pagers = valuesOfOption(args, name);
  return (
    pagers.length > 0 && pagers.every(({ shape }) => /^(?:cat|less|more|head|tail|)$/.test(shape))
  );
}

/** No option of these writes, and none starts a program. */
const PLAIN = `
  ls dir vdir cat tac head tail wc nl pwd which whereis whoami id groups users who w uname arch nproc uptime free df du
  stat basename dirname realpath readlink pathchk cut tr rev fold fmt expand unexpand paste join comm cmp diff diff3
  column seq sleep usleep true false expr cal ncal tty logname hostid getent getconf locale lscpu lsblk lsmem lsns lsipc lsmod
  lspci lsusb lsof pgrep pidof pstree vmstat iostat mpstat sar netstat md5sum sha1sum sha224sum sha256sum
  sha384sum sha512sum b2sum cksum sum od hexdump strings readelf c++filt
 zcat bzcat xzcat zstdcat whatis apropos look tsort numfmt base64 base32 basenc dircolors last lastlog getfacl
  lsattr namei mountpoint findmnt envsubst pr ptx cloc tokei scc apt-cache dpkg-query pkg-config lsb_release
  times caller jobs dirs type help : ipcs zgrep zegrep zfgrep zdiff zcmp
  xzgrep bzgrep 
`.trim();

const EXCEPTIONS: Readonly<Record<string, Exceptions>> = {
  sort: { writes: [{ short: "o", long: "output" }], starts: [{ long: "compress-program" }] },
  shuf: { writes: [{ short: "o", long: "output" }] },
  tree: { writes: [{ short: "o" }] },
  iconv: { writes: [{ short: "o", long: "output" }] },
  sdiff: { writes: [{ short: "o", long: "output" }], starts: [{ long: "diff-program" }] },
  file: { changes: [{ short: "C", long: "compile" }] },
  dmesg: {
    changes: [
      { short: "C", long: "clear" },
      { short: "c", long: "read-clear" },
    ],
  },
  journalctl: {
    changes: [
      { long: "vacuum-size" },
      { long: "vacuum-time" },
      { long: "rotate" },
      { long: "flush" },
      { long: "setup-keys" },
    ],
  },
  ack: { starts: [{ long: "pager" }] },
  bat: { starts: [{ long: "pager" }] },
  batcat: { starts: [{ long: "pager" }] },
  man: {
    starts: [{ short: "P", long: "pager" }, { short: "H", long: "html" }, { long: "preprocessor" }],
  },
  info: { writes: [{ short: "o", long: "output" }] },
  ...Object.fromEntries(
    ["nm", "objdump", "size", "addr2line"].map((name) => [name, { starts: [{ long: "plugin" }] }]),
  ),
  ss: { writes: [{ short: "D", long: "diag" }], changes: [{ short: "K", long: "kill" }] },
  jq: {},
  xmllint: { writes: [{ short: "o", long: "output" }] },
  locate: {},
  top: {},
  htop: {},
  pstack: {},
  bc: {},
};

export const reading: Rules = {
  ...each(PLAIN.replaceAll(/\s+/g, " "), onlyReads),
  ...Object.fromEntries(
    Object.entries(EXCEPTIONS).map(([name, exceptions]) => [name, readsExcept(exceptions)]),
  ),
  echo: onlyReads,
  printenv,
  ...each("grep egrep fgrep ag", looksFor),
  rg: (call, inspect) => {
    looksFor(call, inspect);
    readsExcept({ starts: [{ long: "pre" }, { long: "hostname-bin" }] })(call, inspect);
  },
  yq: ({ args }, inspect) => {
    if (args.some(mayBeOptions)) inspect.notes("yq with options that are known only at run time");
    if (!hasAnyOption(args, [{ short: "i", long: "inplace" }, { long: "in-place" }])) return;
    inspect.notes("changes files in place");
    for (const file of operandsOf(args).slice(1)) inspect.writes(file);
  },
  uniq: (call, inspect) => writesOperand(call, inspect, { index: 1, valued: "fsw" }),
  ps: ({ args }, inspect) => {
    if (/^[a-z]*e/.test(args[0]?.shape ?? "")) inspect.click("shows the environment of processes");
  },
  xxd: (call, inspect) => writesOperand(call, inspect, { index: 1, valued: "cglosR" }),
  hostname: (call, inspect) => {
    if (operandsOf(call.args, { valued: "F" }).length > 0) inspect.click("renames the machine");
  },
  less: pager,
  more: pager,
  most: pager,
  zless: pager,
  fd: fdFind,
  fdfind: fdFind,
  ldd: (_, inspect) => inspect.notes("may run the program it looks at"),
  dc: calculator,
};

/** `uniq in out`: the second name is written. */
function writesOperand(
  call: Call,
  inspect: Inspector,
  { index, valued }: { index: number; valued: string },
): void {
  const path = operandsOf(call.args, { valued })[index];
  if (path) inspect.writes(path);
  if (call.args.some(mayBeOptions))
    inspect.notes("may write a file that is known only at run time");
}

function pager({ args }: Call, inspect: Inspector): void {
  if (args.some((arg) => /^\+(?!G$|F$|\d+$|\/)|^--cmd/.test(arg.shape)))
    inspect.click("gives a pager commands to run");
  for (const path of valuesOfOption(args, { short: "o", long: "log-file" })) inspect.writes(path);
}

function printenv({ args }: Call, inspect: Inspector): void {
  if (args.some(({ shape }) => /token|secret|passw|credential|key/i.test(shape)))
    inspect.click("reads a secret");
}

/** `env | grep -i token`: the environment may be shown, but not searched for secrets. */
function looksFor({ args, input }: Call, inspect: Inspector): void {
  const environment = input.upstream.some(({ program }) =>
    /^(?:env|printenv|set|export|declare)$/.test(program),
  );
  if (environment && args.some(({ shape }) => LOOKS_FOR_SECRETS.test(shape)))
    inspect.click("looks for secrets");
  if (hasAnyOption(args, [{ long: "pager" }])) inspect.click("makes it start another program");
}

/** `!` hands the rest of a line to a shell, unless it belongs to a comparison. */
function calculator({ args, input }: Call, inspect: Inspector): void {
  inspect.notes("a calculator that can run commands");
  const texts = [...args.map(({ shape }) => shape), ...(printedTexts(input) ?? ["!"])];
  if (input.file && inspect.wasWritten(input.file))
    inspect.hides("runs a file that it has just written");
  for (const text of texts) {
    const [, code] = /!(?![<>=])\s*(.*)/.exec(text) ?? [];
    if (code === undefined) continue;
    inspect.hides("makes dc start another program");
    inspect.mayRun([literalWord(code)]);
  }
}

/** fd starts what follows `-x` or `-X`. */
function fdFind({ args }: Call, inspect: Inspector): void {
  const at = args.findIndex(({ shape }) => /^(?:-[a-zA-Z]*[xX]|--exec(?:-batch)?)$/.test(shape));
  const [, ...roots] = operandsOf(at < 0 ? args : args.slice(0, at));
  const found = roots.length > 0 ? roots : [{ text: ".", shape: `./x${INSIDE}` }];
  if (at >= 0) inspect.runs([...args.slice(at + 1).filter(({ shape }) => shape !== ";"), ...found]);
  else if (args.some(({ shape }) => /^--exe/.test(shape)))
    inspect.click("makes fd start another program");
}
