import { isSubagentTerminal } from "../../contract/conversation/subagent.ts";
import type { PlannedCall } from "../../contract/permission/gate.ts";
import type { ToolContext } from "../../contract/tools/tool-call.ts";
import type { TerminalInfo } from "../../contract/workspace/channel.ts";
import type { Shell } from "../../contract/workspace/shell.ts";
import type { PathEffect, Workspace } from "../../contract/workspace/workspace.ts";
import { type ResolvedPush, resolvePushes } from "../git/resolve-pushes.ts";
import type { Keyboards } from "../keyboards.ts";
import { type CommandClass, type ShellPlace, worstFirst } from "../shell/command-class.ts";
import { readsAsInBash } from "../shell/other-shells.ts";
import type { ShellParser } from "../shell/parser.ts";
import { isWorkloadPath } from "./workload-paths.ts";

/** A command that a call would run. */
export interface Command {
  readonly text: string;
  readonly class: CommandClass;
  /** Where the shell stands. */
  readonly directory: string;
  /** What its pushes would send in the repository as it is now. */
  readonly pushes?: readonly ResolvedPush[];
  /** The thread's shell, where bash may read the text differently: then only that shell can run it. */
  readonly onlyIn?: Shell;
}

export const WORKSPACE_DIR = "/workspace";
const HOME_DIR = "/home/agent";
const ROOT_HOME = "/root";
const DIRECTORY_PARAMETERS = ["working_directory", "workspaceFolder"];

export interface CommandParts {
  readonly parser: ShellParser;
  readonly keyboards: Keyboards;
}

interface CommandPlace {
  readonly workspace: Workspace;
  /** Of the thread's terminals. */
  readonly shell: Shell;
  readonly paths: readonly PathEffect[];
}

/** The command of a call that runs one, read and judged; undefined for calls that run none. */
export async function commandOf(
  call: PlannedCall,
  context: ToolContext,
  parts: CommandParts & CommandPlace,
): Promise<Command | undefined> {
  const { paths } = parts;
  switch (call.operationKey) {
    case "terminal_operations.run_command":
      return commandToRun(call, parts);
    case "build_and_version_control.create_and_run_task":
      return judged(taskText(call.params.task), namedDirectory(paths) ?? startOf(parts), {
        ...parts,
        shell: "bash",
      });
    case "terminal_operations.send_input":
      return typedInto(call, context, parts);
    default:
      return undefined;
  }
}

/** A push that is the whole command finds the repository as it is; so does one behind an alias. */
const NOTHING_BEFORE = { addsCommits: false, changesRepository: false, changesRemotes: false };

/** The repository may make a push worse than its text says, and never better. */
export async function withPushes(command: Command, workspace: Workspace): Promise<Command> {
  const { class: judged, directory } = command;
  if (judged.risk === "free" || !judged.code?.sendings.length) return command;
  const code = judged.isOneCall ? { ...judged.code, ...NOTHING_BEFORE } : judged.code;
  const pushes = await resolvePushes(code, { workspace, directory });
  const worse = pushes.flatMap(({ reason, segment }) =>
    reason === undefined ? [] : [{ risk: "phrase" as const, why: reason, segment }],
  );
  if (worse.length === 0 || judged.risk === "phrase") return { ...command, pushes };
  const raised = { risk: "phrase" as const, reasons: worstFirst([...worse, ...judged.reasons]) };
  return { ...command, pushes, class: { ...judged, ...raised } };
}

export function shellPlace(directory: string, shell: Shell = "bash"): ShellPlace {
  return { workspaceDir: WORKSPACE_DIR, homeDir: HOME_DIR, cwd: directory, shell };
}

function judged(
  text: string,
  directory: string,
  { parser, shell }: CommandParts & Pick<CommandPlace, "shell">,
): Command {
  const onlyIn = readsAsInBash(text, shell) ? {} : { onlyIn: shell };
  return {
    text,
    class: parser.classify(text, shellPlace(directory, shell)),
    directory,
    ...onlyIn,
  };
}

/** As root it starts in `/`, where nothing can be put, unless it depends on a directory or gets one that is not the workload's. */
async function commandToRun(
  call: PlannedCall,
  parts: CommandParts & CommandPlace,
): Promise<Command> {
  const text = String(call.params.command);
  // In the background, bash runs it.
  const shell = call.params.isBackground === true ? "bash" : parts.shell;
  const command = judged(text, await directoryOf(call, parts), { ...parts, shell });
  if (!command.class.asksRoot) return command;
  const { code, unparsed } = command.class;
  const named = namedDirectory(parts.paths);
  const staysHere =
    (named !== undefined && !isWorkloadPath(named)) ||
    unparsed !== undefined ||
    (code?.dependsOnDirectory ?? true);
  const directory = staysHere ? command.directory : "/";
  const place = { ...shellPlace(directory, shell), homeDir: ROOT_HOME };
  return { ...command, class: parts.parser.classify(text, place), directory };
}

/** Each argument reaches the command as one word, whatever is in it. */
function taskText(task: unknown): string {
  const { command, args = [] } = task as { command: string; args?: readonly string[] };
  const quoted = args.map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  return [command, ...quoted].join(" ");
}

async function typedInto(
  { params }: PlannedCall,
  { conversation }: ToolContext,
  { keyboards, workspace }: CommandParts & CommandPlace,
): Promise<Command> {
  const session = String(params.session_id);
  const terminal = (await workspace.terminals()).find((one) => one.session_id === session);
  const directory = terminal?.working_directory ?? startOf({ workspace });
  const typed = { input: String(params.input), foreground: foregroundOf(terminal) };
  const name = { conversation, session };
  return { ...keyboards.judge(name, typed, shellPlace(directory, terminal?.shell)), directory };
}

/** At its prompt the shell reads; while something runs, nobody can tell from here. */
function foregroundOf(terminal: TerminalInfo | undefined): "shell" | "unknown" {
  return terminal?.state === "idle" ? "shell" : "unknown";
}

/** A terminal keeps its directory from command to command. */
async function directoryOf(
  { params }: PlannedCall,
  { workspace, paths }: CommandPlace,
): Promise<string> {
  const named = namedDirectory(paths);
  const start = startOf({ workspace });
  if (named !== undefined || params.isBackground === true) return named ?? start;
  const open = (await workspace.terminals()).find(
    ({ state, session_id }) => state !== "exited" && isOwn(session_id, workspace),
  );
  return open?.working_directory ?? start;
}

function isOwn(session: string, { terminal }: Workspace): boolean {
  return terminal === undefined ? !isSubagentTerminal(session) : session === terminal;
}

/** Where a shell of theirs begins. */
function startOf({ workspace }: Pick<CommandPlace, "workspace">): string {
  return workspace.directory ?? WORKSPACE_DIR;
}

function namedDirectory(paths: readonly PathEffect[]): string | undefined {
  return paths.find(({ parameter }) => DIRECTORY_PARAMETERS.includes(parameter))?.resolved;
}
