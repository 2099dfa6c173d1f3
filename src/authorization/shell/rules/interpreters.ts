import { operandsOf, valuesOfOption } from "../options.ts";
import { type Call, each, type Inspector, type Rule, type Rules } from "../rule.ts";
import { literalWord, mayBeOptions, readable, type Word } from "../word.ts";
import { objectionToCode } from "./code.ts";
import { codeArgument } from "./code-arguments.ts";
import { emptiesDatabase } from "./places.ts";
import { printedTexts } from "./upstream.ts";

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
      inspect.click("runs a downloaded file");
  },
  perl: interpreter({ code: "eE", valued: "IMm" }),
  ruby: interpreter({ code: "e", valued: "rI" }),
  php: interpreter({ code: "rBRE", valued: "dcz" }),
  ...each("lua luajit", interpreter({ code: "e", valued: "l" })),
  ...each(
    "Rscript R julia elixir iex groovy scala scala-cli jshell jrunscript clojure clj ghc raku rakudo racket octave octave-cli gnuplot ocaml nim ghci rhino bsh swipl gforth pike",
    interpreter({ code: "eE", codeLong: ["eval", "execute"] }),
  ),
  ...each("erl sbcl clisp ccl chez", singleDashed(["eval", "--eval", "-x"])),
  ...each("guile sage jython micropython", interpreter({ code: "c" })),
  ...each("jruby truffleruby mruby", interpreter({ code: "e", valued: "rI" })),
  maxima: interpreter({ code: "", codeLong: ["batch-string"], valued: "rb" }),
  ...each("tclsh wish", (call, inspect) => {
    interpreter({ code: "" })(call, inspect);
    for (const text of printedTexts(call.input) ?? []) {
      const [, code] = /\b(?:exec|open\s+["{]?\|)\s*(.*)/s.exec(text) ?? [];
      if (code === undefined) continue;
      inspect.hides("code that starts programs");
      inspect.mayRun([literalWord(code)]);
    }
  }),
  crystal: (call, inspect) => {
    inspect.notes("builds or runs the project");
    const [verb, code] = call.args;
    if (verb?.shape === "eval") codeArgument(code, inspect);
  },
  java,
  ...each("gdb lldb", debuggers),
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
    if (/^R(?:script)?$/.test(call.program) && codes.some(releasesPackage))
      inspect.phrase("publishes a package or a site");
    const inPlace =
      args.some(({ shape }) => /^-[a-z]*i/.test(shape)) && /^(?:perl|ruby)$/.test(call.program);
    if (inPlace) for (const path of operandsOf(args).slice(1)) inspect.writes(path);
    if (inPlace)
      for (const path of operandsOf(args).slice(0, 1)) if (codes[0] !== path) inspect.writes(path);
    if (codes.length > 0) return;
    const moduleAt = module === "" ? -1 : args.findIndex(({ shape }) => shape === `-${module}`);
    if (moduleAt >= 0) {
      const [name, ...rest] = args.slice(moduleAt + 1);
      if (/^(?:timeit|trace|pdb|cProfile|profile)$/.test(name?.shape ?? ""))
        for (const word of rest) codeArgument(word, inspect);
      inspect.runs(args.slice(moduleAt + 1));
      return;
    }
    const script = scriptOf(args, valued);
    emptiesDatabase(call, inspect);
    if (script === undefined) readsCode(call, inspect);
    else if (script === "-" || /^\/dev\/(?:stdin|fd)/.test(script)) readsCode(call, inspect);
    else if (mayBeOptions({ text: script, shape: script }))
      inspect.click("runs a script that is known only at run time");
    else if (isFetched({ text: script, shape: script }, inspect))
      inspect.click("runs a downloaded file");
    if (
      /setup\.py$/.test(script ?? "") &&
      args.some(({ shape }) => shape === "upload" || shape === "register")
    )
      inspect.phrase("publishes a package");
    if (/^\/dev\/fd/.test(script ?? "")) readsCode(call, inspect);
  };
}

/** R's own calls that publish. */
function releasesPackage(code: Word | undefined): boolean {
  return /\b(?:devtools::(?:release|submit_cran)|submit_cran|rsconnect::deploy\w+|deployApp|use_github_release)\s*\(/.test(
    readable(code?.shape ?? ""),
  );
}

/** `erl -eval CODE`: a long option behind one dash. */
function singleDashed(options: readonly string[]): Rule {
  return ({ args, program }, inspect) => {
    inspect.notes(`runs ${program} code, which can change the sandbox`);
    for (const [index, { shape }] of args.entries())
      if (options.some((option) => shape.replace(/^--?/, "") === option.replace(/^--?/, "")))
        codeArgument(args[index + 1], inspect);
  };
}

/** `-XX:OnError=COMMAND` and its like hand a text to a shell; an agent is code of its own. */
function java({ args }: Call, inspect: Inspector): void {
  inspect.notes("runs a program");
  for (const { text, shape } of args) {
    const [, code] = /^-XX:On(?:Error|OutOfMemoryError)=([\s\S]*)$/.exec(shape) ?? [];
    if (code !== undefined) inspect.runsCode({ text, shape: code }, "java -XX:OnError");
    if (/^-(?:agentpath:|agentlib:(?!jdwp)|javaagent:\/tmp\/|Xbootclasspath)/.test(shape))
      inspect.click("loads code into java");
  }
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
  if (strangers.length > 0) inspect.click("runs the output of another program");
  for (const call of input.upstream)
    for (const word of call.args) if (FAITHFUL.has(call.program)) printedCode(word, inspect);
}

function printedCode(word: Word, inspect: Inspector): void {
  const objection = objectionToCode(readable(word.shape));
  if (objection) inspect.click(objection);
}

function debuggers({ args }: Call, inspect: Inspector): void {
  inspect.notes("runs a program in a debugger");
  if (args.some(({ shape }) => /\b(?:shell|python|call|system|pipe|make)\b|!/.test(shape)))
    inspect.click("gives a debugger commands to run");
  if (args.some(({ shape }) => /^-(?:p|-pid)/.test(shape)))
    inspect.click("attaches to another process");
  const at = args.findIndex(({ shape }) => shape === "--args" || shape === "--");
  if (at >= 0) inspect.runs(args.slice(at + 1));
}
