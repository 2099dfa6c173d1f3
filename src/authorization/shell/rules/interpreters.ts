import { operandsOf, valuesOfOption } from "../options.ts";
import { type Call, each, type Inspector, type Rule, type Rules } from "../rule.ts";
import { isUnknown, literalWord, mayBeOptions, readable, type Word } from "../word.ts";
import { effectsOfCode, objectionToCode } from "./code.ts";

interface Language {
  /** Letters of the options that take code. */
  readonly code: string;
  readonly codeLong?: readonly string[];
  /** Letters whose value is the next word. */
  readonly valued?: string;
  /** The letter before a module that is run like a program. */
  readonly module?: string;
}

const PYTHON: Language = { code: "c", valued: "WXm", module: "m" };
const NODE: Language = { code: "ep", codeLong: ["eval", "print"], valued: "r" };

/** Languages whose programs are text. A script file is as good as any program: it can do what the user can. */
export const interpreters: Rules = {
  ...each(
    "python python2 python3 python3.9 python3.10 python3.11 python3.12 python3.13 pypy pypy3 ipython",
    interpreter(PYTHON),
  ),
  ...each("node nodejs bun-node tsx ts-node", interpreter(NODE)),
  deno: (call, inspect) => {
    interpreter({ code: "", codeLong: ["eval"] })(call, inspect);
    const at = call.args.findIndex(({ shape }) => shape === "eval");
    if (at >= 0) codeArgument(call.args[at + 1], inspect);
    if (call.args.some(({ shape }) => shape === "publish")) inspect.phrase("publishes a package");
    if (call.args.some(({ shape }) => /^https?:/.test(shape)))
      inspect.click("runs what was downloaded");
  },
  perl: interpreter({ code: "eE", valued: "IMm" }),
  ruby: interpreter({ code: "e", valued: "rI" }),
  php: interpreter({ code: "rBRE", valued: "dcz" }),
  ...each("lua luajit", interpreter({ code: "e", valued: "l" })),
  ...each(
    "Rscript R julia elixir groovy scala jshell",
    interpreter({ code: "eE", codeLong: ["eval", "execute"] }),
  ),
  java: (_, inspect) => inspect.notes("runs a program"),
  ...each("gdb lldb", debuggers),
  ...each("vim vi nvim view ex vimdiff rvim gvim", editor),
  ...each("nano pico micro", (_, inspect) => inspect.notes("edits files")),
  ...each("emacs", editor),
  ed: (call, inspect) => {
    inspect.notes("edits files");
    const commands = readable(call.input.text?.shape ?? "");
    if (/^!|^[rwe]\s*!/m.test(commands)) inspect.click("gives an editor commands to run");
    if (/(?:^|[^a-z])wq?(?:\s|$)/m.test(commands) || call.input.upstream.length > 0)
      for (const file of operandsOf(call.args, { valued: "p" })) inspect.writes(file);
  },
};

function interpreter({ code, codeLong = [], valued = "", module = "" }: Language): Rule {
  return (call, inspect) => {
    const { args } = call;
    if (args.length === 1 && /^(?:--version|-V|-v|--help)$/.test(args[0]?.shape ?? "")) return;
    inspect.notes(`runs ${call.program} code, which can change the sandbox`);
    const cluster = args.findIndex(({ shape }) => hasCodeLetter(shape, code, valued));
    const codes = [
      ...(cluster >= 0 ? [codeAfter(args, cluster, code)] : []),
      ...codeLong.flatMap((long) => valuesOfOption(args, { long })),
    ];
    for (const one of codes) codeArgument(one, inspect);
    const inPlace =
      args.some(({ shape }) => /^-[a-z]*i/.test(shape)) && /^(?:perl|ruby)$/.test(call.program);
    if (inPlace) for (const path of operandsOf(args).slice(1)) inspect.writes(path);
    if (inPlace)
      for (const path of operandsOf(args).slice(0, 1)) if (codes[0] !== path) inspect.writes(path);
    if (codes.length > 0) return;
    const moduleAt = module === "" ? -1 : args.findIndex(({ shape }) => shape === `-${module}`);
    if (moduleAt >= 0) {
      inspect.runs(args.slice(moduleAt + 1));
      return;
    }
    const script = scriptOf(args, valued);
    if (script === undefined) readsCode(call, inspect);
    else if (script === "-" || /^\/dev\/(?:stdin|fd)/.test(script)) readsCode(call, inspect);
    else if (mayBeOptions({ text: script, shape: script }))
      inspect.click("runs a script that is only known when it runs");
    else if (isFetched({ text: script, shape: script }, inspect))
      inspect.click("runs what was downloaded");
    if (
      /setup\.py$/.test(script ?? "") &&
      args.some(({ shape }) => shape === "upload" || shape === "register")
    )
      inspect.phrase("publishes a package");
    if (/^\/dev\/fd/.test(script ?? "")) readsCode(call, inspect);
  };
}

/** `-c`, `-pe`, `-ne`: the code letter ends a cluster or its code follows at once. */
function hasCodeLetter(shape: string, code: string, valued: string): boolean {
  if (!/^-[a-zA-Z]/.test(shape) || code === "") return false;
  for (const letter of shape.slice(1)) {
    if (code.includes(letter)) return true;
    if (valued.includes(letter)) return false;
  }
  return false;
}

function codeAfter(args: readonly Word[], index: number, code: string): Word | undefined {
  const { text, shape } = args[index] as Word;
  const at = [...shape].findIndex((letter) => code.includes(letter));
  const rest = shape.slice(at + 1);
  return rest === "" || /^[a-z]$/.test(rest) ? args[index + 1] : { text, shape: rest };
}

function codeArgument(code: Word | undefined, inspect: Inspector): void {
  if (!code) return;
  // What a quoted variable brings along is data or code, nobody can tell; the rest is looked at all the same.
  if (isUnknown(code)) inspect.click("code that is only known when it runs");
  const text = readable(code.shape);
  const objection = objectionToCode(text);
  if (objection) inspect.click(objection);
  if (objection) inspect.mayRun([code]);
  const effects = effectsOfCode(text);
  for (const path of effects.removes) inspect.deletes(literalWord(path), { recursive: true });
  for (const path of effects.writes) inspect.writes(literalWord(path));
  if (effects.fetches) inspect.downloads(undefined);
}

/** The script's name, or nothing: then code is read from the input. */
function scriptOf(args: readonly Word[], valued: string): string | undefined {
  for (let index = 0; index < args.length; index++) {
    const { shape } = args[index] as Word;
    if (shape === "-" || !shape.startsWith("-")) return shape;
    if (valued.includes(shape.slice(-1)) && shape.length === 2) index++;
  }
  return undefined;
}

function isFetched(script: Word, inspect: Inspector): boolean {
  return /^[a-z]+:\/\//.test(script.shape) || inspect.cameFromElsewhere(script);
}

/** Programs that hand on what the text or a file says, unchanged. */
const FAITHFUL = new Set(["echo", "printf", "cat"]);

function readsCode({ input }: Call, inspect: Inspector): void {
  if (input.text) codeArgument(input.text, inspect);
  const strangers = input.upstream.filter(({ program }) => !FAITHFUL.has(program));
  if (strangers.length > 0) inspect.click("runs what another program prints");
  for (const call of input.upstream)
    for (const word of call.args) if (FAITHFUL.has(call.program)) printedCode(word, inspect);
}

function printedCode(word: Word, inspect: Inspector): void {
  const objection = objectionToCode(readable(word.shape));
  if (objection) inspect.click(objection);
}

function editor({ args }: Call, inspect: Inspector): void {
  inspect.notes("edits files");
  const commands = args.filter(
    ({ shape }, index) =>
      /^\+|^--(?:cmd|eval)/.test(shape) ||
      /^(?:-c|-S|-s|--cmd|--eval|-e)$/.test(args[index - 1]?.shape ?? ""),
  );
  if (
    commands.some(({ shape }) =>
      /!|system|term|:sh|\bsh\b|job_start|python|perl|lua|ruby|tcl|source|\bso\b|execute|eval|call|shell|process/i.test(
        shape,
      ),
    )
  )
    inspect.click("gives an editor commands to run");
  if (args.some(({ shape }) => /^-[uS]$/.test(shape)))
    inspect.click("gives an editor commands to run");
  for (const { shape } of commands)
    for (const [, path = ""] of readable(shape).matchAll(
      /(?:^|[:|+])\s*(?:w|wq|x|sav|saveas|update|write)!?\s+(?:>>\s*)?([^\s|]+)/g,
    ))
      inspect.writes(literalWord(path));
}

function debuggers({ args }: Call, inspect: Inspector): void {
  inspect.notes("runs a program in a debugger");
  if (args.some(({ shape }) => /\b(?:shell|python|call|system|pipe|make)\b|!/.test(shape)))
    inspect.click("gives a debugger commands to run");
  if (args.some(({ shape }) => /^-(?:p|-pid)/.test(shape)))
    inspect.click("reaches into another process");
  const at = args.findIndex(({ shape }) => shape === "--args" || shape === "--");
  if (at >= 0) inspect.runs(args.slice(at + 1));
}
