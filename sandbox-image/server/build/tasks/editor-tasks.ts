import { z } from "zod";
import { inText, quote, type Task } from "./command-line.ts";
import { parseJsonc } from "./jsonc.ts";

/** A word may come with how to quote it; here every argument is quoted. */
const Word = z
  .union([z.string(), z.object({ value: z.union([z.string(), z.array(z.string())]) })])
  .transform((word) => (typeof word === "string" ? word : [word.value].flat().join(" ")));
const Names = z
  .union([z.string(), z.array(z.union([z.string(), z.unknown()]))])
  .transform((names) => [names].flat().filter((name) => typeof name === "string"));
const Options = z.object({
  cwd: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
});
const Group = z
  .union([z.string(), z.object({ kind: z.string() })])
  .transform((group) => (typeof group === "string" ? group : group.kind));

const Body = z.object({
  command: Word.optional(),
  args: z.array(Word).optional(),
  options: Options.optional(),
});

const EditorTask = Body.extend({
  label: z.string().optional(),
  /** The name of labels before version 2.0.0. */
  taskName: z.string().optional(),
  type: z.string().default("process"),
  script: z.string().optional(),
  group: Group.optional(),
  isBackground: z.boolean().default(false),
  problemMatcher: Names.default([]),
  linux: Body.optional(),
});
type EditorTask = z.infer<typeof EditorTask>;

/** What all tasks of the file share. */
const TasksFile = Body.extend({ tasks: z.array(z.unknown()).default([]), linux: Body.optional() });

/** The tasks of a .vscode/tasks.json that can run here. Throws where the file cannot be read at all. */
export function editorTasks(text: string, folder: string): Task[] {
  const file = TasksFile.parse(parseJsonc(text));
  const shared = { ...file.options, ...file.linux?.options };
  return file.tasks.flatMap((each) => {
    const parsed = EditorTask.safeParse(each);
    return parsed.success ? (taskOf(parsed.data, shared, folder) ?? []) : [];
  });
}

/** Undefined for tasks that only stand for others, or belong to an extension of the editor. */
function taskOf(
  task: EditorTask,
  shared: z.infer<typeof Options>,
  folder: string,
): Task | undefined {
  const command = commandOf({ ...task, ...task.linux }, folder);
  const label = task.label ?? task.taskName ?? (task.script && `npm: ${task.script}`);
  if (command === undefined || !label) return undefined;
  const options = [shared, task.options ?? {}, task.linux?.options ?? {}];
  const directory = options.findLast(({ cwd }) => cwd !== undefined)?.cwd;
  return {
    label,
    command,
    args: task.linux?.args ?? task.args ?? [],
    isBackground: task.isBackground,
    problemMatcher: task.problemMatcher,
    group: task.group,
    directory: directory && inText(directory, folder),
    environment: Object.assign({}, ...options.map(({ env }) => env)),
  };
}

function commandOf(task: EditorTask, folder: string): string | undefined {
  if (task.type === "npm") return task.script && `npm run ${quote(task.script)}`;
  if (task.type === "shell") return task.command;
  if (task.type !== "process" || task.command === undefined) return undefined;
  return quote(inText(task.command, folder));
}
