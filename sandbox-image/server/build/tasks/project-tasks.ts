import { join } from "node:path";
import { z } from "zod";
import { placeOf } from "../../files/place.ts";
import { readText } from "../../files/text-file.ts";
import type { ServerSettings } from "../../settings.ts";
import { quote, type Task } from "./command-line.ts";
import { editorTasks } from "./editor-tasks.ts";
import { parseJsonc } from "./jsonc.ts";

/** What a project defines by itself, in the order in which a label is looked for. */
export interface ProjectTasks {
  readonly tasks: readonly Task[];
  /** Files that should define tasks and cannot be read. */
  readonly problems: readonly string[];
}

const LARGEST_CHARS = 1024 * 1024;
const TASK_FILES: readonly (readonly [string, (text: string, folder: string) => Task[]])[] = [
  [".vscode/tasks.json", editorTasks],
  ["package.json", packageScripts],
  ["GNUmakefile", makeTargets],
  ["makefile", makeTargets],
  ["Makefile", makeTargets],
];

export async function projectTasks(
  settings: ServerSettings,
  folder: string,
): Promise<ProjectTasks> {
  const tasks: Task[] = [];
  const problems: string[] = [];
  for (const [name, parse] of TASK_FILES) {
    const text = await textOf(settings, folder, name);
    try {
      if (text !== undefined) tasks.push(...parse(text, folder));
    } catch (error) {
      // One broken file must not hide the tasks of the others.
      problems.push(`${name} cannot be read: ${reason(error)}.`);
    }
  }
  return { tasks, problems };
}

function reason(error: unknown): string {
  return error instanceof SyntaxError ? error.message.slice(0, 200) : "it has an unexpected format";
}

/** Undefined where there is no such text, or where it lies outside a workspace that its folder is in. */
async function textOf(
  settings: ServerSettings,
  folder: string,
  name: string,
): Promise<string | undefined> {
  const at = await placeOf(settings, folder);
  const { path, inside } = await placeOf(settings, join(folder, name));
  if (at.inside && !inside) return undefined;
  try {
    const { text } = await readText(path);
    return text.length > LARGEST_CHARS ? undefined : text;
  } catch {
    // Most projects have only one of these files.
    return undefined;
  }
}

const PackageJson = z.object({ scripts: z.record(z.string(), z.string()).default({}) });

function packageScripts(text: string): Task[] {
  return Object.keys(PackageJson.parse(parseJsonc(text)).scripts)
    .filter((name) => !name.startsWith("-") && !name.includes("\0"))
    .map((name) => simple(name, `npm run ${quote(name)}`));
}

const TARGETS = /^([A-Za-z0-9_][\w./ -]*?)[ \t]*::?(?![:=])/;

/** Targets that a person could name: no patterns, no variables, none of make's own. */
function makeTargets(text: string): Task[] {
  const lines = text.split("\n").filter((line) => line.length < 2000);
  const names = lines.flatMap((line) => TARGETS.exec(line)?.[1]?.split(/ +/) ?? []);
  return [...new Set(names)].map((name) => simple(name, `make ${quote(name)}`));
}

function simple(label: string, command: string): Task {
  return { label, command, args: [], isBackground: false, problemMatcher: [] };
}
