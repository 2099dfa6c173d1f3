import { z } from "zod";
import {
  count,
  DETAIL_CHARS,
  detail,
  details,
  fileName,
  LINE_CHARS,
  phrase,
  quoting,
  saying,
  short,
} from "../display.ts";
import { defineTool, type RawArgs } from "./operation.ts";
import { flag, isSet, text } from "./params.ts";

/** How long a task in the foreground may take. */
export const TASK_TIMEOUT_SECONDS = 300;
/** Files or errors of one answer at most; the totals count all. */
export const CHANGES_LIMIT = 1000;
/** The kernel takes at most 128 KB as one argument; a character may need three bytes. */
const MESSAGE_LIMIT_CHARS = 30_000;

/** Models write one name where a list of one is meant. */
function listOf<Item extends z.ZodType>(item: Item) {
  return z.preprocess(
    (value) => (typeof value === "string" ? [value] : value),
    z.array(item).max(1000, "at most 1000 entries"),
  );
}

const shortText = (what: string) => text(what).max(200, `${what} must have at most 200 characters`);

const label = shortText("label")
  .optional()
  .describe("The task's label: of create_and_run_task, tasks.json, package.json or the Makefile.");
const taskLabel = shortText("task_label").optional().describe("Alias of label.");
const workspaceFolder = text("workspaceFolder")
  .optional()
  .describe("Directory of the project, where its tasks run. Default: the workspace.");
const repositoryPath = text("repositoryPath")
  .optional()
  .describe("The git repository or a directory in it. Default: the workspace.");

/** A task as .vscode/tasks.json (version 2.0.0) writes it. */
const TaskDefinition = z.object({
  label: shortText("label").describe("Its name; replaces a task with the same label."),
  type: z.literal("shell", { error: 'type must be "shell"' }),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the variable of tasks.json, not of ours
  command: text("command").describe("The shell command. ${workspaceFolder} is replaced."),
  args: listOf(z.string().refine((value) => !value.includes("\0"), "must not contain a NUL"))
    .default([])
    .describe("Arguments; each is passed as one word."),
  group: z.string().optional().describe("build, test or none."),
  isBackground: flag()
    .default(false)
    .describe("Start it and return its id at once, e.g. for a server."),
  problemMatcher: listOf(z.string())
    .default([])
    .describe("Finds errors in the output: $tsc, $eslint-stylish, $gcc."),
});

const needsLabel = (given: { label?: string | undefined; task_label?: string | undefined }) =>
  given.label !== undefined || given.task_label !== undefined;

// For people who watch: these are given arguments that nobody has checked.

const part = (value: unknown, name: string) =>
  typeof value === "object" && value !== null ? (value as RawArgs)[name] : undefined;

const labelOf = (args: RawArgs) =>
  short(args.label ?? args.task_label ?? args.id, LINE_CHARS.title);

export const buildAndVersionControl = defineTool({
  name: "build_and_version_control",
  position: 150,
  description:
    "Run the tasks of a project (build, test, servers) and work with its git repository. Hooks, filters and " +
    "other programs named in a repository's settings do not run.",
  operations: {
    create_and_run_task: {
      summary: "define or redefine a task and run it",
      repeat: "unsafe",
      level: "elevated",
      category: "build",
      execution: "serial",
      line: ({ task }) => phrase("Running task", short(part(task, "label"), LINE_CHARS.title)),
      details: ({ task }) =>
        details(
          detail("Command", short(part(task, "command"), DETAIL_CHARS.command)),
          isSet(part(task, "isBackground")) ? "in the background" : "in the foreground",
        ),
      params: z.object({ task: TaskDefinition.describe("The task."), workspaceFolder }),
    },
    run_task: {
      summary: "run a known task: of this conversation, tasks.json, package.json or the Makefile",
      repeat: "unsafe",
      level: "elevated",
      category: "build",
      execution: "serial",
      line: (args) => phrase("Running task", labelOf(args)),
      details: (args) => details(detail("In", fileName(args.workspaceFolder))),
      params: z
        .object({ label, task_label: taskLabel, workspaceFolder })
        .refine(needsLabel, { path: ["label"], error: "label must name the task to run" }),
    },
    get_task_output: {
      summary: "status, exit code and output of a task that was run",
      repeat: "safe",
      level: "safe",
      category: "read",
      line: (args) => phrase("Reading task output", labelOf(args)),
      params: z
        .object({
          id: shortText("id")
            .optional()
            .describe("Id returned when the task was started, or its label."),
          label,
          task_label: taskLabel,
        })
        .refine((given) => given.id !== undefined || needsLabel(given), {
          path: ["id"],
          error: "id or label must say which task",
        }),
    },
    git_commit: {
      summary: "stage changes and commit them",
      repeat: "unsafe",
      level: "elevated",
      category: "build",
      execution: "serial",
      line: quoting("Committing", "message", LINE_CHARS.query),
      details: (args) =>
        details(
          detail("Message", short(args.message, DETAIL_CHARS.message)),
          Array.isArray(args.files) ? count(args.files.length, "file") : undefined,
          detail("Repository", fileName(args.repositoryPath)),
        ),
      params: z.object({
        message: text("message")
          .max(MESSAGE_LIMIT_CHARS, `message must have at most ${MESSAGE_LIMIT_CHARS} characters`)
          .refine((value) => value.trim() !== "", "message must not be empty")
          .describe("The commit message, used as given."),
        files: listOf(text("files"))
          .optional()
          .describe("Commit only these files or directories; relative to repositoryPath."),
        all: flag()
          .default(true)
          .describe("Without files: true stages untracked files too, false only tracked ones."),
        repositoryPath,
      }),
    },
    get_changed_files: {
      summary: "what differs from the last commit: staged, unstaged, untracked and conflicts",
      repeat: "safe",
      level: "safe",
      category: "read",
      line: saying("Looking at changed files"),
      details: (args) => details(detail("Repository", fileName(args.repositoryPath))),
      params: z.object({
        repositoryPath,
        sourceControlState: listOf(z.enum(["staged", "unstaged", "merge-conflicts"]))
          .optional()
          .describe("Only these; default: all. Untracked files count as unstaged."),
      }),
    },
  },
});
