import { operandsOf, valuesOfOption } from "../options.ts";
import {
  asks,
  type Call,
  each,
  type Inspector,
  type Rule,
  type Rules,
  SOME_OUTPUT,
  tool,
} from "../rule.ts";
import {
  exactly,
  INSIDE,
  literalWord,
  readable,
  UNKNOWN,
  UNKNOWN_WORDS,
  type Word,
} from "../word.ts";
import { joinedBySpaces } from "./shells.ts";
import { afterOptions, type Wrapper } from "./wrapper-options.ts";
import { asRoot, WRAPPERS } from "./wrapper-table.ts";

export const wrappers: Rules = {
  ...Object.fromEntries(
    Object.entries(WRAPPERS).map(([name, wrapper]) => [name, wrapped(wrapper)]),
  ),
  command: (call, inspect) => {
    if (/^-p?[vV]$/.test(call.args[0]?.shape ?? "")) return;
    wrapped(WRAPPERS.command ?? {})(call, inspect);
  },
  exec: (call, inspect) => {
    wrapped(WRAPPERS.exec ?? {})(call, inspect);
    const { text, file } = call.input;
    if (call.args.length === 0 && (text || file))
      inspect.hides("gives the shell itself another input");
  },
  coproc: (call, inspect) => inspect.runs(call.args, SOME_OUTPUT),
  env,
  xargs,
  ...each("parallel sem", parallel),
  tmux: terminals,
  screen,
  ...each("zellij byobu", asks("opens terminals that are not watched")),
  expect: (call, inspect) => {
    tool("answers questions of another program")(call, inspect);
    const texts = [...call.args, ...(call.input.text ? [call.input.text] : [])];
    for (const { shape } of texts)
      for (const [, code = ""] of readable(shape).matchAll(/\bspawn\s+(?:-\S+\s+)*([^;\n]+)/g))
        inspect.runsCode(literalWord(code), "spawn");
  },
  m4: (call, inspect) => {
    inspect.click("a macro language that can run commands");
    if (call.input.text) inspect.mayRun([call.input.text]);
  },
  flock,
  watch: (call, inspect) =>
    runsRest(call, inspect, {
      flags: "bcCdeghptvwx",
      valued: "nq",
      valuedLong: ["interval"],
      flagsLong: ["differences", "color", "no-title", "exec", "errexit", "chgexit", "beep"],
    }),
  entr: (call, inspect) => wrapped({ flags: "acdnprsxz" })(call, inspect),
  script: (call, inspect) => {
    inspect.notes("writes what a terminal shows");
    for (const code of valuesOfOption(call.args, { short: "c", long: "command" }))
      inspect.runsCode(code, "script -c");
  },
  ...each("busybox toybox", ({ args }, inspect) =>
    args.length > 0 ? inspect.runs(args) : undefined,
  ),
  // It runs an editor on copies of the files, and writes them back as root.
  sudoedit: asRoot,
  ...each(
    "su runuser sg newgrp pkexec gosu su-exec setpriv capsh machinectl run0 calife super please kdesu kdesudo gksu gksudo " +
      "beesu lxqt-sudo lxsudo sux ktsuss userhelper sudo_root pfexec ssu op-su",
    otherUser,
  ),
  ...each("chroot unshare nsenter firejail bwrap proot systemd-nspawn runc crun ctr", otherWorld),
  ...each("direnv dotenv dotenvx", (call, inspect) => {
    inspect.notes("runs a program with other variables");
    const at = call.args.findIndex(
      ({ shape }) => shape === "--" || shape === "exec" || shape === "run",
    );
    if (at >= 0) inspect.runs(call.args.slice(at + (call.args[at]?.shape === "exec" ? 2 : 1)));
    else if (
      !/^(?:status|version|allow|deny|export|edit|reload|hook)$/.test(call.args[0]?.shape ?? "")
    )
      unknownOption(call, inspect);
  }),
  perf: (call, inspect) => {
    inspect.notes("measures a program");
    if (hasPid(call.args)) inspect.click("looks into other processes");
    inspect.mayRun(call.args);
  },
};

function wrapped(wrapper: Wrapper): Rule {
  return (call, inspect) => {
    wrapper.also?.(call, inspect);
    const start = afterOptions(call.args, wrapper);
    if (start === undefined) unknownOption(call, inspect);
    else {
      if (wrapper.assignments) assignWords(call.args.slice(0, start), inspect);
      const own = call.args.slice(start + ownOperands(call.args[start], wrapper));
      const words = wrapper.optionsAfterOperands ? own.slice(afterOptions(own, wrapper) ?? 0) : own;
      const [directory] = wrapper.chdir
        ? valuesOfOption(call.args.slice(0, start), wrapper.chdir)
        : [];
      if (words.length > 0) inspect.runs(directory ? wordsIn(directory, words) : words);
    }
  };
}

/** The words of a program that starts in another directory: relative paths begin there. */
function wordsIn({ shape: directory }: Word, [program, ...args]: readonly Word[]): Word[] {
  const there = args.map(({ text, shape }) =>
    /^[-/~]|^$|:/.test(shape) ? { text, shape } : { text, shape: `${directory}/${shape}` },
  );
  return program ? [program, ...there] : [];
}

function hasPid(args: readonly Word[]): boolean {
  return args.some(({ shape }) => /^(?:-[pa]|--pid|--all-cpus)/.test(shape));
}

/** `setarch -R make` leaves its own word out. */
function ownOperands(
  first: Word | undefined,
  { operands = 0, optionsAfterOperands }: Wrapper,
): number {
  const machine = /^(?:x86_64|i\d86|linux\d\d|arm|aarch64|ppc|s390|mips|uname26)/;
  return optionsAfterOperands && !machine.test(first?.shape ?? "") ? 0 : operands;
}

function otherUser(call: Call, inspect: Inspector): void {
  inspect.click("runs something as another user");
  for (const code of valuesOfOption(call.args, { short: "c", long: "command" }))
    inspect.runsCode(code, call.program);
  const at = call.args.findIndex(({ shape }) => shape === "--");
  if (at >= 0) inspect.runs(call.args.slice(at + 1));
}

/** The words are tried as a program from every place on: their options are many and differ. */
function otherWorld(call: Call, inspect: Inspector): void {
  inspect.click("runs something in another root or namespace");
  const at = call.args.findIndex(
    ({ shape }, index) => !shape.startsWith("-") && (index > 0 || call.program !== "chroot"),
  );
  if (at >= 0 && exactly(call.args[at]) !== undefined) inspect.runs(call.args.slice(at));
}

function env(call: Call, inspect: Inspector): void {
  const { args } = call;
  if (args.some(({ shape }) => /^-[a-z0]*S|^--split/.test(shape))) {
    splitsText(call, inspect);
    return;
  }
  const options: Wrapper = {
    flags: "i0v",
    valued: "uC",
    flagsLong: ["ignore-environment", "null", "debug"],
    valuedLong: ["unset", "chdir"],
    assignments: true,
  };
  const start = afterOptions(args, options);
  if (start === undefined) {
    unknownOption(call, inspect);
    return;
  }
  assignWords(args.slice(0, start), inspect);
  const words = args.slice(start).filter(({ shape }, index) => !(index === 0 && shape === "-"));
  const [directory] = valuesOfOption(args.slice(0, start), { short: "C", long: "chdir" });
  if (words.length > 0) inspect.runs(directory ? wordsIn(directory, words) : words);
}

/** `NAME=value` among the words before a program. */
function assignWords(words: readonly Word[], inspect: Inspector): void {
  for (const word of words) {
    const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(word.shape) ?? [];
    if (name !== undefined) inspect.assigns(name, { text: word.text, shape: value ?? "" });
  }
}

/** What comes in is appended: any number of words that nobody knows here. */
function xargs(call: Call, inspect: Inspector): void {
  const { args, input } = call;
  const options: Wrapper = {
    flags: "0oprtxeil0123456789",
    valued: "aEILnPsdJRS",
    flagsLong: [
      "null",
      "no-run-if-empty",
      "open-tty",
      "verbose",
      "interactive",
      "exit",
      "show-limits",
    ],
    valuedLong: [
      "arg-file",
      "delimiter",
      "eof",
      "replace",
      "max-lines",
      "max-args",
      "max-procs",
      "max-chars",
      "process-slot-var",
    ],
  };
  const start = afterOptions(args.map(withoutAttached), options);
  if (start === undefined) {
    unknownOption(call, inspect);
    return;
  }
  const [replaced] = [
    ...valuesOfOption(args.slice(0, start), { short: "I" }),
    ...valuesOfOption(args.slice(0, start), { short: "J" }),
    ...attachedMarks(args.slice(0, start)),
  ];
  const mark = replaced ? readable(replaced.shape) : undefined;
  const words = start < args.length ? args.slice(start) : [literalWord("echo")];
  const incoming: Word = { text: "…", shape: foundByFind(input) };
  const printed = printedWords(input);
  if (printed) {
    const value = mark === undefined ? "" : printed.map(({ shape }) => shape).join(" ");
    inspect.mayRun(
      mark === undefined ? [...words, ...printed] : words.map((word) => marked(word, mark, value)),
    );
    if (mark !== undefined && /(?:^|\/)(?:ba|da|z|k)?sh$/.test(readable(words[0]?.shape ?? "")))
      for (const word of words) inspect.mayRun([marked(word, mark, value)]);
  }
  if (words.length === 1 && isOpenEnded(words[0]))
    inspect.click("xargs lets its input choose what runs");
  const places = placesFound(input);
  if (mark)
    for (const value of [UNKNOWN, ...places])
      inspect.runs(words.map((word) => marked(word, mark, value)));
  else for (const word of [incoming, ...places.map(literalWord)]) inspect.runs([...words, word]);
}

/** They hand on some of their lines as they are. */
const FILTERS = /^(?:[ef]?grep|rg|sort|uniq|head|tail|tac|shuf)$/;

/** Where the files lie that find has found for xargs: judged besides what is not known about their names. */
function placesFound({ upstream }: Call["input"]): string[] {
  const origin = upstream.at(-1);
  if (origin?.program !== "find") return [];
  if (!upstream.slice(0, -1).every(({ program }) => FILTERS.test(program))) return [];
  const end = origin.args.findIndex(({ shape }) => /^[-(!]/.test(shape));
  return origin.args
    .slice(0, end < 0 ? undefined : end)
    .filter((root) => exactly(root) !== undefined)
    .map(({ shape }) => `${shape.replace(/\/$/, "")}/x${INSIDE}`);
}

function marked({ text, shape }: Word, mark: string, value: string): Word {
  return { text, shape: shape.replaceAll(mark, value) };
}

/** The words that `echo` or `printf` hands on, or those of a here-string, as far as the text tells them. */
function printedWords({ upstream, text }: Call["input"]): Word[] | undefined {
  const [only, ...others] = upstream;
  const printed =
    only && others.length === 0 && /^(?:echo|printf)$/.test(only.program) ? only.args : [];
  const words = text ? [text] : printed;
  return words.length > 0 && words.every((word) => exactly(word) !== undefined)
    ? words.flatMap(({ shape }) =>
        shape
          .split(/(?:\s|\\n)+/)
          .filter(Boolean)
          .map(literalWord),
      )
    : undefined;
}

/** Options of xargs whose value is attached or left out: to find the program they are flags. */
function withoutAttached(word: Word): Word {
  return /^(?:-[iel]\S*|--(?:replace|eof|max-lines)(?:=.*)?)$/.test(word.shape)
    ? literalWord("-r")
    : word;
}

/** `-i`, `-iR`, `--replace`, `--replace=R`: the mark is attached, or `{}`. */
function attachedMarks(options: readonly Word[]): Word[] {
  return options.flatMap(({ shape }) => {
    const [, mark] = /^(?:-i|--replace=?)(.*)$/.exec(shape) ?? [];
    return mark === undefined ? [] : [literalWord(mark === "" ? "{}" : mark)];
  });
}

/** Programs whose next word says what they do. */
function isOpenEnded(word: Word | undefined): boolean {
  return /^(?:.*\/)?(?:git|find|kubectl|docker|podman|npm|pnpm|yarn|helm|terraform|aws|gcloud|az|gh|systemctl|make|sh|bash|dash|zsh|xargs|nohup|nice|env|command|time|sudo|doas|eval|exec|ssh|python3?|node|perl|ruby)$/.test(
    readable(word?.shape ?? ""),
  );
}

/** The guard does not know where the launched command begins, so it tries every word. */
function unknownOption(call: Call, inspect: Inspector): void {
  inspect.click(`${call.program} with an option that the guard does not know`);
  inspect.mayRun(call.args);
}

function splitsText({ args }: Call, inspect: Inspector): void {
  inspect.click("env splits a text into a command");
  const texts = [
    ...valuesOfOption(args, { short: "S" }),
    ...valuesOfOption(args, { long: "split-string" }),
  ];
  for (const text of texts) inspect.runsCode(text, "env -S");
}

function parallel(call: Call, inspect: Inspector): void {
  if (call.args.some(({ shape }) => shape === "--dry-run" || shape === "--dryrun")) return;
  inspect.click("runs commands made of its input");
  const codes = operandsOf(call.args, { valued: "jPnN", valuedLong: ["jobs"] });
  const end = codes.findIndex(({ shape }) => /^:::/.test(shape));
  const words = end < 0 ? codes : codes.slice(0, end);
  if (words.length > 0) inspect.runsCode(joinedBySpaces(words), call.program);
}

function screen({ args }: Call, inspect: Inspector): void {
  if (args.some(({ shape }) => /^-(?:ls|list|wipe|v|r|x)$/.test(shape))) return;
  inspect.notes("opens a terminal");
  if (args.some(({ shape }) => shape === "-X")) inspect.click("types into another terminal");
  const words = operandsOf(args, { valued: "SctTehps" });
  if (words.length > 0) inspect.runs(words);
}

const TMUX_LOOKS =
  /^(?:ls|list-.*|has.*|attach.*|a|at|info|display.*|show.*|capture-pane|kill-.*|detach.*|switch.*|select.*|rename.*|resize.*)$/;

/** Verbs of tmux that open a terminal with a command, and those that type into one. */
function terminals({ args }: Call, inspect: Inspector): void {
  const at = args.findIndex(
    ({ shape }, index) => !shape.startsWith("-") && !/^-[LSf]$/.test(args[index - 1]?.shape ?? ""),
  );
  const verb = readable(args[at]?.shape ?? "new");
  if (TMUX_LOOKS.test(verb)) return;
  inspect.notes("opens a terminal");
  if (!/^(?:new|neww|new-.*|split.*|respawn.*|start.*)$/.test(verb))
    inspect.click("types into another terminal");
  const words = operandsOf(args.slice(at + 1), { valued: "sntcexyFl" });
  if (words.length > 0) inspect.runsCode(joinedBySpaces(words), "tmux");
}

/** What xargs gets from a find that stays below a directory and looks for something is as good as find's own -exec. */
function foundByFind({ upstream }: Call["input"]): string {
  const [only, ...others] = upstream;
  const first = only?.args[0]?.shape ?? "";
  // Without a starting point find begins where the shell stands.
  const root = /^-(?:i?name|i?path|i?regex|type|maxdepth|mindepth)$/.test(first) ? "." : first;
  const filtered = only?.args.some(({ shape }) => /^-(?:i?name|i?path|i?regex)$/.test(shape));
  const plain =
    only?.program === "find" &&
    others.length === 0 &&
    filtered &&
    /^[\w./-]+$/.test(root) &&
    !root.startsWith("-");
  return plain ? `${root.replace(/\/$/, "")}/x${INSIDE}` : UNKNOWN_WORDS;
}

function flock(call: Call, inspect: Inspector): void {
  const codes = valuesOfOption(call.args, { short: "c", long: "command" });
  if (codes.length > 0) for (const code of codes) inspect.runsCode(code, "flock -c");
  else
    wrapped({
      flags: "enosuFx",
      valued: "wE",
      valuedLong: ["timeout", "conflict-exit-code"],
      flagsLong: ["nonblock", "exclusive", "shared", "no-fork", "unlock", "verbose"],
      operands: 1,
    })(call, inspect);
}

/** `watch` hands its words to a shell. */
function runsRest(call: Call, inspect: Inspector, wrapper: Wrapper): void {
  const start = afterOptions(call.args, wrapper);
  if (start === undefined) unknownOption(call, inspect);
  else if (start < call.args.length)
    inspect.runsCode(joinedBySpaces(call.args.slice(start)), call.program);
}
