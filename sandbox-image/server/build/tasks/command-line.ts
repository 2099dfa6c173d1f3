import { ToolError } from "../../../../src/contract/tools/operation.ts";

/** A task that can be run, wherever it was defined. */
export interface Task {
  readonly label: string;
  /** Shell text, taken as it is. */
  readonly command: string;
  /** Each reaches the command as one word. */
  readonly args: readonly string[];
  readonly isBackground: boolean;
  readonly problemMatcher: readonly string[];
  readonly group?: string | undefined;
  /** Relative to the workspace folder. */
  readonly directory?: string | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/** The kernel takes at most 128 KB as one argument, and bash gets the command as one. */
const LIMIT_BYTES = 120 * 1024;

/** What bash runs for a task in `folder`. */
export function commandLine(task: Task, folder: string): string {
  const words = [
    inShell(task.command, folder),
    ...task.args.map((arg) => quote(inText(arg, folder))),
  ];
  const exports = Object.entries(task.environment ?? {})
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => `export ${name}=${quote(inText(value, folder))}\n`);
  const line = `${isPlain(folder) ? "" : `workspaceFolder=${quote(folder)}\n`}${exports.join("")}${words.join(" ")}`;
  if (Buffer.byteLength(line) <= LIMIT_BYTES) return line;
  throw new ToolError(
    "invalidParameters",
    `The task's command and args have over ${LIMIT_BYTES / 1024} KB together. Write them into a script file and run that.`,
  );
}

/** One word for the shell, whatever is in it. */
export function quote(word: string): string {
  return isPlain(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Fills the folder in where no shell reads the text. */
export function inText(text: string, folder: string): string {
  return text.replaceAll(VARIABLE, () => folder);
}

/**
 * In shell text a folder with blanks or quotes would become syntax. There the variable stays, and the shell itself
 * fills it in.
 */
function inShell(command: string, folder: string): string {
  return isPlain(folder) ? inText(command, folder) : command;
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: the variable of tasks.json, not of ours
const VARIABLE = "${workspaceFolder}";

function isPlain(word: string): boolean {
  return /^[\w@%+:,./-]+$/.test(word);
}
