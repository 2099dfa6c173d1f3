import { valuesOfOption } from "../options.ts";
import { asks, type Call, each, type Inspector, type Rule, type Rules } from "../rule.ts";
import { exactly, literalWord, readable, UNKNOWN, UNKNOWN_WORDS, type Word } from "../word.ts";
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
  env,
  xargs,
  parallel: asks("runs commands made of its input"),
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
    inspect.medium("writes what a terminal shows");
    for (const code of valuesOfOption(call.args, { short: "c", long: "command" }))
      inspect.runsCode(code, "script -c");
  },
  ...each("busybox toybox", ({ args }, inspect) =>
    args.length > 0 ? inspect.runs(args) : undefined,
  ),
  // It runs an editor on copies of the files, and writes them back as root.
  sudoedit: asRoot,
  ...each("su runuser sg newgrp pkexec gosu su-exec setpriv capsh machinectl", otherUser),
  ...each("chroot unshare nsenter firejail bwrap proot systemd-nspawn runc crun ctr", otherWorld),
  ...each("direnv dotenv dotenvx", (call, inspect) => {
    inspect.medium("runs a program with other variables");
    const at = call.args.findIndex(
      ({ shape }) => shape === "--" || shape === "exec" || shape === "run",
    );
    if (at >= 0) inspect.runs(call.args.slice(at + (call.args[at]?.shape === "exec" ? 2 : 1)));
    else inspect.high("an option that the guard does not know");
  }),
  perf: asks("looks into other processes"),
};

function wrapped(wrapper: Wrapper): Rule {
  return (call, inspect) => {
    wrapper.also?.(call, inspect);
    const start = afterOptions(call.args, wrapper);
    if (start === undefined)
      inspect.high(`${call.program} with an option that the guard does not know`);
    else {
      const words = call.args.slice(start + (wrapper.operands ?? 0));
      if (words.length > 0) inspect.runs(words);
    }
  };
}

function otherUser(call: Call, inspect: Inspector): void {
  inspect.high("runs something as another user");
  for (const code of valuesOfOption(call.args, { short: "c", long: "command" }))
    inspect.runsCode(code, call.program);
  const at = call.args.findIndex(({ shape }) => shape === "--");
  if (at >= 0) inspect.runs(call.args.slice(at + 1));
}

/** The words are tried as a program from every place on: their options are many and differ. */
function otherWorld(call: Call, inspect: Inspector): void {
  inspect.high("runs something in another root or namespace");
  const at = call.args.findIndex(
    ({ shape }, index) => !shape.startsWith("-") && (index > 0 || call.program !== "chroot"),
  );
  if (at >= 0 && exactly(call.args[at]) !== undefined) inspect.runs(call.args.slice(at));
}

function env(call: Call, inspect: Inspector): void {
  const { args } = call;
  if (args.some(({ shape }) => /^-[a-z0]*S|^--split/.test(shape)))
    inspect.high("env splits a text into a command");
  const options: Wrapper = {
    flags: "i0v",
    valued: "uC",
    flagsLong: ["ignore-environment", "null", "debug"],
    valuedLong: ["unset", "chdir"],
    assignments: true,
  };
  const start = afterOptions(args, options);
  if (start === undefined) {
    inspect.high("env with an option that the guard does not know");
    return;
  }
  for (const word of args.slice(0, start)) {
    const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(word.shape) ?? [];
    if (name !== undefined) inspect.assigns(name, { text: word.text, shape: value ?? "" });
  }
  const words = args.slice(start).filter(({ shape }, index) => !(index === 0 && shape === "-"));
  if (words.length > 0) inspect.runs(words);
}

/** What comes in is appended: any number of words that nobody knows here. */
function xargs({ args, input }: Call, inspect: Inspector): void {
  const options: Wrapper = {
    flags: "0oprtx",
    valued: "aEeIiLlnPsd",
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
  const start = afterOptions(args, options);
  if (start === undefined) {
    inspect.high("xargs with an option that the guard does not know");
    return;
  }
  const [replaced] = [
    ...valuesOfOption(args.slice(0, start), { short: "I" }),
    ...valuesOfOption(args.slice(0, start), { long: "replace" }),
  ];
  const mark = replaced ? readable(replaced.shape) : undefined;
  const words = start < args.length ? args.slice(start) : [literalWord("echo")];
  const incoming: Word = { text: "…", shape: foundByFind(input) };
  if (mark)
    inspect.runs(
      words.map(({ text, shape }) => ({ text, shape: shape.replaceAll(mark, UNKNOWN) })),
    );
  else inspect.runs([...words, incoming]);
}

/** What xargs gets from a find that stays below a directory and looks for something is as good as find's own -exec. */
function foundByFind({ upstream }: Call["input"]): string {
  const [only, ...others] = upstream;
  const root = only?.args[0]?.shape ?? "";
  const filtered = only?.args.some(({ shape }) => /^-(?:i?name|i?path|i?regex)$/.test(shape));
  const plain =
    only?.program === "find" &&
    others.length === 0 &&
    filtered &&
    /^[\w./-]+$/.test(root) &&
    !root.startsWith("-");
  return plain ? `${root.replace(/\/$/, "")}/x${UNKNOWN}` : UNKNOWN_WORDS;
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
  if (start === undefined)
    inspect.high(`${call.program} with an option that the guard does not know`);
  else if (start < call.args.length)
    inspect.runsCode(joinedBySpaces(call.args.slice(start)), call.program);
}
