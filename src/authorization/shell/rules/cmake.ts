import { operandsOf, valuesOfOption } from "../options.ts";
import { type Call, type Inspector, type Rules, tool } from "../rule.ts";
import { literalWord, type Word } from "../word.ts";

/** What `cmake -E` calls its own commands, as programs that do the same. */
const OWN_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  rm: ["rm"],
  remove: ["rm"],
  remove_directory: ["rm", "-r"],
  copy: ["cp"],
  copy_if_different: ["cp"],
  copy_directory: ["cp", "-r"],
  rename: ["mv"],
  create_symlink: ["ln", "-s"],
  create_hardlink: ["ln"],
  touch: ["touch"],
  touch_nocreate: ["touch"],
  make_directory: ["mkdir", "-p"],
  cat: ["cat"],
  env: ["env"],
  time: ["time"],
  tar: ["tar"],
};

export const launchingTools: Rules = {
  cmake: (call, inspect) => {
    tool("builds the project")(call, inspect);
    const [first, verb, ...rest] = call.args;
    if (first?.shape !== "-E" || !verb) return;
    if (verb.shape === "chdir") changesDirectory(rest, inspect);
    const own = OWN_COMMANDS[verb.shape];
    const words = verb.shape === "env" ? rest.filter(({ shape }) => !/^--/.test(shape)) : rest;
    if (own) inspect.runs([...own.map(literalWord), ...words]);
  },
  "start-stop-daemon": startsDaemon,
};

function changesDirectory([directory, ...words]: readonly Word[], inspect: Inspector): void {
  if (!directory || words.length === 0) return;
  inspect.runs([literalWord("env"), literalWord("-C"), directory, ...words]);
}

/** The program is an option's value, and its arguments follow `--`. */
function startsDaemon({ args }: Call, inspect: Inspector): void {
  inspect.notes("starts or stops a service");
  inspect.mayRun(args);
  const end = args.findIndex(({ shape }) => shape === "--");
  const own = end < 0 ? args : args.slice(0, end);
  const programs = [
    { short: "x", long: "exec" },
    { short: "a", long: "startas" },
  ]
    .flatMap((name) => valuesOfOption(own, name))
    .filter(({ shape }) => !shape.startsWith("-"));
  const stops = own.some(({ shape }) => /^(?:-[a-zA-Z]*K|--stop)/.test(shape));
  if (stops) inspect.click("ends processes by name");
  const [program] = programs.length > 0 ? programs : operandsOf(own);
  if (!program || stops) return;
  inspect.click("starts a service");
  inspect.runs([program, ...(end < 0 ? [] : args.slice(end + 1))]);
}
