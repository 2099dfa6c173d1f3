import { resolve } from "node:path";
import type { buildAndVersionControl } from "../../../../src/contract/tools/build-and-version-control.ts";
import { ToolError } from "../../../../src/contract/tools/operation.ts";
import type { Answer, CallContext, Handlers } from "../../handlers.ts";
import type { ServerSettings } from "../../settings.ts";
import { outcome } from "../../terminal/command-handlers.ts";
import { directoryAt } from "../directory-at.ts";
import { commandLine, type Task } from "./command-line.ts";
import { errorsIn, matcherNotice } from "./errors-in.ts";
import { projectTasks } from "./project-tasks.ts";
import { TaskLists } from "./task-list.ts";
import type { TaskRuns } from "./task-runs.ts";

type TaskHandlers = Pick<
  Handlers<typeof buildAndVersionControl>,
  "create_and_run_task" | "run_task" | "get_task_output"
>;

export function taskHandlers(settings: ServerSettings, runs: TaskRuns): TaskHandlers {
  const lists = new TaskLists();
  const run = (task: Task, folder: string, context: CallContext) =>
    runTask({ settings, runs, task, folder }, context);
  return {
    create_and_run_task: async ({ task, workspaceFolder }, context) => {
      const { path: folder } = await directoryAt(settings, workspaceFolder);
      commandLine(task, folder); // refuses what could never run before it is stored
      lists.set(context.conversation, task);
      const tasks = lists.all(context.conversation).map(({ label }) => label);
      return { ...(await run(task, folder, context)), tasks };
    },
    run_task: async ({ label, task_label, workspaceFolder }, context) => {
      const { path: folder } = await directoryAt(settings, workspaceFolder);
      const own = lists.all(context.conversation);
      return run(await findTask(settings, own, folder, label ?? task_label ?? ""), folder, context);
    },
    get_task_output: async ({ id, label, task_label }, { conversation }) => {
      const found = runs.find(conversation, id ?? label ?? task_label ?? "");
      const state = found.state();
      const errors = await errorsIn(settings, state.output, found);
      return { id: found.id, label: found.label, ...state, ...errors };
    },
  };
}

interface Running {
  readonly settings: ServerSettings;
  readonly runs: TaskRuns;
  readonly task: Task;
  readonly folder: string;
}

async function runTask(
  { settings, runs, task, folder }: Running,
  context: CallContext,
): Promise<Answer> {
  const { label, problemMatcher } = task;
  const { path: cwd } = await directoryAt(settings, resolve(folder, task.directory ?? "."));
  const command = commandLine(task, folder);
  const start = { label, conversation: context.conversation, cwd, problemMatcher, command };
  const notices = matcherNotice(problemMatcher);
  if (task.isBackground) {
    const { id } = await runs.background(start);
    const message = `Started in the background as ${id}. get_task_output shows its output.`;
    return { id, label, status: "running", message, ...noticeOf(notices) };
  }
  const { run, result } = await runs.foreground(start, context);
  const { exit_code: exitCode, notice, ...facts } = result;
  return {
    ...outcome(exitCode),
    id: run.id,
    label,
    status: "finished",
    exitCode,
    ...facts,
    ...(await errorsIn(settings, result.output, start)),
    ...noticeOf([...notices, ...(notice ? [notice] : [])]),
  };
}

function noticeOf(notices: readonly string[]): { notice?: string } {
  return notices.length > 0 ? { notice: notices.join(" ") } : {};
}

async function findTask(
  settings: ServerSettings,
  own: readonly Task[],
  folder: string,
  label: string,
): Promise<Task> {
  const first = own.find((task) => task.label === label);
  if (first) return first;
  const { tasks, problems } = await projectTasks(settings, folder);
  const found =
    tasks.find((task) => task.label === label) ??
    tasks.find(({ command }) => command === withoutKind(label));
  if (found) return found;
  const known = [...new Set([...own, ...tasks].map((task) => task.label))];
  const more = known.length > 50 ? ` and ${known.length - 50} more` : "";
  throw new ToolError(
    "executionFailed",
    [
      `No task "${label}". Known: ${known.slice(0, 50).join(", ") || "none"}${more}.`,
      ...problems,
      "create_and_run_task defines one.",
    ].join(" "),
  );
}

/** Editors call a script `npm: build`; people also say what they would type. */
function withoutKind(label: string): string {
  return label.replace(/^npm: /, "npm run ").replace(/^make: /, "make ");
}
