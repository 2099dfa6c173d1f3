import { stat } from "node:fs/promises";
import { constants } from "node:os";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import type { terminalOperations } from "../../../src/contract/tools/terminal-operations.ts";
import type { Shell } from "../../../src/contract/workspace/shell.ts";
import { Directory } from "../files/directory.ts";
import type { Answer, CallContext, Handlers } from "../handlers.ts";
import { absolutePath, resolvePath } from "../paths.ts";
import { interruption } from "../processes/run-once.ts";
import type { ServerSettings } from "../settings.ts";
import { assertDirectory, type TerminalManager } from "./manager.ts";
import { runInTerminal } from "./run-foreground.ts";

type All = Handlers<typeof terminalOperations>;
type CommandHandlers = Pick<
  All,
  | "run_command"
  | "get_terminal_output"
  | "get_terminal_buffer"
  | "get_last_command"
  | "get_terminal_selection"
  | "create_directory"
>;
type RunParams = Parameters<All["run_command"]>[0];

export function commandHandlers(
  settings: ServerSettings,
  manager: TerminalManager,
): CommandHandlers {
  const turns = new Turns();
  return {
    run_command: async (params, context) => {
      const directory = await givenDirectory(settings, params.working_directory);
      if (params.isBackground) return startInBackground(settings, manager, params, context);
      return turns.take(context, () =>
        runInForeground(settings, manager, { ...params, directory }, context),
      );
    },
    get_terminal_output: async ({ id }, { conversation }) => {
      const command = manager.background.get(conversation, id);
      const { exitCode } = command;
      return { terminalId: id, ...command.output(), isRunning: exitCode === null, exitCode };
    },
    get_terminal_buffer: async (_params, { conversation }) => {
      const terminal = manager.find(conversation);
      if (!terminal) return { buffer: "", message: "No terminal is open; run_command opens one." };
      const { rows, cols } = terminal.screen;
      return { buffer: await terminal.screen.read(), rows, cols };
    },
    get_last_command: async (_params, { conversation }) => {
      const last = manager.find(conversation)?.shell.last;
      return last
        ? { ...last }
        : { command: null, message: "No command has been run in this terminal yet." };
    },
    get_terminal_selection: async () => ({
      selection: "",
      message: "Nothing is selected: the user's message quotes no terminal output.",
    }),
    create_directory: ({ dirPath }, context) => createDirectory(settings, dirPath, context),
  };
}

async function givenDirectory(
  settings: ServerSettings,
  path?: string,
): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const directory = absolutePath(settings, path);
  await assertDirectory(directory);
  return directory;
}

async function startInBackground(
  settings: ServerSettings,
  manager: TerminalManager,
  { command, working_directory }: RunParams,
  { conversation, startDirectory = "." }: CallContext,
): Promise<Answer> {
  const cwd = absolutePath(settings, working_directory ?? startDirectory);
  const { id, pid } = await manager.background.start(conversation, command, cwd);
  return {
    id,
    pid,
    session_id: conversation,
    working_directory: cwd,
    isRunning: true,
    message: `Started in the background as ${id}. get_terminal_output with this id shows its output.`,
  };
}

async function runInForeground(
  settings: ServerSettings,
  manager: TerminalManager,
  params: RunParams & { directory: string | undefined },
  { conversation, startDirectory = ".", shell, signal, progress }: CallContext,
): Promise<Answer> {
  const hadExited = manager.find(conversation)?.hasExited ?? false;
  const { terminal, replaced } = await manager.create(conversation, {
    startDirectory: absolutePath(settings, startDirectory),
    shell,
  });
  const result = await runInTerminal(terminal, {
    command: params.command,
    ...(params.directory !== undefined && { directory: params.directory }),
    timeoutMs: params.timeout * 1000,
    workspaceDir: settings.workspaceDir,
    signal,
    progress,
  });
  const notices = [
    ...(hadExited ? [NEW_SHELL] : []),
    ...(replaced ? [otherShell(replaced, terminal.shellName)] : []),
    ...result.notices,
  ];
  return {
    ...outcome(result.exitCode),
    output: result.output,
    exit_code: result.exitCode,
    duration_ms: result.durationMs,
    truncated: result.truncated,
    working_directory: terminal.currentDirectory,
    session_id: conversation,
    ...(terminal.shellName !== "bash" && { shell: terminal.shellName }),
    ...(notices.length > 0 && { notice: notices.join(" ") }),
  };
}

const NEW_SHELL =
  "The earlier shell had exited, so this ran in a new one: its directory, variables and functions are lost.";

function otherShell(before: Shell, now: Shell): string {
  return `This ran in ${now} instead of ${before}: the directory is kept, variables and functions are lost.`;
}

export function outcome(exitCode: number): Answer {
  if (exitCode === 0) return { success: true };
  const signalName = Object.entries(constants.signals).find(
    ([, value]) => value === exitCode - 128,
  )?.[0];
  const how = signalName ? `, i.e. by ${signalName}` : "";
  return {
    success: false,
    kind: "executionFailed",
    message: `The command ended with exit code ${exitCode}${how}.`,
  };
}

export async function createDirectory(
  settings: ServerSettings,
  dirPath: string,
  { checkedPaths }: CallContext,
): Promise<Answer> {
  const { path } = await resolvePath(settings, dirPath, { checkedPaths });
  const found = await stat(path).catch(() => null); // not there, or not to be seen
  if (found?.isDirectory()) return { path, created: false, message: `${path} exists already.` };
  if (found) throw new ToolError("executionFailed", `${path} exists and is not a directory.`);
  using _made = await Directory.make(path).catch((cause: Error) => {
    const message = `${path} could not be created: ${cause.message}.`;
    throw new ToolError("executionFailed", message, {}, { cause });
  });
  return { path, created: true, message: `Made ${path}.` };
}

/** One foreground command at a time per conversation: the terminal is one. */
class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  take({ conversation, signal }: CallContext, act: () => Promise<Answer>): Promise<Answer> {
    const before = this.#last.get(conversation) ?? Promise.resolve();
    const turn = before.then(() => {
      if (signal.aborted) throw interruption("cancel", 0, { output: "" });
      return act();
    });
    this.#last.set(
      conversation,
      turn.catch(() => {}), // its own caller hears of it
    );
    return turn;
  }
}
