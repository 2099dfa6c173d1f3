import { ToolError } from "../../src/contract/tools/operation.ts";
import type { terminalOperations } from "../../src/contract/tools/terminal-operations.ts";
import type { ApprovedRun } from "../../src/contract/workspace/approved-run.ts";
import { runApproved } from "./approved/handlers.ts";
import type { Answer, CallContext, Handlers } from "./handlers.ts";
import { absolutePath } from "./paths.ts";
import type { ServerSettings } from "./settings.ts";
import { createDirectory } from "./terminal/command-handlers.ts";

type TerminalHandlers = Handlers<typeof terminalOperations>;

/** What one approved call may do as root. It has no terminal: those are the workspace user's. */
export function rootTerminalHandlers(settings: ServerSettings): TerminalHandlers {
  return {
    ...refusedOperations("root"),
    run_command: (params, context) => runCommand(settings, "root", params, context),
    create_directory: ({ dirPath }, context) => createDirectory(settings, dirPath, context),
  };
}

/** What one approved call may do as the agent: run its command. */
export function approvedTerminalHandlers(settings: ServerSettings): TerminalHandlers {
  return {
    ...refusedOperations("agent"),
    run_command: (params, context) => runCommand(settings, "agent", params, context),
    create_directory: refuse("create_directory", "agent"),
  };
}

type RunParams = Parameters<TerminalHandlers["run_command"]>[0];

async function runCommand(
  settings: ServerSettings,
  as: "root" | "agent",
  { command, isBackground, working_directory, timeout }: RunParams,
  { run, signal, progress }: CallContext,
): Promise<Answer> {
  if (isBackground) throw refusal("run_command in the background", as);
  const unbound = {
    directory: absolutePath(settings, working_directory ?? settings.homeDir),
    command,
  };
  const approved: ApprovedRun = run ?? {
    ...unbound,
    files: [],
    missing: [],
    system: [],
    data: [],
    git: [],
    repositories: [],
    pushes: [],
    changed: [],
    directories: [],
    readable: [],
    confined: true,
  };
  const timeoutMs = timeout * 1000;
  return runApproved(settings, { run: approved, as, timeoutMs }, { signal, progress });
}

type Refused = Omit<TerminalHandlers, "run_command" | "create_directory">;

function refusedOperations(as: "root" | "agent"): Refused {
  return {
    get_terminal_output: refuse("get_terminal_output", as),
    get_terminal_buffer: refuse("get_terminal_buffer", as),
    get_last_command: refuse("get_last_command", as),
    get_terminal_selection: refuse("get_terminal_selection", as),
    create_session: refuse("create_session", as),
    send_input: refuse("send_input", as),
    get_output: refuse("get_output", as),
    get_history: refuse("get_history", as),
    close_session: refuse("close_session", as),
  };
}

function refuse(name: keyof TerminalHandlers, as: "root" | "agent"): () => Promise<Answer> {
  return async () => {
    throw refusal(name, as);
  };
}

function refusal(what: string, as: "root" | "agent"): ToolError {
  return new ToolError(
    "permissionDenied",
    as === "root"
      ? `${what} does not run as root. Use run_command in the foreground, e.g. with sudo.`
      : `${what} does not run in the server of one approved call. Use run_command in the foreground.`,
  );
}
