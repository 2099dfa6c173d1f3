import { hasOption, valuesOfOption } from "../options.ts";
import { type Call, each, type Inspector, type Rules } from "../rule.ts";
import { isUnknown, literalWord, mayBeOptions, readable, type Word } from "../word.ts";
import { readSedScript } from "./sed-script.ts";
import { printedTexts } from "./upstream.ts";

/** Small languages of their own: their scripts can write files and start programs. */
export const textTools: Rules = {
  ...each("sed gsed", sed),
  ...each("awk gawk mawk nawk", awk),
};

function sed(call: Call, inspect: Inspector): void {
  const { args } = call;
  const inPlace = args.some(({ shape }) => /^-[a-zA-Z]*i|^--in/.test(shape));
  if (inPlace) inspect.notes("changes files in place");
  if (args.some(mayBeOptions)) inspect.notes("sed with words that are known only at run time");
  const scripts = [...valuesOfOption(args, { short: "e", long: "expression" })];
  const fromFile = hasOption(args, { short: "f", long: "file" });
  const operands = args.filter(
    ({ shape }, index) =>
      !/^-./.test(shape) &&
      !/^(?:-[a-zA-Z]*[efl]|--expression|--file|--line-length)$/.test(args[index - 1]?.shape ?? ""),
  );
  if (fromFile) inspect.notes("runs a sed script from a file");
  if (scripts.length === 0 && !fromFile && operands[0]) scripts.push(operands.shift() as Word);
  for (const script of scripts) sedScript(script, inspect);
  for (const text of scriptFiles(call, inspect)) sedScript(literalWord(text), inspect);
  if (inPlace) for (const file of operands) inspect.writes(file);
}

/** Scripts on the input: `-f -`, `-f /dev/stdin`. One that another program makes is asked for. */
function scriptFiles(call: Call, inspect: Inspector): string[] {
  const files = valuesOfOption(call.args, { short: "f", long: "file" });
  if (files.some(isUnknown)) inspect.hides("a script that is known only at run time");
  if (!files.some(({ shape }) => /^(?:-|\/dev\/(?:stdin|fd\/.*))$/.test(shape))) return [];
  const texts = call.input.file ? undefined : printedTexts(call.input);
  if (texts === undefined || texts.length === 0)
    inspect.hides("a script that is known only at run time");
  return texts ?? [];
}

function sedScript(script: Word, inspect: Inspector): void {
  // A replacement from a variable is everyday; that it holds `e` or `w` commands is possible, too.
  if (isUnknown(script)) inspect.notes("a sed script that is known only at run time");
  const effects = readSedScript(readable(script.shape));
  if (effects === undefined) inspect.click("a sed script that cannot be judged");
  else if (effects.starts) {
    inspect.hides("makes sed start another program");
    // s/…/COMMAND/e
    inspect.mayRun(
      readable(script.shape)
        .split(/[/|#,@\n;]/)
        .map(literalWord),
    );
  }
  for (const file of effects?.writes ?? []) inspect.writes(literalWord(file));
}

function awk(call: Call, inspect: Inspector): void {
  const { args } = call;
  let index = 0;
  for (; index < args.length; index++) {
    const { shape } = args[index] as Word;
    if (/^-[fE]|^--(?:file|exec|source|include|load)/.test(shape))
      inspect.notes("runs an awk script from a file");
    if (/^-[liE@]|^--(?:load|include|exec)/.test(shape)) inspect.click("loads code into awk");
    if (/^-[eE]|^--source/.test(shape)) break;
    if (!shape.startsWith("-") || shape === "--") break;
    if (/^-[vFf]$/.test(shape)) index++;
  }
  const program = args[index]?.shape.startsWith("-") ? args[index + 1] : args[index];
  const fromFile = args.some(({ shape }) => /^-f/.test(shape));
  if (program && !fromFile) awkProgram(program, inspect);
  for (const text of scriptFiles(call, inspect)) awkProgram(literalWord(text), inspect);
  if (
    valuesOfOption(args, { short: "f", long: "file" }).some((file) =>
      inspect.cameFromElsewhere(file),
    )
  )
    inspect.click("runs a downloaded file");
  if (args.some(mayBeOptions)) inspect.notes("awk with words that are known only at run time");
}

function awkProgram(program: Word, inspect: Inspector): void {
  if (isUnknown(program)) inspect.click("an awk program that is known only at run time");
  const code = withoutAwkRegExps(readable(program.shape));
  const bare = code.replaceAll(/"(?:[^"\\]|\\[\s\S])*"/g, '""');
  if (/\bsystem\s*\(|@load|@include|@\w+\s*\(/.test(bare) || /(?<!\|)\|(?!\|)/.test(bare))
    inspect.hides("makes awk start another program");
  for (const [, target] of code.matchAll(/\bprintf?\b[^;}\n]*>>?\s*"((?:[^"\\]|\\[\s\S])*)"/g))
    inspect.writes(literalWord(target ?? ""));
  if (/\bprintf?\b[^;}\n]*>>?\s*[^"\s=]/.test(bare))
    inspect.notes("writes a file whose name is known only at run time");
  if (/\bENVIRON\b/.test(bare) && /token|secret|passw|key/i.test(code))
    inspect.click("reads a secret");
}

/** A slash begins a regular expression where a value may stand, else it divides. */
function withoutAwkRegExps(code: string): string {
  return code.replaceAll(/(^|[({,;!~&|\n]|\breturn)(\s*)\/(?:[^/\\\n]|\\.)*\//g, '$1$2""');
}
