import { recordedOutput } from "../../contract/workspace/recorded-terminal.ts";
import type { CallTerminal } from "../../contract/workspace/workspace.ts";
import type { CommandDeps } from "./deps.ts";
import type { Asked } from "./verb.ts";
import { existingWorkspace, knownWorkspace, readInWorkspace } from "./workspace-access.ts";

export interface TerminalHistory {
  /** Without secrets; empty where nothing was run. */
  readonly text: string;
  /** Whether a terminal of that id is open now. */
  readonly isOpen: boolean;
  /** The workspace sleeps or was lost: this is what the terminal had shown. */
  readonly isAsleep: boolean;
}

/** Everything that a terminal has shown and that is still kept. A workspace that sleeps is not woken for it. */
export async function readTerminalHistory(
  deps: CommandDeps,
  asked: Asked,
  sessionId: string,
): Promise<TerminalHistory> {
  const { workspaces, summary } = await knownWorkspace(deps, asked);
  const recorded = (await workspaces.recordedTerminals(asked.conversation)).find(
    ({ session_id }) => session_id === sessionId,
  );
  const isAsleep = summary.state !== "running";
  const open = isAsleep ? undefined : await readOpenTerminal(deps, asked, sessionId);
  // Masked before it is cut into pages: half a secret is not found.
  const text = deps.redactor.redact(recordedOutput(recorded, open) + (open?.output ?? ""));
  return { text: text.trimEnd(), isOpen: open !== undefined, isAsleep };
}

async function readOpenTerminal(deps: CommandDeps, asked: Asked, session_id: string) {
  const workspace = await existingWorkspace(deps, asked);
  const open = (await workspace.terminals()).find((one) => one.session_id === session_id);
  if (!open) return undefined;
  const isOwn = session_id === asked.conversation;
  const terminal: CallTerminal = { name: session_id, directory: "." };
  const { history } = await readInWorkspace(
    workspace,
    asked,
    "terminal_operations",
    { operation: "get_history", session_id },
    isOwn ? {} : { terminal },
  );
  return { created: open.created, output: typeof history === "string" ? history : "" };
}
