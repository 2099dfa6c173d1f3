/** One complaint of a checker. Lines and columns count from 1. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly code?: string;
}

export type MatcherName = "$tsc" | "$eslint-stylish" | "$gcc";

export function isMatcherName(name: string): name is MatcherName {
  return Object.hasOwn(MATCHERS, name);
}

/** Reads the problems out of a program's output. Files are named as the output names them. */
export function matchProblems(
  output: string,
  matchers: readonly MatcherName[] = ["$tsc", "$eslint-stylish", "$gcc"],
): Problem[] {
  const lines = output
    .replace(ANSI, "")
    .split(/\r?\n/)
    .filter((line) => line.length < LONGEST_LINE);
  return withoutRepeats(matchers.flatMap((name) => MATCHERS[name](lines)));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is taken out
const ANSI = /\u001b\[[0-9;]*[A-Za-z]/g;
const LONGEST_LINE = 2000;

const TSC = /^([^\s(][^(]*)\((\d+),(\d+)\): (error|warning) (TS\d+): (.*)$/;
const TSC_PRETTY = /^([^\s:][^:]*):(\d+):(\d+) - (error|warning) (TS\d+): (.*)$/;
const GCC = /^([^\s:][^:]*):(\d+):(?:(\d+):)? +(?:fatal )?(error|warning)(?:\[([\w:-]+)\])?: (.*)$/;
const STYLISH_FILE = /^(?:\/|[A-Za-z]:\\|\.{0,2}[\w@-])[^:]*\.\w+$/;
const STYLISH = /^ +(\d+):(\d+) +(error|warning) +(.*)$/;

const MATCHERS: Readonly<Record<MatcherName, (lines: readonly string[]) => Problem[]>> = {
  $tsc: (lines) => lines.flatMap((line) => numbered(TSC.exec(line) ?? TSC_PRETTY.exec(line))),
  $gcc: (lines) => lines.flatMap((line) => numbered(GCC.exec(line))),
  "$eslint-stylish": stylish,
};

function numbered(found: RegExpExecArray | null): Problem[] {
  if (!found) return [];
  const [, file = "", line, column, severity, code, message = ""] = found;
  return [
    {
      file,
      line: Number(line),
      column: Number(column ?? 1),
      severity: severity === "warning" ? "warning" : "error",
      message: message.trim(),
      ...(code ? { code } : {}),
    },
  ];
}

/** The file stands once, above its problems; the rule stands last, after two spaces. */
function stylish(lines: readonly string[]): Problem[] {
  let file = "";
  return lines.flatMap((line) => {
    if (STYLISH_FILE.test(line)) file = line;
    const [, row, column, severity, rest = ""] = (file && STYLISH.exec(line)) || [];
    if (row === undefined) return [];
    const [message = "", code] = rest.trim().split(/ {2,}(?=[\w@/-]+$)/);
    return [
      {
        file,
        line: Number(row),
        column: Number(column),
        severity: severity === "warning" ? "warning" : "error",
        message,
        ...(code ? { code } : {}),
      },
    ];
  });
}

function withoutRepeats(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}
