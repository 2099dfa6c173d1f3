import type { ApprovalQuestion } from "../../src/contract/permission/approval.ts";
import type { OperationResult } from "../../src/contract/tools/operation.ts";
import type { Workspace } from "../../src/contract/workspace/workspace.ts";
import { ContainerShell } from "./container-shell.ts";
import { command, docker, type EngineChanges, startEngine } from "./engine.ts";
import { permissionLab } from "./permission-lab.ts";

const RUN = "terminal_operations.run_command";

/** A real workspace with the guard in front of it: cards and clicks on the one side, a hostile workload on the other. */
export interface ApprovedRuns extends AsyncDisposable {
  readonly workspace: Workspace;
  readonly container: string;
  /** The card of a command that has to ask. */
  card(text: string, directory?: string): Promise<ApprovalQuestion>;
  /** Runs exactly what the card binds. */
  click(question: ApprovalQuestion): Promise<OperationResult>;
  /** The workload; not the terminal. */
  asAgent(script: string): Promise<string>;
  /** Works while the workload runs the script, which ends when /tmp/racing is gone. */
  during<Result>(script: string, work: () => Promise<Result>): Promise<Result>;
  /** A careless server, which runs a command as root without any check. */
  asRoot(script: string): Promise<string>;
}

export async function openApprovedRuns(
  conversation: string,
  changes: EngineChanges = {},
): Promise<ApprovedRuns> {
  const engine = await startEngine(changes);
  const lab = await permissionLab();
  const workspace = await engine.workspaces.open(conversation, { fence: 1 });
  await command(workspace, "true");
  const container = await engine.containerOf(conversation);
  const shell = new ContainerShell(container);
  const rootShell = new ContainerShell(container, "root");
  return {
    workspace,
    container,
    card: (text, directory) =>
      lab.question(
        RUN,
        { command: text, ...(directory === undefined ? {} : { working_directory: directory }) },
        { workspace: async () => workspace },
      ),
    click: async ({ call }) => {
      if (!call.run) throw new Error("The approval binds no run.");
      return command(workspace, String(call.params.command), { as: call.identity, run: call.run });
    },
    asAgent: (script) => shell.run(script),
    during: async (script, work) => {
      await shell.run("touch /tmp/racing");
      const place = ["-u", "1000:1000", "-w", "/workspace"];
      const racing = docker("exec", ...place, container, "bash", "-c", script);
      try {
        return await work();
      } finally {
        await shell.run("rm /tmp/racing");
        await racing;
      }
    },
    asRoot: (script) => rootShell.run(script),
    [Symbol.asyncDispose]: async () => {
      shell[Symbol.dispose]();
      rootShell[Symbol.dispose]();
      await lab[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
    },
  };
}
