import { TASK_TIMEOUT_SECONDS } from "../../../../src/contract/tools/build-and-version-control.ts";
import { ToolError } from "../../../../src/contract/tools/operation.ts";
import type { CallContext } from "../../handlers.ts";
import { type RunOnceResult, runOnce } from "../../processes/run-once.ts";
import type { ServerSettings } from "../../settings.ts";
import type { BackgroundCommands } from "../../terminal/background.ts";

/** What a run looks like at one moment. */
export interface RunState {
  readonly status: "running" | "finished";
  /** Null while it runs, and when it was stopped. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly truncated: boolean;
}

/** One run of a task. */
export interface TaskRun {
  readonly id: string;
  readonly label: string;
  readonly conversation: string;
  readonly cwd: string;
  readonly problemMatcher: readonly string[];
  state(): RunState;
}

/** A task that is about to run. */
export interface Start extends Omit<TaskRun, "id" | "state"> {
  readonly command: string;
}

export interface RunParts {
  /** Where background tasks run. Without it there are none, as for root. */
  readonly background?: BackgroundCommands | undefined;
  readonly timeoutMs?: number;
}

const MOST_RUNS = 100;

/** The runs of all tasks: what is started, and what is left of it afterwards. */
export class TaskRuns {
  readonly #settings: ServerSettings;
  readonly #background: BackgroundCommands | undefined;
  readonly #timeoutMs: number;
  readonly #runs: TaskRun[] = [];
  #count = 0;

  constructor(
    settings: ServerSettings,
    { background, timeoutMs = TASK_TIMEOUT_SECONDS * 1000 }: RunParts = {},
  ) {
    this.#settings = settings;
    this.#background = background;
    this.#timeoutMs = timeoutMs;
  }

  /** Waits for the end. When it takes too long or is taken back, nothing of it is left before this rejects. */
  async foreground(
    start: Start,
    { signal, progress }: Pick<CallContext, "signal" | "progress">,
  ): Promise<{ run: TaskRun; result: RunOnceResult }> {
    let state: RunState = { status: "running", exitCode: null, output: "", truncated: false };
    const run = this.#keep(start, `task-${++this.#count}`, () => state);
    const onOutput = (recent: string) => {
      state = { ...state, output: recent };
      progress(recent);
    };
    const { cwd, command } = start;
    const timeoutMs = this.#timeoutMs;
    try {
      const result = await runOnce(this.#settings, command, { cwd, timeoutMs, signal, onOutput });
      const { output, truncated, exit_code: exitCode } = result;
      state = { status: "finished", exitCode, output, truncated };
      return { run, result };
    } catch (error) {
      state = { ...state, status: "finished", ...printedBefore(error) };
      throw explained(error, timeoutMs, run.id);
    }
  }

  async background(start: Start): Promise<TaskRun> {
    if (!this.#background) {
      throw new ToolError(
        "permissionDenied",
        "A task cannot run in the background as root. Run it with isBackground: false.",
      );
    }
    const { conversation, command, cwd } = start;
    const started = await this.#background.start(conversation, command, cwd);
    return this.#keep(start, started.id, () => ({
      status: started.exitCode === null ? "running" : "finished",
      exitCode: started.exitCode,
      ...started.output(),
    }));
  }

  /** By id, or the newest run of a label. */
  find(conversation: string, name: string): TaskRun {
    const own = this.#of(conversation);
    const found = own.find(({ id }) => id === name) ?? own.find(({ label }) => label === name);
    if (found) return found;
    const known = own.slice(0, 20).map(({ id, label }) => `${id} (${label})`);
    throw new ToolError(
      "executionFailed",
      `No task "${name}" has been run. Known runs: ${known.join(", ") || "none"}. run_task starts one.`,
    );
  }

  /** What the conversation's last task printed. */
  lastOutput(conversation: string): string | undefined {
    return this.#of(conversation)[0]?.state().output;
  }

  /** Newest first. */
  #of(conversation: string): TaskRun[] {
    return this.#runs.filter((run) => run.conversation === conversation).reverse();
  }

  #keep({ command: _, ...start }: Start, id: string, state: () => RunState): TaskRun {
    const run = { ...start, id, state };
    this.#runs.push(run);
    const finished = this.#runs.findIndex((each) => each.state().status === "finished");
    if (this.#runs.length > MOST_RUNS && finished >= 0) this.#runs.splice(finished, 1);
    return run;
  }
}

function printedBefore(error: unknown): Partial<RunState> {
  const { output } = error instanceof ToolError ? error.details : {};
  return typeof output === "string" ? { output } : {};
}

/** A task has no timeout of its own to make longer. */
function explained(error: unknown, timeoutMs: number, id: string): unknown {
  if (!(error instanceof ToolError)) return error;
  const { kind, details } = error;
  if (kind !== "timeout") return new ToolError(kind, error.message, { id, ...details });
  return new ToolError(
    kind,
    `${error.message.split(". ")[0]}. Foreground tasks have ${timeoutMs / 1000} s: run it with ` +
      "isBackground: true and read it with get_task_output.",
    { id, ...details },
    { cause: error },
  );
}
