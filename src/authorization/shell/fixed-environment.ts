import { isGitValue } from "./git-places.ts";
import type { Call } from "./rule.ts";
import { hasMarks, type Word } from "./word.ts";

/** Variables that keep programs from obeying files of the workload, and those that undo that. */
const FIXED =
  /^(?:HOME|SHELL|PATH|PAGER|MANPAGER|SYSTEMD_PAGER|AWS_PAGER|EDITOR|VISUAL|GIT_(?:CONFIG\w*|DIR|COMMON_DIR|CEILING_DIRECTORIES|ASKPASS|EDITOR|PAGER|SEQUENCE_EDITOR|SSH\w*|TERMINAL_PROMPT|EXEC_PATH)|PYTHONSAFEPATH|PYTHONNOUSERSITE|PIP_CONFIG_FILE|(?:npm_config|NPM_CONFIG)_(?:userconfig|USERCONFIG)|CURL_HOME|WGETRC|PSQLRC|INPUTRC|SCREENRC|GEMRC|BUNDLE_IGNORE_CONFIG|BASH_ENV|ENV|CDPATH)$/;

/** Values that start nothing and lead nowhere. */
const HARMLESS: readonly (readonly [RegExp, RegExp])[] = [
  [/(?:PAGER|EDITOR|VISUAL|ASKPASS)$/, /^(?:cat|true|:)?$/],
  [/^(?:GIT_TERMINAL_PROMPT|GIT_CONFIG_NOSYSTEM|PYTHONSAFEPATH|PYTHONNOUSERSITE)$/, /^[01]$/],
];

export function isFixedVariable(name: string): boolean {
  return FIXED.test(name);
}

/** Whether an assignment takes the place of a variable of the fixed environment; more directories behind PATH do not. */
export function overridesFixed(name: string, { text, shape }: Word): boolean {
  if (!isFixedVariable(name)) return false;
  if (name === "PATH") return !/^"?(?:PATH=)?"?(?:\$PATH|\$\{PATH\})(?:[:"]|$)/.test(text);
  return !HARMLESS.some(([names, values]) => names.test(name) && values.test(shape));
}

/** How a call would leave the environment, shell or directory that approved commands have; undefined when it does not. */
export function leavesFixed(call: Call): string | undefined {
  const { program, written, args } = call;
  if (/^(?:ssh|scp|sftp)$/.test(program) && written.includes("/"))
    return `${written} is not the ${program} that ignores settings in the home directory`;
  if (!SHOWS_FILES.test(program) && args.some(({ shape }) => SSH_PATH.test(shape)))
    return `${program} would start an ssh that reads settings in the home directory`;
  if (OWN_SHELLS.test(program)) return `${program} starts programs in another environment`;
  return LEAVERS.find(([pattern]) => pattern.test(program))?.[1](call);
}

const SSH_PATH = /(?:^|[\s='"])(?:\/usr)?\/bin\/(?:ssh|scp|sftp)(?:[\s'"]|$)/;
const SHOWS_FILES = /^(?:ls|stat|file|cat|test|\[|echo|printf|cp|sha\d+sum|sudo|env|command|exec)$/;

/** They begin with an environment of their own, or obey files that name one. */
const OWN_SHELLS =
  /^(?:tmux|screen|byobu|zellij|dtach|abduco|login|machinectl|run0|pkexec|systemd-run|envdir|s6-envdir|with-contenv|direnv|dotenv|dotenvx)$/;

type Leaver = (call: Call) => string | undefined;

const LEAVERS: readonly (readonly [RegExp, Leaver])[] = [
  [/^env$/, ({ args }) => leavesByEnv(args)],
  [/^(?:(?:ba|da|z|k|mk|rba|a|fi)?sh)$/, ({ program, args }) => leavesByShell(program, args)],
  [/^(?:sudo|doas)$/, ({ program, args }) => leavesBySudo(program, args)],
  [/^(?:su|runuser|sg|newgrp)$/, ({ program, args }) => loginOf(program, args)],
  [/^exec$/, ({ args }) => leavesByExec(args)],
  [
    /^command$/,
    ({ args }) =>
      letters(args, "").includes("p") && !/[vV]/.test(letters(args, ""))
        ? "command -p uses another PATH"
        : undefined,
  ],
  [
    /^hash$/,
    ({ args }) =>
      letters(args, "pt").includes("p") ? "hash -p gives a name another program" : undefined,
  ],
  [
    /^setpriv$/,
    ({ args }) =>
      args.some(({ shape }) => shape.startsWith("--reset"))
        ? "setpriv --reset-env clears the environment"
        : undefined,
  ],
  [
    /^script$/,
    ({ args }) =>
      args.some(({ shape }) => /^-[a-zA-Z]*c|^--c/.test(shape))
        ? undefined
        : "script starts an interactive shell",
  ],
  [/^git$/, ({ args }) => leavesByGit(args)],
  [/^(?:export|declare|typeset|local)$/, ({ program, args }) => leavesByDeclaring(program, args)],
];

/** The letters of the options before the first operand; of a cluster, those up to the first that takes a value. */
function letters(args: readonly Word[], valued: string): string {
  let found = "";
  for (let index = 0; index < args.length; index++) {
    const { shape } = args[index] as Word;
    if (!/^[-+]./.test(shape) || shape === "--") break;
    if (shape.startsWith("--")) continue;
    const cluster = shape.slice(1);
    const at = [...cluster].findIndex((letter) => valued.includes(letter));
    found += at < 0 ? cluster : cluster.slice(0, at + 1);
    if (at >= 0 && at === cluster.length - 1) index++;
  }
  return found;
}

function leavesByEnv(args: readonly Word[]): string | undefined {
  for (let index = 0; index < args.length; index++) {
    const word = args[index] as Word;
    const { shape } = word;
    if (hasMarks(word) && !/^\w+=/.test(shape))
      return "env has options that are known only at run time";
    if (shape === "-") return "env - clears the environment";
    if (!shape.startsWith("-") || shape === "--") return undefined;
    const [, flags = "", option = "", attached = ""] =
      /^-([0iv]*)([uCSP]?)(.*)$/s.exec(shape.replace(/^--([iucs])[a-z-]*(=|$)/, longOption)) ?? [];
    if (flags.includes("i")) return "env -i clears the environment";
    if (option === "S") return "env -S hides its options in a text";
    if (option === "C") return "env -C changes the directory: write cd and && before the command";
    const value = attached === "" ? args[++index] : { ...word, shape: attached };
    if (option === "u" && (!value || hasMarks(value) || isFixedVariable(value.shape)))
      return `env -u removes ${value?.shape}`;
  }
  return undefined;
}

/** `--unset=X` as `-uX`, in all the lengths that GNU allows. */
function longOption(_: string, letter: string): string {
  return `-${{ i: "i", u: "u", c: "C", s: "S" }[letter]}`;
}

function leavesByShell(program: string, args: readonly Word[]): string | undefined {
  const given = letters(args, "oO");
  const isNamed = args.some(({ shape }) => /^(?:login|interactive)$/.test(shape));
  const long = args.find(({ shape }) =>
    /^--(?:login|interactive|rcfile|init-file|init-command)/.test(shape),
  );
  if (long) return `${program} ${long.shape} reads files of the home directory first`;
  if (given.includes("l") || (given.includes("o") && isNamed))
    return `${program} -l reads the profile in the home directory first`;
  return given.includes("i") ? `${program} -i reads files of the home directory first` : undefined;
}

function leavesBySudo(program: string, args: readonly Word[]): string | undefined {
  const given = letters(args, "aCcDghpRrTtUu");
  const end = args.findIndex(({ shape }) => !shape.startsWith("-"));
  const long = args.slice(0, end < 0 ? undefined : end).map(({ shape }) => shape);
  if (given.includes("i") || long.some((shape) => /^--lo/.test(shape)))
    return `${program} -i starts a login shell`;
  if (/[DR]/.test(given) || long.some((shape) => /^--ch/.test(shape)))
    return `${program} -D changes the directory: write cd and && before the command`;
  return undefined;
}

function loginOf(program: string, args: readonly Word[]): string | undefined {
  return args.some(({ shape }) => /^-$|^-[a-zA-Z]*l|^--lo/.test(shape))
    ? `${program} - starts a login shell`
    : undefined;
}

function leavesByExec(args: readonly Word[]): string | undefined {
  const given = letters(args, "a");
  if (given.includes("c")) return "exec -c clears the environment";
  const names = args.filter((_, index) => /^-[cl]*a$/.test(args[index - 1]?.shape ?? ""));
  const attached = args.filter(({ shape }) => /^-[cl]*a-/.test(shape));
  return given.includes("l") || attached.length > 0 || names.some(({ shape }) => /^-/.test(shape))
    ? "exec -l starts a login shell"
    : undefined;
}

/** Git's options before its command; it knows them in one spelling only. */
function leavesByGit(args: readonly Word[]): string | undefined {
  const end = args.findIndex(
    ({ shape }, index) => !shape.startsWith("-") && !isGitValue(args[index - 1]),
  );
  const options = args.slice(0, end < 0 ? undefined : end).map(({ shape }) => shape);
  if (options.some((shape) => shape.startsWith("--exec-path=")))
    return "git --exec-path makes git run other programs";
  if (options.some((shape) => shape.startsWith("--config-env")))
    return "git --config-env takes settings out of variables";
  return options.includes("--bare") ? "git --bare uses another repository: use git -C" : undefined;
}

/** `export -n PATH`, `declare +x PATH`, `local PATH`, `declare -n other=PATH`. */
function leavesByDeclaring(program: string, args: readonly Word[]): string | undefined {
  const options = args.map(({ shape }) => shape).filter((shape) => /^[-+]/.test(shape));
  const isRemoved = options.some((shape) =>
    (program === "export" ? /^-\w*n/ : /^\+\w*x/).test(shape),
  );
  const isKept = program === "export" || options.some((shape) => /^-\w*[xpfF]/.test(shape));
  const isReference = program !== "export" && options.some((shape) => /^-\w*n/.test(shape));
  for (const { text, shape } of args.filter((word) => !/^[-+]/.test(word.shape))) {
    const [name = "", ...rest] = shape.split("=");
    const target = text.slice(text.indexOf("=") + 1).replaceAll(/["']/g, "");
    if (isFixedVariable(name) && (isRemoved || (!isKept && rest.length === 0)))
      return `${program} takes ${name} out of the environment`;
    if (isReference && (isFixedVariable(target) || /[$`]/.test(target)))
      return `${program} -n gives a variable of the environment another name`;
  }
  return undefined;
}
