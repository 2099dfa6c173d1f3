import type { PlannedCall } from "../../contract/permission/gate.ts";
import type { Assessment } from "../assess.ts";
import { bindCommand, type CommandBinding, type UnboundCommand } from "./bind-command.ts";
import type { Command } from "./command-text.ts";
import { refusedMove } from "./root-moves.ts";

/** What an approval of a call fixes besides the call itself; nothing for calls that run no command of their own. */
export interface ApprovalBinding {
  readonly binding?: CommandBinding;
}

/** Binds a call that needs an approval, or says why no approval could hold. */
export async function bindApproved(
  call: PlannedCall,
  { command, workspace, identity, paths }: Assessment,
): Promise<ApprovalBinding | UnboundCommand> {
  const { operationKey, params } = call;
  const move = workspace && (await refusedMove(call, { identity, paths, workspace }));
  if (move !== undefined) return { denied: move };
  if (operationKey === "terminal_operations.send_input") return { denied: TYPED };
  if (operationKey === "build_and_version_control.create_and_run_task")
    return command && needsApproval(command) ? { denied: AS_A_TASK } : {};
  if (operationKey !== "terminal_operations.run_command" || !command || !workspace) return {};
  if (params.isBackground === true) return { denied: IN_BACKGROUND };
  const bound = await bindCommand(command, { identity, workspace });
  return "denied" in bound ? bound : { binding: bound };
}

/** By itself: a task asks in any case. */
function needsApproval({ class: { risk, unparsed } }: Command): boolean {
  return risk !== "free" || unparsed !== undefined;
}

const AS_A_TASK =
  "This command needs an approval, and a task runs beside the workspace's other processes, where an approval cannot guarantee " +
  "what runs. Run it with run_command, which asks for approval and uses a fresh shell.";

const TYPED =
  "This needs an approval, and the effect of typed text depends on the terminal's shell, which the workspace " +
  "controls. Run it with run_command or `$ …`, which asks for approval and uses a fresh shell.";

const IN_BACKGROUND =
  "A command that needs an approval can only run in the foreground. Run it without isBackground and with a longer timeout.";
