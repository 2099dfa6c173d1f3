import { operandsOf } from "../options.ts";
import { type Call, each, type Inspector, type Rules } from "../rule.ts";
import { isUnknown, literalWord, readable, type Word } from "../word.ts";
import { codeArgument } from "./code-arguments.ts";
import { printedTexts } from "./upstream.ts";

/** Editors: what they are given to do can start programs and write other files. */
export const editors: Rules = {
  ...each("vim vi nvim view ex vimdiff rvim gvim", vim),
  ...each("nano pico micro", (_, inspect) => inspect.notes("edits files")),
  emacs,
  ed: (call, inspect) => {
    inspect.notes("edits files");
    const commands = commandsOnInput(call, inspect);
    if (commands.some((text) => /^[\d,.$%+\-;/\w]*[rweEf]?\s*!/m.test(text)))
      gives(commands, inspect);
    if (commands.some((text) => /(?:^|[^a-z])wq?(?:\s|$)/m.test(text)) || commands.length === 0)
      for (const file of operandsOf(call.args, { valued: "p" })) inspect.writes(file);
  },
};

/** The lines that an editor without a screen gets; what cannot be seen is asked for. */
function commandsOnInput({ input }: Call, inspect: Inspector): string[] {
  const texts = printedTexts(input);
  if (texts === undefined || (input.file && isUnknown(input.file)))
    inspect.hides("gives an editor commands that are known only at run time");
  if (input.file && inspect.wasWritten(input.file))
    inspect.hides("runs a file that it has just written");
  return texts ?? [];
}

function gives(commands: readonly string[], inspect: Inspector): void {
  inspect.hides("gives an editor commands to run");
  for (const text of commands)
    for (const line of text.split(/\n|\\n/)) {
      const [, code] = /!\s*(.*)$/.exec(line) ?? [];
      if (code) inspect.mayRun([literalWord(code)]);
    }
}

/** Words of vim's language that start programs or read other scripts. */
const VIM_STARTS =
  /!|system|term|:sh|\bsh\b|job_start|\bpy(?:3|x|do|file|thon|xfile|xdo|3do|3file)?\b|python|perl|lua|ruby?\b|rubydo|rubyfile|tcl|mz(?:scheme)?\b|source|\bso\b|\bru(?:ntime)?\b|packadd|execute|\bexe\b|eval|call|shell|process|\bmake\b|grepprg|makeprg|formatprg|equalprg/i;

function vim(call: Call, inspect: Inspector): void {
  const { args, program } = call;
  inspect.notes("edits files");
  const given = args
    .filter(
      ({ shape }, index) =>
        /^\+|^--(?:cmd|eval)/.test(shape) ||
        /^(?:-[a-zA-Z]*c|--cmd)$/.test(args[index - 1]?.shape ?? ""),
    )
    .map(({ shape }) => readable(shape));
  const isBlind =
    (program === "ex" || args.some(({ shape }) => /^-[a-zA-Z]*[esE]/.test(shape))) &&
    given.length === 0;
  const commands = [...given, ...(isBlind ? commandsOnInput(call, inspect) : [])];
  // `:wq!` and its like overrule a question of vim's own.
  const starting = commands.filter((text) =>
    VIM_STARTS.test(text.replaceAll(/\b(?:wq?a?|qa?|xa?|e|up|update)!/g, "")),
  );
  if (starting.length > 0) gives(starting, inspect);
  for (const [index, { shape }] of args.entries()) {
    const script = args[index + 1];
    if (!/^-[a-zA-Z]*[uSs]$/.test(shape) || !script) continue;
    if (/[uS]$/.test(shape) && !/^(?:NONE|NORC|DEFAULTS)$/.test(script.shape))
      inspect.click("gives an editor commands to run");
    if (inspect.wasWritten(script) || isUnknown(script))
      inspect.hides("runs a file that it has just written");
  }
  for (const text of commands)
    for (const [, path = ""] of text.matchAll(
      /(?:^|[:|+])\s*(?:w|wq|x|sav|saveas|update|write)!?\s+(?:>>\s*)?([^\s|]+)/g,
    ))
      inspect.writes(literalWord(path));
}

function emacs({ args }: Call, inspect: Inspector): void {
  inspect.notes("edits files");
  for (const [index, { text, shape }] of args.entries()) {
    const [option, , attached] =
      /^--?(eval|execute|load|l|funcall|f|script|insert)(?:=([\s\S]*))?$/.exec(shape) ?? [];
    if (option === undefined) continue;
    const value: Word | undefined =
      attached === undefined ? args[index + 1] : { text, shape: attached };
    if (/ev|ex/.test(option)) codeArgument(value, inspect);
    else if (value && (isUnknown(value) || inspect.wasWritten(value)))
      inspect.hides("runs a file that it has just written");
  }
}
