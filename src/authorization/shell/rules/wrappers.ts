import { operandsOf, valuesOfOption } from "../options.ts";
import {
  type Call,
  each,
  type Inspector,
  type Rule,
  type Rules,
  SOME_OUTPUT,
  tool,
} from "../rule.ts";
import { exactly, literalWord, readable, type Word } from "../word.ts";
import { looksOnly, verbsAmong } from "./client-verbs.ts";
import { parallel } from "./parallel.ts";
import { joinedBySpaces } from "./shells.ts";
import { afterOptions, unknownOption, type Wrapper } from "./wrapper-options.ts";
import { asRoot, WRAPPERS } from "./wrapper-table.ts";
import { xargs } from "./xargs.ts";

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
  ...each("zellij byobu", (call, inspect) => {
    if (looksOnly(verbsAmong(call.args))) inspect.notes("looks at terminals");
    else inspect.click("opens terminals that Deckhand does not see");
  }),
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
    inspect.notes("writes a terminal's screen to a file");
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
  ...each("chroot unshare nsenter firejail bwrap proot systemd-nspawn runc crun", otherWorld),
  ctr: (call, inspect) => {
    const [kind, verb] = operandsOf(call.args, { valued: "na" }).map(({ shape }) => shape);
    if (/^(?:ls|list|info|check|metrics)$/.test(verb ?? "") || kind === "version")
      inspect.notes("looks at containers");
    else otherWorld(call, inspect);
  },
  ...each("direnv dotenv dotenvx", (call, inspect) => {
    inspect.notes("runs a program with other variables");
    if (/^(?:allow|permit|grant|edit)$/.test(call.args[0]?.shape ?? ""))
      inspect.click("lets a file of the project run by itself");
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
    if (hasPid(call.args)) inspect.click("reads other processes");
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
  inspect.click("runs a command as another user");
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

function splitsText({ args }: Call, inspect: Inspector): void {
  inspect.click("env splits a text into a command");
  const texts = [
    ...valuesOfOption(args, { short: "S" }),
    ...valuesOfOption(args, { long: "split-string" }),
  ];
  for (const text of texts) inspect.runsCode(text, "env -S");
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
