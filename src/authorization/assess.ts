import { dirname } from "node:path";
import { threadOf } from "../contract/conversation/subagent.ts";
import { documentFileCall } from "../contract/document-path.ts";
import type { GrantScope } from "../contract/permission/approval.ts";
import type { PlannedCall } from "../contract/permission/gate.ts";
import type { HostAccess, HostView } from "../contract/permission/hosts.ts";
import { type AskedLevel, highest, type Level } from "../contract/permission/level.ts";
import type { ToolContext } from "../contract/tools/tool-call.ts";
import { workspaceTools } from "../contract/tools/workspace-tools.ts";
import type { Shell } from "../contract/workspace/shell.ts";
import type { PathEffect, Workspace } from "../contract/workspace/workspace.ts";
import {
  type Command,
  type CommandParts,
  commandOf,
  WORKSPACE_DIR,
  withPushes,
} from "./binding/command-text.ts";
import type { Policy } from "./policy/policy.ts";
import { isWithin, levelOf, type PolicyLevel, pathRule } from "./policy/policy-rules.ts";
import { NOTHING_REACHED, type Reached, reachedBy, statesOf } from "./reached-hosts.ts";
import { reasonsInWords } from "./reasons-in-words.ts";
import { mayCarryData } from "./shell/online.ts";
import { fromUrl } from "./shell/seen-hosts.ts";

/** What a call would do, and what speaks against doing it unasked. */
export interface Assessment {
  /** Set: it must not happen, whoever would approve it. */
  readonly denied: string | undefined;
  readonly risk: Level;
  readonly reasons: readonly string[];
  /** True when a line of the policy made it free. */
  readonly byPolicy: boolean;
  readonly identity: "agent" | "root";
  readonly paths: readonly PathEffect[];
  readonly command: Command | undefined;
  /** What a timed grant could cover; absent where there must be none. */
  readonly timedScope: GrantScope | undefined;
  readonly unprivileged: boolean;
  /** Hosts that must be open for it and are not, each an entry such as "github.com:443". */
  readonly opens: readonly string[];
  /** Nothing but a closed host speaks against it. */
  readonly isForHostsAlone: boolean;
  /** Some of its text could not be parsed: then it is never allowed without a question of its own. */
  readonly isUnparsed: boolean;
  /** Of the terminal that the call may use. */
  readonly shell: Shell;
  readonly workspace: Workspace | undefined;
}

export interface AssessParts extends CommandParts {
  readonly policy: Policy;
  readonly now: () => Date;
  /** The shell of the conversation's terminals. */
  readonly shellOf: (conversation: string) => Promise<Shell>;
  /** Absent where workspaces have no network. */
  readonly hosts?: HostAccess | undefined;
  /** Whether people are asked about hosts; without that, a closed host is refused when a command wants it. */
  readonly asksAboutHosts?: boolean | undefined;
  /** Whether reads outside the workspace ask in this conversation. */
  readonly outsideReadsAsk: (conversation: string) => Promise<boolean>;
}

interface Concern {
  readonly risk: AskedLevel | "denied";
  readonly reason: string;
}

export async function assess(
  parts: AssessParts,
  call: PlannedCall,
  context: ToolContext,
): Promise<Assessment> {
  const { policy } = parts;
  const level = levelOf(policy, call.operationKey, call.level);
  const shell =
    call.tool === "terminal_operations" ? await parts.shellOf(context.conversation) : "bash";
  const looked = await lookInto({ ...parts, shell }, call, context);
  const { workspace, paths, command, written, reached } = looked;
  const readsAsk =
    policy.outsideReads === "ask" || (await parts.outsideReadsAsk(context.conversation));

  const own = workspace?.directory ?? WORKSPACE_DIR;
  const free = paths.length > 0 && paths.every((path) => pathRule(policy, path) === "allow");
  const isFreeRead = readsOpenHost(call, looked);
  const others = [
    ...((free && level !== "denied") || isFreeRead ? [] : aboutLevel(call, level)),
    ...paths.flatMap((path) => aboutPath(path, { policy, level, readsAsk, own })),
    ...written.flatMap((path) => aboutRule(path, policy)),
    ...(command ? aboutCommand(call, command) : []),
    ...(command ? aboutOthers(command, own) : []),
    ...(command?.class.discards ? aboutGap(command, await context.checkpointGap?.()) : []),
  ];
  const opens = command && parts.asksAboutHosts !== false ? reached.opens : [];
  const concerns = [...others, ...aboutHosts(reached.denied, opens)];
  const risk = worstOf(concerns);
  const identity = identityOf(call, paths, command);
  return {
    denied:
      concerns.find((concern) => concern.risk === "denied")?.reason ??
      rootProblem(call, identity) ??
      outOfHours(parts, risk),
    risk,
    reasons: concerns.map(({ reason }) => reason),
    byPolicy: free || level !== call.level,
    identity,
    paths,
    command,
    timedScope: scopeOf(call, { paths, command, risk, identity }),
    shell,
    opens,
    isForHostsAlone: opens.length > 0 && others.length === 0,
    isUnparsed: command?.class.unparsed !== undefined,
    unprivileged: paths.every((path) => !path.sensitive && (path.inside || path.scratch)),
    workspace,
  };
}

/** The same call, once it has turned out to need a phrase. */
export function raisedToPhrase(parts: AssessParts, assessment: Assessment, reason: string) {
  return {
    ...assessment,
    risk: "phrase" as const,
    reasons: [reason, ...assessment.reasons],
    denied: outOfHours(parts, "phrase"),
    timedScope: undefined,
  };
}

/** What the call means in its workspace; nothing for a call that runs elsewhere. */
async function lookInto(
  parts: AssessParts & Pick<Assessment, "shell">,
  call: PlannedCall,
  context: ToolContext,
) {
  if (call.tool === "document_operations") return lookIntoDocument(call, context);
  const view = await parts.hosts?.view(threadOf(context.conversation));
  if (!runsInWorkspace(call)) {
    const reached = view ? reachedByTool(call, view) : NOTHING_REACHED;
    return { workspace: undefined, paths: [], command: undefined, written: [], reached };
  }
  const workspace = await context.workspace();
  const paths = await pathsOf(workspace, call, context);
  const { judged, reached } = await judgedFor(call, context, { ...parts, workspace, paths, view });
  const command = judged && (await withPushes(judged, workspace));
  const written = await writtenBy(workspace, command, context, parts.policy);
  return { workspace, paths, command, written, reached };
}

interface JudgedFor extends AssessParts, Pick<Assessment, "shell" | "paths"> {
  readonly workspace: Workspace;
  readonly view: HostView | undefined;
}

/** The command, judged as it stands once the hosts that it names are open. */
async function judgedFor(
  call: PlannedCall,
  context: ToolContext,
  { view, ...place }: JudgedFor,
): Promise<{ judged: Command | undefined; reached: Reached }> {
  const isOnline = view?.isAnyOpen ?? false;
  const judged = await commandOf(call, context, { ...place, isOnline });
  if (!judged || !view) return { judged, reached: NOTHING_REACHED };
  const reached = await reachedBy(judged, view, place.workspace);
  if (isOnline || reached.opens.length === 0) return { judged, reached };
  return { judged: await commandOf(call, context, { ...place, isOnline: true }), reached };
}

/** The host of a page that the bot itself would read. */
function reachedByTool({ operationKey, params }: PlannedCall, view: HostView): Reached {
  const seen = operationKey === FETCH ? fromUrl(String(params.url), "https") : undefined;
  // Pages are read over TLS whatever their address says.
  const host = seen?.port === 80 ? { ...seen, port: 443 } : seen;
  return host ? statesOf([host], view) : NOTHING_REACHED;
}

const FETCH = "web_operations.fetch";

/** Reading a page of a host that is open asks nobody, unless its address may carry something there. */
function readsOpenHost(
  { operationKey, params }: PlannedCall,
  { reached }: { readonly reached: Reached },
): boolean {
  return operationKey === FETCH && reached.isOpen && !mayCarryData(String(params.url));
}

function aboutHosts(denied: string | undefined, opens: readonly string[]): Concern[] {
  const closed = opens.map((entry): Concern => {
    return { risk: "click", reason: `It needs ${entry}, which is not open in this thread.` };
  });
  return [
    ...(denied === undefined ? [] : [{ risk: "denied" as const, reason: denied }]),
    ...closed,
  ];
}

/** Documents are files: the policy's paths hold for them as for every other file. */
async function lookIntoDocument({ operation, params }: PlannedCall, context: ToolContext) {
  const nothing = {
    workspace: undefined,
    paths: [],
    command: undefined,
    written: [],
    reached: NOTHING_REACHED,
  };
  if (documentFileCall(operation, params) === undefined) return nothing;
  const workspace = await context.workspace();
  const args = documentFileCall(operation, params, workspace.directory);
  if (args === undefined) return nothing;
  const found = await workspace.pathsOf({ id: context.callId, tool: "file_operations", args });
  const parameter = operation === "document_create" ? "output_path" : "path";
  return { ...nothing, workspace, paths: found.map((path) => ({ ...path, parameter })) };
}

function runsInWorkspace({ tool }: PlannedCall): boolean {
  return workspaceTools.some(({ name }) => name === tool);
}

function pathsOf(
  workspace: Workspace,
  { tool, operation, params }: PlannedCall,
  { callId }: ToolContext,
): Promise<PathEffect[]> {
  return workspace.pathsOf({ id: callId, tool, args: { ...params, operation } });
}

/** Where the text of a command says that it writes, for a policy that has something to say about paths. */
async function writtenBy(
  workspace: Workspace,
  command: Command | undefined,
  { callId }: ToolContext,
  policy: Policy,
): Promise<PathEffect[]> {
  const filePaths = command?.class.writes.slice(0, 1000) ?? [];
  if (filePaths.length === 0 || policy.paths.length === 0) return [];
  // Any operation that takes many paths would do: only where they lead is looked at.
  const args = { operation: "get_errors", filePaths };
  const found = await workspace.pathsOf({ id: callId, tool: "file_operations", args });
  return found.map((path) => ({ ...path, access: "write" }));
}

function aboutLevel(call: PlannedCall, level: PolicyLevel): Concern[] {
  const { operationKey } = call;
  if (level === "denied")
    return [{ risk: "denied", reason: `The policy forbids ${operationKey}.` }];
  if (level === "standard" && !isLookedInto(call)) {
    return [{ risk: "click", reason: unseenEffect(call) }];
  }
  if (level !== "elevated" && level !== "high") return [];
  const risk = level === "high" ? "phrase" : "click";
  return [{ risk, reason: "Calls of this kind always need an approval." }];
}

/** Whether the paths and commands of a call show what it would do. Of every other call people have to judge the whole. */
function isLookedInto(call: PlannedCall): boolean {
  return call.tool === "document_operations" || runsInWorkspace(call);
}

function unseenEffect({ definition }: PlannedCall): string {
  if (definition.foreign) return `It runs on the external server ${definition.foreign.server}.`;
  if (definition.category === "web") return "It reaches another machine.";
  return "Nothing shows what it would do.";
}

interface PathView {
  readonly policy: Policy;
  readonly level: PolicyLevel;
  readonly readsAsk: boolean;
  /** The directory of whoever calls: the workspace, or what a subagent has of it. */
  readonly own: string;
}

function aboutPath(path: PathEffect, { policy, level, readsAsk, own }: PathView): Concern[] {
  const rule = pathRule(policy, path);
  if (rule) return aboutRule(path, policy);
  const { resolved, access, inside, sensitive } = path;
  const outside = `${resolved} is outside ${ownName(own)}.`;
  if (access === "read") return !inside && readsAsk ? [{ risk: "click", reason: outside }] : [];
  const concerns: Concern[] = [];
  if (sensitive) {
    const reason = `Content written to ${resolved} may run automatically later.`;
    concerns.push({ risk: "click", reason });
  }
  if (level === "safe") return concerns;
  if (!inside) concerns.push({ risk: "click", reason: outside });
  if (access === "delete") {
    concerns.push({ risk: "click", reason: `${resolved} would be deleted.` });
  }
  return concerns;
}

function aboutRule(path: PathEffect, policy: Policy): Concern[] {
  const rule = pathRule(policy, path);
  const { resolved, access } = path;
  if (rule === "deny")
    return [{ risk: "denied", reason: `The policy forbids ${access} access to ${resolved}.` }];
  if (rule !== "ask") return [];
  return [{ risk: "click", reason: `The policy asks about ${access} access to ${resolved}.` }];
}

/** The parser gives the level; text that it cannot read raises it to a click at least, and lowers nothing. */
function aboutCommand(call: PlannedCall, command: Command): Concern[] {
  const { risk, unparsed, reasons } = command.class;
  if (risk === "free" && unparsed === undefined) return [];
  const level = risk === "phrase" ? "phrase" : "click";
  const why = reasonsInWords(reasons.filter((reason) => reason.risk === risk));
  const said = why || `${call.operationKey} needs an approval here.`;
  const isLost = unparsed !== undefined && !said.includes(unparsed);
  const lost = isLost ? `; part of it cannot be parsed: ${unparsed}` : "";
  return [{ risk: level, reason: said + lost }];
}

/** What only a checkpoint would bring back is free only where this turn's checkpoint has it. */
function aboutGap(command: Command, gap: string | undefined): Concern[] {
  if (!command.class.discards || gap === undefined) return [];
  return [{ risk: "click", reason: `Undo would not restore what this removes: ${gap}` }];
}

/** Where a command writes in the workspace, but beyond what is its caller's. */
function aboutOthers({ class: { writes } }: Command, own: string): Concern[] {
  if (own === WORKSPACE_DIR) return [];
  const isIn = (path: string, directory: string) =>
    path === directory || path.startsWith(`${directory}/`);
  return writes
    .filter((path) => isIn(path, WORKSPACE_DIR) && !isIn(path, own))
    .map((path) => ({ risk: "click", reason: `${path} is outside ${ownName(own)}.` }));
}

function ownName(own: string): string {
  return own === WORKSPACE_DIR ? `the workspace ${own}` : `the subagent's directory ${own}`;
}

function worstOf(concerns: readonly Concern[]): Level {
  return highest(concerns.flatMap(({ risk }) => (risk === "denied" ? [] : [risk])));
}

/** Root is for sudo and for files outside of what the workspace's user may write, and for nothing else. */
function identityOf(
  call: PlannedCall,
  paths: readonly PathEffect[],
  command: Command | undefined,
): "agent" | "root" {
  if (call.operation === "run_command") return command?.class.asksRoot ? "root" : "agent";
  const writesFiles =
    call.tool === "file_operations" || call.operationKey === "terminal_operations.create_directory";
  const beyond = paths.some((path) => path.access !== "read" && !path.inside && !path.scratch);
  return writesFiles && beyond ? "root" : "agent";
}

function rootProblem({ params }: PlannedCall, identity: "agent" | "root"): string | undefined {
  if (identity !== "root" || params.isBackground !== true) return undefined;
  return "Background commands cannot run as root. Run it in the foreground, or without sudo.";
}

function outOfHours({ policy, now }: AssessParts, risk: Level): string | undefined {
  const hours = policy.workingHours;
  if (!hours || risk === "free" || !hours.risks.includes(risk) || isWithin(hours, now()))
    return undefined;
  return `The policy permits ${risk} calls only from ${hours.from} to ${hours.to} (${hours.timeZone}) on ${hours.days.join(", ")}.`;
}

/** Parameters that name the directory itself, and not something in it. */
const DIRECTORIES = new Set([
  "target_directory",
  "working_directory",
  "workspaceFolder",
  "repositoryPath",
  "rootPath",
  "workspace_path",
]);

type ScopeView = Pick<Assessment, "paths" | "identity" | "command" | "risk">;

function scopeOf(
  call: PlannedCall,
  { paths, command, risk, identity }: ScopeView,
): GrantScope | undefined {
  const neverTimed =
    risk === "phrase" ||
    identity === "root" ||
    call.definition.category === "web" ||
    !runsInWorkspace(call) ||
    paths.some(({ sensitive }) => sensitive);
  if (neverTimed) return undefined;
  if (command) {
    const { grantKey, mayRepeat, unparsed } = command.class;
    if (unparsed !== undefined) return undefined;
    if (grantKey !== undefined) return { kind: "program", program: grantKey };
    if (!mayRepeat) return undefined;
    return { kind: "command", command: command.text, directory: command.directory };
  }
  // What such a task runs is known to the workspace only.
  if (call.operation === "run_task") return undefined;
  const directories = paths.map(({ parameter, resolved }) =>
    DIRECTORIES.has(parameter) ? resolved : dirname(resolved),
  );
  return {
    kind: "directories",
    directories: directories.length > 0 ? [...new Set(directories)] : [WORKSPACE_DIR],
  };
}
