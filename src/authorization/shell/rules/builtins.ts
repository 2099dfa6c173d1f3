import { hasOption, operandsOf } from "../options.ts";
import { asks, type Call, changes, each, type Inspector, onlyReads, type Rules } from "../rule.ts";
import { isUnknown, readable, runsInSubscript, UNKNOWN } from "../word.ts";

/** What bash does itself. The shell lives on after the command, so what changes the shell counts. */
export const builtins: Rules = {
  ...each("cd pushd", moves),
  popd: (_, inspect) => inspect.enters({ text: "popd", shape: UNKNOWN }),
  ...each("wait shift return break continue times", onlyReads),
  ...each("exit logout", onlyReads),
  ...each("test [", arithmetic),
  compgen: ({ args }, inspect) => {
    if (args.some(({ shape }) => /^-[CFW]/.test(shape)))
      inspect.high("runs something to find words");
  },
  ...each("export declare typeset local readonly", declares),
  unset: (call, inspect) => {
    arithmetic(call, inspect);
    inspect.forgets(operandsOf(call.args));
    inspect.medium("changes the shell");
  },
  ...each("read mapfile readarray getopts", (call, inspect) => {
    arithmetic(call, inspect);
    inspect.forgets(operandsOf(call.args, { valued: "adinNptuCc" }));
    if (hasOption(call.args, { short: "C" }) && call.program !== "read")
      inspect.high("runs something for every line");
  }),
  printf: (call, inspect) => {
    arithmetic(call, inspect);
    if (call.args[0]?.shape === "-v") inspect.forgets(call.args.slice(1, 2));
  },
  let: (call, inspect) => {
    arithmetic(call, inspect);
    inspect.forgets(call.args.map(({ text }) => ({ text, shape: /^\w+/.exec(text)?.[0] ?? "" })));
  },
  set: ({ args }, inspect) => {
    if (args.some(({ shape }) => /^\+[a-z]*p|^-[a-z]*T/.test(shape)))
      inspect.high("changes how the shell runs commands");
  },
  ...each("shopt umask ulimit disown bg fg suspend unalias", changes("changes the shell")),
  alias: ({ args }, inspect) => {
    if (args.some(({ shape }) => shape.includes("=") || shape.startsWith(UNKNOWN)))
      inspect.high("gives a name another meaning");
  },
  hash: ({ args }, inspect) => {
    if (hasOption(args, { short: "p" })) inspect.high("gives a name another meaning");
  },
  enable: asks("changes what the shell's own commands are"),
  bind: ({ args }, inspect) => {
    if (args.some(({ shape }) => !/^-[lpPsSvVX]$/.test(shape)))
      inspect.high("changes what keys do");
  },
  ...each("complete compopt", asks("runs something when words are completed")),
  history: ({ args }, inspect) => {
    if (args.some(({ shape }) => /^-/.test(shape))) inspect.high("changes the history");
  },
  fc: ({ args }, inspect) => {
    if (!args.some(({ shape }) => /^-[a-z]*l/.test(shape)))
      inspect.high("runs an earlier command again");
  },
};

function moves({ args }: Call, inspect: Inspector): void {
  const [directory] = operandsOf(args);
  if (directory && !/^[-+]/.test(directory.shape)) inspect.enters(directory);
  else inspect.enters({ text: "", shape: args.length === 0 ? inspect.homeDir : UNKNOWN });
}

function declares(call: Call, inspect: Inspector): void {
  arithmetic(call, inspect);
  const prints =
    call.args.length === 0 || call.args.some(({ shape }) => /^-[a-zA-Z]*[pfF]/.test(shape));
  if (!prints) inspect.medium("changes the shell's variables");
  const reference = call.args.some(({ shape }) => /^-[a-zA-Z]*[ni]/.test(shape));
  if (reference && call.args.some(isUnknown))
    inspect.high("a variable that stands for another, only known when it runs");
}

function arithmetic({ args }: Call, inspect: Inspector): void {
  if (args.some(({ shape }) => runsInSubscript(readable(shape))))
    inspect.high("a subscript that runs a command");
}
