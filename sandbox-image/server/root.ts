import { ToolError } from "../../src/contract/operation.ts";
import type { terminalOperations } from "../../src/contract/terminal-operations.ts";
import type { Answer, Handlers } from "./handlers.ts";
import { absolutePath } from "./paths.ts";
import { runOnce } from "./processes/run-once.ts";
import type { ServerSettings } from "./settings.ts";
import { createDirectory, outcome } from "./terminal/command-handlers.ts";

type TerminalHandlers = Handlers<typeof terminalOperations>;

/** What one approved call may do as root. It has no terminal: those are the workspace user's. */
export function rootTerminalHandlers(settings: ServerSettings): TerminalHandlers {
  return {
    ...terminalsOnly(),
    run_command: async (
      { command, isBackground, working_directory, timeout },
      { signal, progress },
    ) => {
      if (isBackground) throw refusal("run_command in the background");
      const cwd = absolutePath(settings, working_directory ?? ".");
      const timeoutMs = timeout * 1000;
      const result = await runOnce(settings, command, {
        cwd,
        timeoutMs,
        signal,
        onOutput: progress,
      });
      return { ...outcome(result.exit_code), ...result, working_directory: cwd, as: "root" };
    },
    create_directory: ({ dirPath }, context) => createDirectory(settings, dirPath, context),
  };
}

type Refused = Omit<TerminalHandlers, "run_command" | "create_directory">;

function terminalsOnly(): Refused {
  const refuse = (name: keyof Refused) => async (): Promise<Answer> => {
    throw refusal(name);
  };
  return {
    get_terminal_output: refuse("get_terminal_output"),
    get_terminal_buffer: refuse("get_terminal_buffer"),
    get_last_command: refuse("get_last_command"),
    get_terminal_selection: refuse("get_terminal_selection"),
    create_session: refuse("create_session"),
    send_input: refuse("send_input"),
    get_output: refuse("get_output"),
    get_history: refuse("get_history"),
    close_session: refuse("close_session"),
  };
}

function refusal(what: string): ToolError {
  return new ToolError(
    "permissionDenied",
    `${what} does not run as root. Use run_command in the foreground, e.g. with sudo.`,
  );
}
