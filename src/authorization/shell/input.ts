import type { Level } from "../../contract/permission/level.ts";
import { type CommandClass, combined, type ShellPlace } from "./command-class.ts";
import type { Submission } from "./line-assembler.ts";
import type { ShellParser } from "./parser.ts";
import { objectionToCode } from "./rules/code.ts";

/** Who reads what is typed: the shell at its prompt, a program that runs in front of it, or nobody can tell. */
export type Foreground = "shell" | "unknown" | { readonly program: string };

export interface TypedInput {
  /** The keystrokes as given. */
  readonly input: string;
  /** What they submit, by the terminal's LineAssembler. */
  readonly submissions: readonly Submission[];
  readonly foreground: Foreground;
}

/** The class of input for a terminal. Where it is not known who reads it, the worse of both. */
export function classifyInput(
  parser: ShellParser,
  typed: TypedInput,
  place: ShellPlace,
): CommandClass {
  const { foreground, submissions, input } = typed;
  const lines = () => submissions.map((submission) => classOfLine(parser, submission, place));
  if (foreground === "shell") return combined([NOTHING, ...lines()]);
  if (foreground === "unknown") return combined([...lines(), classForProgram(input, "")]);
  const { program } = foreground;
  return SHELLS.test(program) ? combined([NOTHING, ...lines()]) : classForProgram(input, program);
}

const NOTHING: CommandClass = {
  risk: "free",
  asksRoot: false,
  programs: [],
  reasons: [],
  writes: [],
  discards: false,
};
const SHELLS = /^(?:ba|da|z|k|mk|rba|a)?sh$/;

function classOfLine(parser: ShellParser, submission: Submission, place: ShellPlace): CommandClass {
  if (submission.kind === "line")
    return parser.classify(submission.text, { ...place, typed: true });
  const why = `cannot be judged: ${submission.why}`;
  return {
    ...NOTHING,
    risk: "click",
    unparsed: submission.why,
    reasons: [{ risk: "click", why, segment: "" }],
  };
}

/** Programs whose input leaves the sandbox or is a password. */
const OUTWARD =
  /^(?:ssh|telnet|mosh|sftp|ftp|nc|ncat|socat|mysql|mariadb|psql|mongosh|mongo|redis-cli|kubectl|docker|aws|gcloud|sudo|doas|su|passwd|login)$/;
/** Editors, pagers and debuggers run commands after one of these. */
const ESCAPES = /^(?:vim?|nvim|ex|view|less|more|man|git|gdb|lldb|top|htop|ftp|emacs|nano|tig)$/;

function classForProgram(input: string, program: string): CommandClass {
  const say = (risk: Level, why: string): CommandClass => ({
    ...NOTHING,
    risk,
    reasons: [{ risk, why, segment: "" }],
  });
  if (OUTWARD.test(program)) return say("click", `${program} passes typed input to another user`);
  const objection = objectionToCode(input);
  if (objection) return say("click", objection);
  if (ESCAPES.test(program) && /[!:|]|\p{Cc}/u.test(input.replaceAll(/[\r\n]/g, "")))
    return say("click", `${program} may run typed input`);
  // Enter, an interrupt, one letter or a number: the answer to a question, or the end of the program.
  if (/^[\p{Cc} ]*\w{0,3}[\r\n]*$/u.test(input))
    return say("free", "a key for the program that runs");
  return say("free", "input for the program that runs");
}
