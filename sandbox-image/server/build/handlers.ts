import type { buildAndVersionControl } from "../../../src/contract/tools/build-and-version-control.ts";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import { Turns } from "../files/turns.ts";
import type { Answer, Handlers } from "../handlers.ts";
import type { ServerSettings } from "../settings.ts";
import { changedFiles } from "./git/changed-files.ts";
import { commitChanges } from "./git/commit.ts";
import { taskHandlers } from "./tasks/task-handlers.ts";
import { TaskRuns } from "./tasks/task-runs.ts";

type BuildHandlers = Handlers<typeof buildAndVersionControl>;

/** What others lend to these operations. */
export interface BuildParts {
  /** Runs the tasks; those in the background beside the background commands of the terminals. */
  readonly runs: TaskRuns;
}

export function buildHandlers(settings: ServerSettings, { runs }: BuildParts): BuildHandlers {
  const turns = new Turns();
  return {
    ...taskHandlers(settings, runs),
    git_commit: async (params, { requester, signal }) => {
      const request = { ...params, requestedBy: requester };
      // All in one line: two directories may belong to one repository, and git refuses to work there twice at once.
      return turns.take(["commit"], () => commitChanges(settings, request, signal));
    },
    get_changed_files: (params, { signal }) => changedFiles(settings, params, signal),
  };
}

/** What one approved call may do as root: there is no list of tasks, and nothing that lasts. */
export function rootBuildHandlers(settings: ServerSettings): BuildHandlers {
  const handlers = buildHandlers(settings, { runs: new TaskRuns(settings) });
  const refuse = (name: string) => async (): Promise<Answer> => {
    throw new ToolError(
      "permissionDenied",
      `${name} does not run as root. Use create_and_run_task in the foreground, or a path in the workspace.`,
    );
  };
  return {
    ...handlers,
    run_task: refuse("run_task"),
    get_task_output: refuse("get_task_output"),
    get_changed_files: refuse("get_changed_files"),
  };
}
