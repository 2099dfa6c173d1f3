import type { CodeOperand } from "./code-operand.ts";
import { dataOperands } from "./data-operands.ts";
import { homeSettings } from "./home-settings.ts";
import { isKnownProgram } from "./known-programs.ts";
import { hasAnyOption, operandsOf, valuesOfOption } from "./options.ts";
import { absoluteRoutes, isStream } from "./paths.ts";
import { projectFiles } from "./project-files.ts";
import type { Call, Input } from "./rule.ts";
import { hasPattern, isUnknown, literalWord, readable, UNKNOWN, type Word } from "./word.ts";

const IN_PROGRAM_DIRECTORY = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/;

/** Files that the call would execute or be directed by. Wrappers name none: the program they start is a call of its own. */
export function codeOperands(name: Word, call: Call): CodeOperand[] {
  const { program, args } = call;
  const executed = [...executedOperands(name, call), ...homeSettings(name, call)];
  const mentioned = mentions(call);
  if (CONTENT_DOES_NOT_MATTER.test(program)) return [...executed, ...mentioned];
  const named = new Set(executed.map(({ word }) => word));
  const data = dataOperands(call);
  const pattern = TAKES_PATTERN.test(program) ? operandsOf(args)[0] : undefined;
  const others = [...(call.input.file ? [call.input.file] : []), ...args.flatMap(fileIn)]
    .filter((word) => !named.has(word) && word !== pattern)
    .map((word): CodeOperand => ({ kind: "read", word, isData: data.has(word) }));
  return [...executed, ...others, ...mentioned];
}

/** Files that the call would execute, and those that its program obeys without being given their names. */
export function executedOperands(name: Word, call: Call): CodeOperand[] {
  const { written, program } = call;
  const own: CodeOperand[] =
    written.includes("/") && !IN_PROGRAM_DIRECTORY.test(written)
      ? [{ kind: "run", word: name, isProgram: true }]
      : [];
  const packages = pipCall(call);
  return [
    ...own,
    ...(finderFor(program)?.(call, name) ?? []),
    ...(packages ? pipFiles(packages) : []),
    ...projectFiles(name, call),
  ];
}

/** The value of a word or of a variable's assignment cut at everything that ends a path in some little language. */
export function pathsMentioned(text: string): string[] {
  if (!/[./]/.test(text)) return [];
  const pieces = text.slice(0, LONGEST_MENTION).match(/[^\s"'`=:,;|&!()<>@{}[\]]+/g) ?? [];
  return [...new Set(pieces)].filter((piece) => /[./]/.test(piece) && !/^[-.]*$/.test(piece));
}

const LONGEST_MENTION = 4096;
const MOST_MENTIONS = 16;

/** These take words apart by themselves, or only print them. */
const MENTIONS_NOTHING =
  /^(?:sudo|doas|env|echo|printf|rm|chmod|chown|grep|egrep|fgrep|rg|test|\[)$/;

/** Files that a piece of code or a compound option names: `-c 'exec(open("a.py"))'`, `--action=exec=sh a.sh`. */
function mentions({ program, args, input }: Call): CodeOperand[] {
  if (MENTIONS_NOTHING.test(program)) return [];
  return [...args, ...(input.text ? [input.text] : [])]
    .flatMap(({ shape }) => [
      ...pathsMentioned(shape).filter((piece) => piece !== shape),
      ...(/^-[A-Za-z]([\w./][^\s=]*)$/.exec(shape)?.slice(1) ?? []),
    ])
    .slice(0, MOST_MENTIONS)
    .map((piece): CodeOperand => ({ kind: "read", word: literalWord(piece), isMentioned: true }));
}

/** The absolute paths that an operand may stand for; empty when the text does not tell. */
export function pathsOfOperand({ kind, word, candidates }: CodeOperand, call: Call): string[] {
  if (candidates) return candidates.flatMap((name) => absoluteRoutes(name, call.directories));
  if (isUnknown(word) || hasPattern(word) || word.shape === "") return [];
  return absoluteRoutes(word.shape, call.directories).filter(
    (path) => !isUnknown(literalWord(path)) && !(kind === "read" && isStream(path)),
  );
}

type Finder = (call: Call, name: Word) => CodeOperand[];

const SHELLS = /^(?:ba|da|z|k|mk|rba|a)?sh$/;
const AWK = /^[gmn]?awk$/;

const FINDERS: readonly (readonly [RegExp, Finder])[] = [
  [/^(?:source|\.)$/, ({ args }) => run(args.filter(({ shape }) => shape !== "--").slice(0, 1))],
  [SHELLS, shellScript],
  [/^(?:su|runuser|chroot|nsenter|unshare|setpriv|capsh|sg|newgrp)$/, shellOnInput],
  [
    /^(?:sudo|doas)$/,
    (call) =>
      call.args.some(({ shape }) => /^-[a-zA-Z]*[si]|^--(?:shell|login)$/.test(shape))
        ? shellOnInput(call)
        : [],
  ],
  [
    /^(?:python[\d.]*|pypy3?|ipython)$/,
    (call) => interpreterScript(call, { code: "cm", valued: "WXQ" }),
  ],
  [
    /^(?:node|nodejs|tsx|ts-node)$/,
    (call) => interpreterScript(call, { code: "ep", valued: "rC", files: NODE_FILES }),
  ],
  [/^perl$/, (call) => interpreterScript(call, { code: "eE", valued: "" })],
  [
    /^ruby$/,
    (call) => interpreterScript(call, { code: "e", valued: "rI", files: [{ short: "r" }] }),
  ],
  [
    /^php$/,
    (call) => interpreterScript(call, { code: "r", valued: "dczf", files: [{ short: "f" }] }),
  ],
  [/^(?:lua\w*|luajit)$/, (call) => interpreterScript(call, { code: "e", valued: "l" })],
  [
    /^(?:Rscript|julia|elixir|groovy|scala|jshell|guile|tclsh|wish|expect|ansible-playbook|bc|dc)$/,
    firstOperand,
  ],
  [/^(?:deno|bun)$/, ({ args }) => run(operandsOf(args).slice(0, 2))],
  [/^java$/, ({ args }) => run([...afterWord(args, "-jar"), ...operandsOf(args).slice(0, 1)])],
  [AWK, ({ args }) => run(valuesOfOption(args, { short: "f", long: "file" }))],
  [/^g?sed$/, ({ args }) => run(valuesOfOption(args, { short: "f", long: "file" }))],
  [/^psql$/, ({ args }) => run(valuesOfOption(args, { short: "f", long: "file" }))],
  [/^sqlite3$/, ({ args }) => run(afterWord(args, "-init"))],
  [
    /^gdb$/,
    ({ args }) => run([...afterWord(args, "-x"), ...valuesOfOption(args, { long: "command" })]),
  ],
  [
    /^(?:vim?|nvim|ex|view)$/,
    ({ args }) => run([...afterWord(args, "-S"), ...afterWord(args, "-u")]),
  ],
  [/^xargs$/, ({ args }) => run(valuesOfOption(args, { short: "a", long: "arg-file" }))],
  [/^crontab$/, firstOperand],
  [/^at$/, ({ args }) => run(afterWord(args, "-f"))],
  [/^(?:make|gmake)$/, makefile],
  [/^(?:apt|apt-get|aptitude|dpkg|rpm|dnf|yum)$/, packageFiles],
  [/^pip[\d.]*$/, pipFiles],
  [/^git$/, gitIncludes],
];

/** Programs that were looked up already; a bound on what is kept, since names are part of the text. */
const KNOWN_FINDERS = new Map<string, Finder | undefined>();
const MAXIMUM_KNOWN_FINDERS = 1_000;

function finderFor(program: string): Finder | undefined {
  if (!KNOWN_FINDERS.has(program)) {
    if (KNOWN_FINDERS.size >= MAXIMUM_KNOWN_FINDERS) KNOWN_FINDERS.clear();
    KNOWN_FINDERS.set(program, FINDERS.find(([pattern]) => pattern.test(program))?.[1]);
  }
  return KNOWN_FINDERS.get(program);
}

const NODE_FILES = [{ short: "r", long: "require" }, { long: "import" }, { long: "loader" }];

/** Their first operand is no file. */
const TAKES_PATTERN = /^(?:[efz]?grep|rg)$/;

/** These do the same whatever a file holds. */
const CONTENT_DOES_NOT_MATTER =
  /^(?:rm|rmdir|unlink|chown|chmod|chgrp|ls|stat|touch|mkdir|ln|du|df|truncate|find|kill|cd|echo|printf|test|\[|true|false|sudo|doas|env|timeout|nice|nohup|command|exec|xargs|export|declare|local|tree|realpath|readlink|basename|dirname|git)$/;

function run(words: readonly (Word | undefined)[]): CodeOperand[] {
  return words.flatMap((word) => (word ? [{ kind: "run" as const, word, alsoMissing: true }] : []));
}

function afterWord(args: readonly Word[], option: string): Word[] {
  return args.filter((_, index) => args[index - 1]?.shape === option);
}

function firstOperand({ args, input }: Call): CodeOperand[] {
  return run([...operandsOf(args).slice(0, 1), codeOnInput(input)]);
}

/** They start a shell, which reads what is piped in. */
function shellOnInput({ input }: Call): CodeOperand[] {
  return run([input.text ? { text: "its input", shape: UNKNOWN } : codeOnInput(input)]);
}

/** The file on the input of a program that reads code from it. The text does not tell what another program prints. */
function codeOnInput({ file, upstream }: Input): Word | undefined {
  return file ?? (upstream.length > 0 ? { text: "its input", shape: UNKNOWN } : undefined);
}

function shellScript({ args, input }: Call): CodeOperand[] {
  const startup = ["rcfile", "init-file"].flatMap((long) =>
    args.filter((_, index) => args[index - 1]?.shape === `--${long}`),
  );
  let index = 0;
  let letters = "";
  for (; index < args.length && /^[-+]/.test(args[index]?.shape ?? ""); index++) {
    const { shape } = args[index] as Word;
    if (shape === "--" || shape === "-") {
      index++;
      break;
    }
    if (!shape.startsWith("--")) letters += shape.slice(1);
    if (/^[-+][a-zA-Z]*[oO]$|^--(?:rcfile|init-file)$/.test(shape)) index++;
  }
  const operand = args[index];
  if (letters.includes("c")) return run(startup);
  if (operand && !letters.includes("s")) return run([...startup, operand]);
  return run([...startup, codeOnInput(input)]);
}

interface Interpreter {
  /** Letters of the options that take code, or a module, instead of a script. */
  readonly code: string;
  /** Letters of the options whose value is the next word. */
  readonly valued: string;
  readonly files?: readonly { readonly short?: string; readonly long?: string }[];
}

function interpreterScript(
  { args, input }: Call,
  { code, valued, files = [] }: Interpreter,
): CodeOperand[] {
  const loaded = files.flatMap((option) => valuesOfOption(args, option));
  for (let index = 0; index < args.length; index++) {
    const word = args[index] as Word;
    const { shape } = word;
    if (shape === "-") return run([...loaded, codeOnInput(input)]);
    if (!shape.startsWith("-")) return run([...loaded, word]);
    if (/^--(?:eval|print)(?:=|$)/.test(shape)) return run(loaded);
    if (/^-[^-]/.test(shape) && [...shape.slice(1)].some((letter) => code.includes(letter)))
      return run(loaded);
    const takesNext = shape.length === 2 && valued.includes(shape.slice(1));
    if (takesNext || /^--(?:require|import|loader|experimental-loader)$/.test(shape)) index++;
  }
  return run([...loaded, codeOnInput(input)]);
}

function makefile({ args }: Call, name: Word): CodeOperand[] {
  const given = ["file", "makefile"].flatMap((long) => valuesOfOption(args, { short: "f", long }));
  if (given.length > 0) return run([...new Set(given)]);
  const [directory] = valuesOfOption(args, { short: "C", long: "directory" });
  const place = directory ? `${readable(directory.shape)}/` : "";
  const candidates = ["GNUmakefile", "makefile", "Makefile"].map((file) => place + file);
  return [{ kind: "run", word: name, candidates, before: " -f ", alsoMissing: true }];
}

/** With these, every operand is a package, whatever its name. */
const INSTALLS = [
  { short: "i", long: "install" },
  { long: "unpack" },
  { short: "U", long: "upgrade" },
];

/** `apt install ./x.deb` runs the package's scripts. */
function packageFiles({ program, args }: Call): CodeOperand[] {
  const operands = operandsOf(args);
  const isInstalled = /^(?:dpkg|rpm)$/.test(program) && hasAnyOption(args, INSTALLS);
  return run(isInstalled ? operands : operands.filter(({ shape }) => /\.(?:deb|rpm)$/.test(shape)));
}

/** `python3 -m pip install …` is pip. */
function pipCall(call: Call): Call | undefined {
  const [module, name, ...args] = call.args;
  const isPip = /^python[\d.]*$/.test(call.program) && module?.shape === "-m";
  return isPip && /^pip[\d.]*$/.test(name?.shape ?? "") ? { ...call, args } : undefined;
}

function pipFiles({ args }: Call): CodeOperand[] {
  const lists = ["requirement", "constraint"].flatMap((long) =>
    valuesOfOption(args, { short: long.slice(0, 1), long }),
  );
  const operands = [...operandsOf(args), ...valuesOfOption(args, { short: "e", long: "editable" })];
  const archives = operands.filter(({ shape }) => /\.(?:whl|zip|tar\.gz|tgz)$/.test(shape));
  const packages = operands.filter(({ shape }) => /^\.{1,2}$|\//.test(shape) && !/:/.test(shape));
  return [
    ...run([...lists, ...archives]),
    ...packages
      .filter((word) => !archives.includes(word))
      .flatMap((word) =>
        ["pyproject.toml", "setup.py", "setup.cfg"].map(
          (file): CodeOperand => ({
            kind: "read",
            // Another word: as an operand the directory is read as well.
            word: literalWord(readable(word.shape)),
            candidates: [`${readable(word.shape).replace(/\/$/, "")}/${file}`.replace(/^\.\//, "")],
            alsoMissing: true,
          }),
        ),
      ),
  ];
}

function gitIncludes({ args }: Call): CodeOperand[] {
  return valuesOfOption(args, { short: "c" }).flatMap(({ shape }) => {
    // Its directory holds programs, whose names git chooses.
    if (/^core\.hookspath=/i.test(shape)) return run([{ text: shape, shape: UNKNOWN }]);
    const [, path] = /^include(?:if\..*)?\.path=(.+)$/is.exec(shape) ?? [];
    return path === undefined ? [] : run([literalWord(path)]);
  });
}

/** A path in a word: the word itself, `--option=path`, `@path`. */
function fileIn(word: Word): Word[] {
  const { shape } = word;
  if (isUnknown(word) || shape === "" || shape.includes("\n")) return [];
  if (hasPattern(word)) return [word];
  const [, value] = /^-{0,2}[\w-]+=@?(.+)$/s.exec(shape) ?? [];
  if (value !== undefined) return [literalWord(value)];
  if (shape.startsWith("@")) return [literalWord(shape.slice(1))];
  return shape.startsWith("-") || shape.length > 1000 ? [] : [word];
}

/** Programs that do not look at the directory they start in, unless a path is given. */
const PLACELESS =
  /^(?:apt|apt-get|aptitude|apt-cache|apt-key|apt-mark|add-apt-repository|dpkg|dpkg-reconfigure|systemctl|service|journalctl|useradd|usermod|userdel|groupadd|groupmod|groupdel|adduser|addgroup|deluser|passwd|chpasswd|sysctl|update-alternatives|update-ca-certificates|locale-gen|timedatectl|hostname|hostnamectl|id|whoami|true|false|echo|printf|uname|uptime|date|pip[\d.]*|kill|pkill|killall|sleep|mount|umount|ldconfig|crontab|visudo|getent|who|w|ps|ss|netstat|ip|nproc|free|test|\[|exit|export|set|:)$/;

/** They start another program, which is judged by itself. */
const TRANSPARENT =
  /^(?:sudo|doas|env|timeout|nice|ionice|nohup|command|exec|time|stdbuf|setsid|builtin)$/;

/** They only handle files: nothing in the directory they start in is code for them. */
const FILE_TOOLS =
  /^(?:less|more|rg|file|tar|zip|gzip|rsync|curl|wget|patch|uniq|id|whoami|openssl|scp|ssh|sftp|ps)$/;

/**
 * Words with which an interpreter loads code that no word names: `require("x")` finds node_modules, `-E` undoes what
 * keeps Python from importing out of the directory, `-I` names a place, and a module may be one that looks around.
 */
const INTERPRETERS: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^(?:node|nodejs)$/,
    /^-[a-zA-Z]*[epri]|^-$|^--(?:eval|print|require|import|loader|experimental-loader|run|test)|\.[cm]?[jt]s$/,
  ],
  [
    /^python[\d.]*$/,
    /^-[a-zA-Z]*E|^(?:pytest|unittest|tox|nox|build|setup|invoke|flask|django|celery|mypy|pylint)$|sys\.path/,
  ],
  [/^perl$/, /^-\w*I|^-\w*[Mm]lib\b|use lib|@INC/],
  [/^ruby$/, /^-\w*[ICr]|LOAD_PATH|require_relative/],
  [/^php$/, /^-\w*[cdz]|include_path/],
];

/** `pip install .`, `pip install -e ./x`, `python3 -m pip install /workspace/x`: the package's own code runs. */
function installsFromPath({ program, args }: Call): boolean {
  const isPip = args.some(
    ({ shape }, index) => index > 0 && args[index - 1]?.shape === "-m" && /^pip[\d.]*$/.test(shape),
  );
  if (!/^pip[\d.]*$/.test(program) && !(isPip && /^python[\d.]*$/.test(program))) return false;
  return args.some(({ shape }) =>
    /^(?:-e|--editable|-r|--requirement)|^\.{0,2}\/|^\.{1,2}$|^file:|@ *file:|^[\w-]+\//.test(
      shape,
    ),
  );
}

/** Whether a program may load code from the directory in which it starts. */
export function loadsCodeFromDirectory(call: Call): boolean {
  const { program } = call;
  if (installsFromPath(call)) return true;
  if (TRANSPARENT.test(program) || PLACELESS.test(program)) return false;
  if (program === "git") return isGitAlias(call);
  if (SHELLS.test(program) || AWK.test(program) || /^g?sed$/.test(program)) return false;
  const interpreter = INTERPRETERS.find(([pattern]) => pattern.test(program));
  if (interpreter) return call.args.some(({ shape }) => interpreter[1].test(shape));
  return (
    !CONTENT_DOES_NOT_MATTER.test(program) && !FILE_TOOLS.test(program) && !isKnownProgram(call)
  );
}

const GIT_COMMANDS =
  /^(?:add|am|apply|archive|bisect|blame|branch|bundle|cat-file|checkout|cherry|cherry-pick|clean|clone|commit|config|describe|diff|fetch|format-patch|fsck|gc|grep|help|init|lfs|log|ls-files|ls-remote|ls-tree|maintenance|merge|merge-base|mv|notes|prune|pull|push|rebase|reflog|remote|repack|replace|reset|restore|rev-list|rev-parse|revert|rm|send-pack|shortlog|show|show-ref|sparse-checkout|stash|status|submodule|switch|symbolic-ref|tag|update-ref|update-index|version|worktree|write-tree|filter-branch)$/;

/** Git's own commands cannot be aliased; every other name may be a program of the repository's settings. */
function isGitAlias({ args }: Call): boolean {
  const [subcommand] = operandsOf(args, {
    valued: "cC",
    valuedLong: ["git-dir", "work-tree", "namespace"],
  });
  return subcommand !== undefined && !GIT_COMMANDS.test(subcommand.shape);
}
