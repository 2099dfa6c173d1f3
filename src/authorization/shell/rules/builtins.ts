import { hasOption, operandsOf, valuesOfOption } from "../options.ts";
import { asks, type Call, changes, each, type Inspector, onlyReads, type Rules } from "../rule.ts";
import {
  isUnknown,
  literalWord,
  mayHaveSubscript,
  readable,
  runsInSubscript,
  UNKNOWN,
  UNKNOWN_WORDS,
  type Word,
} from "../word.ts";

/** The guard follows what these do to the shell, so they must be what they are called. */
const CHANGES_SHELL =
  /^(?:cd|pushd|popd|read|mapfile|readarray|unset|export|declare|typeset|local|set|shift|exec|exit|return|true|false|test|alias|unalias|eval|source|trap|let|printf|for|if|while)$/;

/** What bash does itself. The shell lives on after the command, so what changes the shell counts. */
export const builtins: Rules = {
  ...each("cd pushd", moves),
  popd: (_, inspect) => inspect.enters({ text: "popd", shape: UNKNOWN }),
  ...each("shift return break continue times", onlyReads),
  wait: (call, inspect) => {
    arithmetic(call, inspect);
    assigns(valuesOfOption(call.args, { short: "p" }), inspect);
  },
  ...each("exit logout", onlyReads),
  ...each("test [", (call, inspect) => {
    arithmetic(call, inspect);
    const at = call.args.findIndex(({ shape }) => shape === "-v");
    if (at >= 0) namesVariable(call.args[at + 1], inspect);
  }),
  compgen: ({ args }, inspect) => {
    if (args.some(({ shape }) => /^-[CFW]/.test(shape)))
      inspect.click("runs a command to find words");
  },
  ...each("export declare typeset local readonly", declares),
  unset: (call, inspect) => {
    arithmetic(call, inspect);
    for (const name of operandsOf(call.args)) namesVariable(name, inspect);
    inspect.forgets(operandsOf(call.args));
    inspect.notes("changes the shell");
  },
  ...each("read mapfile readarray getopts", (call, inspect) => {
    arithmetic(call, inspect);
    const valued = call.program === "read" ? "dinNptu" : "dnOsuCc";
    const names = operandsOf(call.args, { valued });
    for (const name of names) namesVariable(name, inspect);
    const arrays = valuesOfOption(call.args, { short: "a" });
    assigns([...names, ...arrays], inspect);
    inspect.forgets(IMPLIED_NAMES.map(literalWord));
    if (hasOption(call.args, { short: "C" }) && call.program !== "read")
      inspect.click("runs a command for every line");
  }),
  printf: (call, inspect) => {
    arithmetic(call, inspect);
    const names = valuesOfOption(call.args.slice(0, 2), { short: "v" });
    for (const name of names) namesVariable(name, inspect);
    assigns(names, inspect);
  },
  let: (call, inspect) => {
    arithmetic(call, inspect);
    inspect.forgets(
      call.args.flatMap(({ shape }) => shape.match(/[A-Za-z_]\w*/g) ?? []).map(literalWord),
    );
  },
  set: ({ args }, inspect) => {
    if (args.some(({ shape }) => /^\+[a-z]*p|^-[a-z]*T/.test(shape)))
      inspect.click("changes how the shell runs commands");
  },
  ulimit: (call, inspect) => {
    arithmetic(call, inspect);
    inspect.notes("changes the shell");
  },
  ...each("shopt umask disown bg fg suspend unalias", changes("changes the shell")),
  alias: ({ args }, inspect) => {
    for (const { shape } of args) {
      const [, name = "", value = ""] = /^([\w.-]+)=([\w./= -]+)$/.exec(shape) ?? [];
      if (name === "" || CHANGES_SHELL.test(name)) {
        if (shape.includes("=") || shape.startsWith(UNKNOWN)) inspect.click("redefines a command");
        continue;
      }
      inspect.notes("defines an alias");
      // Whatever is typed behind the name later becomes its arguments.
      const words = value.trim().split(/\s+/).map(literalWord);
      inspect.runs([...words, { text: "…", shape: UNKNOWN_WORDS }]);
    }
  },
  hash: ({ args }, inspect) => {
    if (hasOption(args, { short: "p" })) inspect.click("redefines a command");
  },
  enable: asks("changes the shell's builtin commands"),
  bind: ({ args }, inspect) => {
    const [option] = args;
    const takesAway = /^-[rqu]$/.test(option?.shape ?? "") && args.length === 2;
    if (!takesAway && args.some(({ shape }) => !/^-[lpPsSvVX]$/.test(shape)))
      inspect.click("changes key bindings");
  },
  ...each("complete compopt", asks("runs something when words are completed")),
  history: ({ args }, inspect) => {
    if (args.some(({ shape }) => /^-/.test(shape))) inspect.click("changes the history");
  },
  fc: ({ args }, inspect) => {
    if (!args.some(({ shape }) => /^-[a-z]*l/.test(shape)))
      inspect.click("runs an earlier command again");
  },
};

/** `read`, `mapfile` and `getopts` set these as well. */
const IMPLIED_NAMES = ["REPLY", "MAPFILE", "OPTARG", "OPTIND"];

/** Gives variables a value that is known only at run time. */
function assigns(names: readonly Word[], inspect: Inspector): void {
  for (const { text, shape } of names)
    inspect.assigns(readable(shape).replace(/\[.*$/, ""), { text, shape: UNKNOWN });
  inspect.forgets(names);
}

/** A name that is known only at run time may have a subscript, and a subscript may hold a command. */
function namesVariable(name: Word | undefined, inspect: Inspector): void {
  if (name && mayHaveSubscript(name))
    inspect.click("a variable name that is known only at run time");
}

/** `export $(grep -v '^#' app.env | xargs)`: as good as `source app.env`, and export runs no subscripts. */
const LINES_OF_FILE = /^"?\$\((?:grep|egrep|cat|sed|awk|cut|xargs)\b[^()`$;&<>]*\)"?$/;

function moves({ args }: Call, inspect: Inspector): void {
  const [directory] = operandsOf(args);
  if (directory && !/^[-+]/.test(directory.shape)) inspect.enters(directory);
  else inspect.enters({ text: "", shape: args.length === 0 ? inspect.homeDir : UNKNOWN });
}

function declares(call: Call, inspect: Inspector): void {
  arithmetic(call, inspect);
  const prints =
    call.args.length === 0 || call.args.some(({ shape }) => /^-[a-zA-Z]*[pfF]/.test(shape));
  if (!prints) inspect.notes("changes the shell's variables");
  const reference = call.args.some(({ shape }) => /^-[a-zA-Z]*[ni]/.test(shape));
  for (const { text, shape } of call.args)
    if (!shape.startsWith("-") && !(call.program === "export" && LINES_OF_FILE.test(text)))
      namesVariable({ text, shape: shape.split("=")[0] ?? "" }, inspect);
  // Such a variable is not what was assigned to it: another one, or in other letters.
  if (call.args.some(({ shape }) => /^-[a-zA-Z]*[nluc]/.test(shape))) changesValues(call, inspect);
  if (reference && call.args.some(isUnknown))
    inspect.click("a variable that stands for another that is known only at run time");
}

function changesValues({ args }: Call, inspect: Inspector): void {
  inspect.click("a variable that changes what is assigned to it");
  inspect.forgets(
    operandsOf(args).map(({ text, shape }) => ({ text, shape: shape.split("=")[0] ?? "" })),
  );
}

function arithmetic({ args }: Call, inspect: Inspector): void {
  if (args.some(({ shape }) => runsInSubscript(readable(shape))))
    inspect.click("a subscript that runs a command");
}
