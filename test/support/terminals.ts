import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { CallContext } from "../../sandbox-image/server/handlers.ts";
import { commandLine, isRunning, readTable } from "../../sandbox-image/server/processes/table.ts";
import type { ServerSettings } from "../../sandbox-image/server/settings.ts";
import { createTerminals, type Terminals } from "../../sandbox-image/server/terminal/terminals.ts";
import { failed, type OperationResult, ToolError } from "../../src/contract/tools/operation.ts";
import { terminalOperations } from "../../src/contract/tools/terminal-operations.ts";
import { superviseProgram } from "./supervise.ts";

const IMAGE = resolve(import.meta.dirname, "../../sandbox-image");
const INTEGRATIONS = join(IMAGE, "rootfs/opt/deckhand");

type Name = keyof typeof terminalOperations.operations;
export type CallOptions = Partial<Omit<CallContext, "callId">>;

/** Real shells on this machine, in directories of their own: a workspace without its container. */
export class TerminalLab implements AsyncDisposable {
  readonly root = mkdtempSync(join(tmpdir(), "deckhand-lab-"));
  readonly settings: ServerSettings;
  readonly terminals: Terminals;

  constructor(options: { profile?: string } = {}) {
    this.settings = labSettings(this.root);
    if (options.profile)
      writeFileSync(join(this.settings.homeDir, ".bash_profile"), options.profile);
    this.terminals = createTerminals(this.settings);
  }

  /** As a call from outside: arguments are parsed, and a ToolError is a result. */
  async call(name: Name, args: object = {}, options: CallOptions = {}): Promise<OperationResult> {
    const context: CallContext = {
      callId: "call",
      conversation: options.conversation ?? "thread",
      shell: options.shell,
      signal: options.signal ?? new AbortController().signal,
      progress: options.progress ?? (() => {}),
    };
    const params = terminalOperations.operations[name].params.parse(args);
    const handler = this.terminals.handlers[name] as (
      params: unknown,
      context: CallContext,
    ) => Promise<object>;
    try {
      return { success: true, ...(await handler(params, context)) };
    } catch (error) {
      if (error instanceof ToolError) return failed(error);
      throw error;
    }
  }

  run(command: string, args: object = {}, options: CallOptions = {}): Promise<OperationResult> {
    return this.call("run_command", { command, ...args }, options);
  }

  async output(command: string, args: object = {}): Promise<string> {
    return String((await this.run(command, args)).output);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.terminals.killAll();
    rmSync(this.root, { recursive: true, force: true });
  }
}

export function labSettings(root: string): ServerSettings {
  const homeDir = join(root, "home");
  const workspaceDir = join(root, "workspace");
  const scratchDir = join(root, "scratch");
  for (const directory of [homeDir, workspaceDir, scratchDir]) mkdirSync(directory);
  return {
    workspaceDir,
    homeDir,
    scratchDir,
    shell: "/bin/bash",
    terminalShells: { bash: "/bin/bash", zsh: "/usr/bin/zsh", fish: "/usr/bin/fish" },
    supervise: superviseProgram(),
    integrationDir: INTEGRATIONS,
    childEnv: {
      HOME: homeDir,
      USER: "agent",
      PATH: "/usr/local/bin:/usr/bin:/bin",
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      PS1: "lab$ ",
    },
  };
}

/** Pids of everything on this machine whose command line holds the text; zombies run no more. */
export function running(text: string): number[] {
  return [...readTable().all()]
    .filter((entry) => isRunning(entry) && entry.pid !== process.pid)
    .filter((entry) => commandLine(entry).includes(text))
    .map(({ pid }) => pid);
}
