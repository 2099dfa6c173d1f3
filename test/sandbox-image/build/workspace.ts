import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildHandlers } from "../../../sandbox-image/server/build/handlers.ts";
import { type RunParts, TaskRuns } from "../../../sandbox-image/server/build/tasks/task-runs.ts";
import type { ServerSettings } from "../../../sandbox-image/server/settings.ts";
import { BackgroundCommands } from "../../../sandbox-image/server/terminal/background.ts";
import { serve } from "../../../sandbox-image/server/tools.ts";
import { buildAndVersionControl } from "../../../src/contract/tools/build-and-version-control.ts";
import { failed, type OperationResult, ToolError } from "../../../src/contract/tools/operation.ts";
import { labSettings } from "../../support/terminals.ts";

interface CallOptions {
  readonly conversation?: string;
  readonly signal?: AbortSignal;
  readonly requester?: string;
}

type Parts = Pick<RunParts, "timeoutMs">;

/** A workspace in a temporary directory of this machine, with tasks and git that are real. */
export class BuildLab implements AsyncDisposable {
  readonly top = realpathSync(mkdtempSync(join(tmpdir(), "build-")));
  readonly settings: ServerSettings = labSettings(this.top);
  readonly dir = this.settings.workspaceDir;
  readonly background = new BackgroundCommands(this.settings);
  readonly runs: TaskRuns;
  readonly #served;

  constructor({ timeoutMs = 20_000 }: Parts = {}) {
    this.runs = new TaskRuns(this.settings, { background: this.background, timeoutMs });
    const handlers = buildHandlers(this.settings, { runs: this.runs });
    this.#served = serve(buildAndVersionControl, handlers);
  }

  async call(
    operation: string,
    params: object = {},
    { conversation = "main", signal = new AbortController().signal, requester }: CallOptions = {},
  ): Promise<OperationResult> {
    const context = { callId: "call", conversation, requester, signal, progress: () => {} };
    try {
      const result = await this.#served.prepare({ operation, ...params }).run(context);
      if (result.message?.startsWith("The workspace server failed"))
        throw new Error("a bug, see the log");
      return result;
    } catch (error) {
      if (error instanceof ToolError) return failed(error);
      throw error;
    }
  }

  task(task: object, options?: CallOptions): Promise<OperationResult> {
    return this.call("create_and_run_task", { task: { type: "shell", ...task } }, options);
  }

  path(name: string): string {
    return join(this.dir, name);
  }

  write(name: string, content: string): string {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
    return this.path(name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  /** Plain git as a person would run it, in a directory of the workspace. */
  git(args: readonly string[], directory = "."): string {
    const env = { ...this.settings.childEnv, ...PERSON };
    const options = { cwd: this.path(directory), env, encoding: "utf8" as const, timeout: 50_000 };
    return execFileSync("git", args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  }

  /** A repository with one commit of `a.txt`. */
  repository(directory = "."): void {
    cpSync(firstCommit(), this.path(directory), { recursive: true, preserveTimestamps: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.background.killAll();
    rmSync(this.top, { recursive: true, force: true });
  }
}

let template: string | undefined;

/** Made once for each process, because starting git three times takes longer than copying what it made. */
function firstCommit(): string {
  if (template !== undefined) return template;
  const top = mkdtempSync(join(tmpdir(), "first-commit-"));
  process.once("exit", () => rmSync(top, { recursive: true, force: true }));
  const directory = join(top, "repository");
  mkdirSync(directory);
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: top, ...PERSON };
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: directory, env });
  git("init", "-q", "-b", "main");
  writeFileSync(join(directory, "a.txt"), "one\n");
  git("add", ".");
  git("commit", "-q", "-m", "first");
  template = directory;
  return directory;
}

const PERSON = {
  GIT_AUTHOR_NAME: "Ann",
  GIT_AUTHOR_EMAIL: "ann@example.org",
  GIT_COMMITTER_NAME: "Ann",
  GIT_COMMITTER_EMAIL: "ann@example.org",
};
