import { eslintProblems, ruffProblems } from "./json-reports.ts";
import { matchProblems, type Problem } from "./problem-matchers.ts";

/** A program that finds problems, and how its output reads. */
export interface Checker {
  readonly name: string;
  readonly program: string;
  /** Directories to look in for the program before the PATH, relative to the project. */
  readonly homes: readonly string[];
  readonly args: readonly string[];
  /** Undefined when the output is not what the checker writes: then it broke. */
  readonly parse: (output: string, errors: string) => Problem[] | undefined;
  /** Runs in its place when it is not installed. */
  readonly otherwise?: Checker;
}

const NODE_HOMES = ["node_modules/.bin"];
const PYTHON_HOMES = [".venv/bin", "venv/bin"];
/** `a.py:3:1: message`, without the word error. */
const PLAIN = /^(?:vet: )?(?:\.\/)?([^\s:#][^:]*):(\d+):(?:(\d+):?)? +(.*)$/;
const MYPY = /^([^\s:][^:]*):(\d+):(?:(\d+):)? (error|warning): (.*?)(?: +\[([\w-]+)\])?$/;

const tsc: Checker = {
  name: "tsc",
  program: "tsc",
  homes: NODE_HOMES,
  args: ["--noEmit", "--pretty", "false", "-p", "."],
  parse: (output) => matchProblems(output, ["$tsc"]),
};

const eslint: Checker = {
  name: "eslint",
  program: "eslint",
  homes: NODE_HOMES,
  args: ["--format", "json", "."],
  parse: eslintProblems,
};

const npmScript = (script: string): Checker => ({
  name: `npm run ${script}`,
  program: "npm",
  homes: [],
  args: ["run", "--silent", script],
  parse: (output, errors) => matchProblems(`${output}\n${errors}`),
});

const mypy: Checker = {
  name: "mypy",
  program: "mypy",
  homes: PYTHON_HOMES,
  args: ["--show-column-numbers", "--no-error-summary", "--no-pretty", "."],
  parse: (output) => output.split("\n").flatMap((line) => mypyProblem(MYPY.exec(line))),
};

const pyflakes: Checker = {
  name: "pyflakes",
  program: "pyflakes",
  homes: PYTHON_HOMES,
  args: ["."],
  parse: plainProblems,
  otherwise: mypy,
};

const ruff: Checker = {
  name: "ruff",
  program: "ruff",
  homes: PYTHON_HOMES,
  args: ["check", "--output-format", "json", "."],
  parse: ruffProblems,
  otherwise: pyflakes,
};

const goVet: Checker = {
  name: "go vet",
  program: "go",
  homes: [],
  args: ["vet", "./..."],
  parse: plainProblems,
};

const cargoCheck: Checker = {
  name: "cargo check",
  program: "cargo",
  homes: [],
  args: ["check", "--quiet", "--message-format", "short"],
  parse: (output, errors) => matchProblems(`${output}\n${errors}`, ["$gcc"]),
};

const swiftBuild: Checker = {
  name: "swift build",
  program: "swift",
  homes: [],
  args: ["build"],
  parse: (output, errors) => matchProblems(`${output}\n${errors}`, ["$gcc"]),
};

/** What is known about a project by the files in its directory. */
export interface ProjectFiles {
  readonly names: ReadonlySet<string>;
  /** Names of the scripts in package.json. */
  readonly scripts: ReadonlySet<string>;
  /** The text of pyproject.toml. */
  readonly pyproject: string;
}

/** The checkers that fit a project. A script of its own stands in where its checker's settings are not found. */
export function checkersFor({ names, scripts, pyproject }: ProjectFiles): Checker[] {
  const hasEslint = [...names].some((name) =>
    /^(eslint\.config\.[cm]?[jt]s|\.eslintrc(\..+)?)$/.test(name),
  );
  const usesMypy = pyproject.includes("[tool.mypy]") || names.has("mypy.ini");
  const found: [boolean, Checker][] = [
    [names.has("tsconfig.json"), tsc],
    [!names.has("tsconfig.json") && scripts.has("typecheck"), npmScript("typecheck")],
    [hasEslint, eslint],
    [!hasEslint && scripts.has("lint"), npmScript("lint")],
    [names.has("pyproject.toml"), ruff],
    [usesMypy, mypy],
    [names.has("go.mod"), goVet],
    [names.has("Cargo.toml"), cargoCheck],
    [names.has("Package.swift"), swiftBuild],
  ];
  return found.filter(([fits]) => fits).map(([, checker]) => checker);
}

function plainProblems(output: string, errors: string): Problem[] {
  return `${output}\n${errors}`.split("\n").flatMap((text) => {
    const [, file, line, column, message] = PLAIN.exec(text) ?? [];
    if (file === undefined || message === undefined) return [];
    return [
      {
        file,
        line: Number(line),
        column: Number(column ?? 1),
        severity: "error" as const,
        message,
      },
    ];
  });
}

function mypyProblem(found: RegExpExecArray | null): Problem[] {
  if (!found) return [];
  const [, file = "", line, column, severity, message = "", code] = found;
  return [
    {
      file,
      line: Number(line),
      column: Number(column ?? 1),
      severity: severity === "warning" ? "warning" : "error",
      message,
      ...(code ? { code } : {}),
    },
  ];
}
