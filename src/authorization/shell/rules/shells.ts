import { operandsOf } from "../options.ts";
import { mayDiffer, readsAsInBash } from "../other-shells.ts";
import { type Call, each, type Inspector, type Rules } from "../rule.ts";
import { exactly, isUnknown, literalWord, readable, type Word } from "../word.ts";

/** Shells, and builtins that run text as one. */
export const shells: Rules = {
  ...each("sh bash dash ash zsh ksh mksh rbash", shell),
  ...each("fish csh tcsh pwsh powershell xonsh nu elvish", foreignShell),
  eval: ({ args }, inspect) => inspect.runsCode(joinedBySpaces(args), "eval"),
  source: sourced,
  ".": sourced,
  trap,
};

interface ShellArguments {
  readonly operand: Word | undefined;
  readonly takesCode: boolean;
  readonly readsInput: boolean;
  /** An option that is not known, or one that reads another file first. */
  readonly odd: Word | undefined;
}

function shell(call: Call, inspect: Inspector): void {
  const { operand, takesCode, readsInput, odd } = shellArguments(call.args);
  inspect.notes("runs a script");
  if (odd) inspect.click(`${call.program} with the option ${readable(odd.shape)}`);
  const isForeign = call.program === "zsh" && (takesCode || readsInput || !operand);
  const code = takesCode ? operand : call.input.text;
  if (isForeign && code && !readsAsInBash(readable(code.shape), "zsh"))
    inspect.hides(mayDiffer("zsh"));
  if (takesCode && operand) inspect.runsCode(operand, `${call.program} -c`);
  else if (operand && !readsInput) runsScript(operand, call, inspect);
  else runsInput(call, inspect);
}

const KNOWN_OPTION =
  /^[-+][abefhiklmnprstuvxBCEHPTcDO]+$|^[-+][a-zA-Z]*[oO]$|^--(?:login|noprofile|norc|posix|noediting|verbose|version|help|restricted)$/;

/** Options come first, also after -c: `bash -c -x 'ls'` runs ls. */
function shellArguments(args: readonly Word[]): ShellArguments {
  let index = 0;
  let letters = "";
  let odd: Word | undefined;
  for (; index < args.length && /^[-+]/.test(args[index]?.shape ?? ""); index++) {
    const word = args[index] as Word;
    if (word.shape === "--" || word.shape === "-") {
      index++;
      break;
    }
    if (!KNOWN_OPTION.test(word.shape)) odd ??= word;
    if (!word.shape.startsWith("--")) letters += word.shape.slice(1);
    if (/^[-+][a-zA-Z]*[oO]$/.test(word.shape)) index++;
  }
  return {
    operand: args[index],
    takesCode: letters.includes("c"),
    readsInput: letters.includes("s"),
    odd,
  };
}

function runsScript(script: Word, call: Call, inspect: Inspector): void {
  if (isUnknown(script)) inspect.click("runs a script that is known only at run time");
  else if (/^\/(?:dev|proc)\//.test(script.shape)) {
    if (script !== call.input.file) runsInput(call, inspect);
  } else if (inspect.wasWritten(script)) inspect.hides("runs a file that it has just written");
  else if (inspect.cameFromElsewhere(script)) inspect.click("runs a downloaded file");
}

/** Text on a shell's input is code. A here-document can be read; what another program prints cannot. */
function runsInput(call: Call, inspect: Inspector): void {
  const { input, program } = call;
  if (input.text) inspect.runsCode(input.text, `${program} reading its input`);
  else if (input.file) {
    runsScript(input.file, call, inspect);
  } else if (input.upstream.length > 0) {
    inspect.hides("runs the output of another program");
    for (const { args, input: before } of input.upstream)
      inspect.mayRun([joinedBySpaces(args), ...args, ...(before.text ? [before.text] : [])]);
  }
}

/** A script file is run like any other; code in its words or on its input is in another grammar. */
function foreignShell(call: Call, inspect: Inspector): void {
  const { args, input } = call;
  const options = args.filter(({ shape }) =>
    /^-(?!(?:NoProfile|NonInteractive|NoLogo|File|f)$)/i.test(shape),
  );
  const [script] = operandsOf(args);
  const hasInput = input.upstream.length > 0 || input.text || input.file;
  if (script && options.length === 0 && !hasInput) {
    inspect.notes("runs a script");
    runsScript(script, call, inspect);
    return;
  }
  inspect.click("a shell with another grammar");
  if (/^(?:pwsh|powershell)/.test(call.program)) removesTrees(args, inspect);
  inspect.mayRun(args);
}

/** `Remove-Item -Recurse /opt/app`: paths need no quotes there. */
function removesTrees(args: readonly Word[], inspect: Inspector): void {
  for (const { shape } of args) {
    const text = readable(shape);
    if (!/\b(?:Remove-Item|rm|ri|rd|rmdir|del|erase)\b/i.test(text) || !/\s-r/i.test(text))
      continue;
    for (const [, path = ""] of text.matchAll(/(?:^|[\s"'=])((?:\/|~|\.\.)[^\s"';|]*)/g))
      inspect.deletes(literalWord(path.replace(/^~(?=\/|$)/, inspect.homeDir)), {
        recursive: true,
      });
  }
}

function sourced(call: Call, inspect: Inspector): void {
  const [file] = call.args;
  inspect.notes("runs a script in the shell itself");
  if (file) runsScript(file, call, inspect);
}

/** A trap runs later, with what it was given here. */
function trap({ args }: Call, inspect: Inspector): void {
  const [action, ...signals] = args.filter(({ shape }) => shape !== "--");
  if (!action || /^-[lp]$/.test(action.shape)) return;
  inspect.notes("changes what the shell does later");
  if (signals.some(({ shape }) => exactlyOneOf(shape, ["DEBUG", "RETURN", "ERR"])))
    inspect.click("runs something around every later command");
  if (action.shape !== "" && action.shape !== "-") inspect.runsCode(action, "trap");
}

function exactlyOneOf(shape: string, names: readonly string[]): boolean {
  const name = exactly({ text: shape, shape });
  return name === undefined || names.includes(name.replace(/^SIG/i, "").toUpperCase());
}

export function joinedBySpaces(words: readonly Word[]): Word {
  return {
    text: words.map(({ text }) => text).join(" "),
    shape: words.map(({ shape }) => shape).join(" "),
  };
}
