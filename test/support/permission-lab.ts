import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pack } from "tar-stream";
import { afterEach } from "vitest";
import { resolveAll } from "../../sandbox-image/server/paths.ts";
import { createAudit } from "../../src/audit/audit.ts";
import {
  type Authorization,
  type AuthorizationParts,
  createAuthorization,
} from "../../src/authorization/authorization.ts";
import { defaultPolicy, type Policy, readPolicy } from "../../src/authorization/policy/policy.ts";
import type { CommandClass } from "../../src/authorization/shell/command-class.ts";
import { openShellParser, type ShellParser } from "../../src/authorization/shell/parser.ts";
import type { Audit } from "../../src/contract/audit.ts";
import { pathsOf } from "../../src/contract/paths-of.ts";
import type { ApprovalQuestion } from "../../src/contract/permission/approval.ts";
import type { PlannedCall, Preview, Verdict } from "../../src/contract/permission/gate.ts";
import {
  type Actor,
  actorKey,
  type People,
  type Place,
  type Presence,
} from "../../src/contract/platform/actor.ts";
import type { Store } from "../../src/contract/store.ts";
import type { Operation, Tool } from "../../src/contract/tools/operation.ts";
import type { ToolContext } from "../../src/contract/tools/tool-call.ts";
import { parseCall } from "../../src/contract/tools/tool-schema.ts";
import { workspaceTools } from "../../src/contract/tools/workspace-tools.ts";
import type { TerminalInfo } from "../../src/contract/workspace/channel.ts";
import type { Shell } from "../../src/contract/workspace/shell.ts";
import type { Workspace } from "../../src/contract/workspace/workspace.ts";
import { Journal } from "../../src/journal/journal.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { openStore } from "../../src/store/open-store.ts";
import { documentOperations } from "../../src/tools/memory/document-operations.ts";
import { makeWorkspace, type TestWorkspace } from "../sandbox-image/files/workspace.ts";
import { contextOf } from "./calls.ts";
import { makeDataDirectory } from "./data-directory.ts";
import { inspectsIn } from "./inspect-code.ts";

/** The guard with everything that is ours behind it: real files, a real store, and a clock that the test turns. */
export interface Lab extends AsyncDisposable {
  readonly authorization: Authorization;
  readonly files: TestWorkspace;
  /** The same files as the guard sees them. */
  readonly workspace: Workspace;
  readonly store: Store;
  readonly audit: Audit;
  readonly warnings: readonly string[];
  readonly clock: { now: Date };
  check(key: string, params: object, more?: Partial<ToolContext>): Promise<Verdict>;
  /** What the guard sees before it decides. */
  preview(key: string, params: object): Promise<Preview>;
  /** The question of a call that has to ask. */
  question(key: string, params: object, more?: Partial<ToolContext>): Promise<ApprovalQuestion>;
  /** Asks another guard about a call of the same workspace. */
  /** The same for any tool, by its definition. */
  checkCall(tool: Tool, operation: string, params: object): Promise<Verdict>;
  checkBy(guard: Authorization, key: string, params: object): Promise<Verdict>;
  /** The same guard on the same store, as another process or after a restart has it. */
  again(more?: Partial<AuthorizationParts>): Authorization;
}

export interface LabOptions {
  readonly policy?: string | Policy;
  readonly people?: readonly Presence[];
  /** Lists the people with a right on the platform, as adapters do; without it, no one can be listed. */
  readonly holders?: People["holders"];
  readonly outsideReadsAsk?: boolean;
  /** Of the thread's terminals. */
  readonly shell?: Shell;
  readonly cardChars?: number;
  /** Where a test needs a command to be judged otherwise than it would be. */
  readonly classes?: Readonly<Record<string, Partial<CommandClass>>>;
  readonly store?: Store;
}

export const NOON = new Date("2030-01-02T12:00:00.000Z");

let parsers: Promise<ShellParser> | undefined;

export async function permissionLab(options: LabOptions = {}): Promise<Lab> {
  const directory = makeDataDirectory("permission");
  const store =
    options.store ?? (await openStore({ kind: "sqlite", file: join(directory, "store.db") }));
  parsers ??= openShellParser();
  const parser = await parsers;
  const files = makeWorkspace();
  const clock = { now: NOON };
  const warnings: string[] = [];
  const audit = createAudit({ store, redactor: createRedactor({ secrets: {} }) });
  const parts: AuthorizationParts = {
    journal: new Journal(store),
    audit,
    policy: policyOf(options.policy),
    people: {
      find: async (key) => options.people?.find(({ actor }) => actorKey(actor) === key),
      ...(options.holders ? { holders: options.holders } : {}),
    },
    parser: {
      classify: (command, where) => ({
        ...parser.classify(command, where),
        ...options.classes?.[command],
      }),
    },
    grantSeconds: 300,
    emojiAnswers: false,
    shellOf: async () => options.shell ?? "bash",
    outsideReadsAsk: async () => options.outsideReadsAsk ?? false,
    cardLimits: () => ({ chars: options.cardChars ?? 10_000 }),
    mask: (text) => text.replaceAll("lab-secret", "***"),
    now: () => clock.now,
    warn: (message) => warnings.push(message),
  };
  const authorization = createAuthorization(parts);
  const workspace = portOf(files);
  const context = (more: Partial<ToolContext> = {}) =>
    contextOf("A", { workspace: async () => workspace, userId: keyOf("alice"), ...more });
  const check: Lab["check"] = (key, params, more) =>
    decideBy(authorization, planned(key, params), context(more));
  return {
    authorization,
    files,
    workspace,
    store,
    audit,
    warnings,
    clock,
    check,
    preview: (key, params) => authorization.guard.preview(planned(key, params), context()),
    checkCall: (tool, operation, params) =>
      decideBy(authorization, plannedCall(tool, operation, params), context()),
    checkBy: (guard, key, params) => decideBy(guard, planned(key, params), context()),
    question: async (key, params, more) => {
      const verdict = await check(key, params, more);
      if (verdict.outcome !== "ask" || !verdict.question) throw new Error(JSON.stringify(verdict));
      return verdict.question;
    },
    again: (more = {}) => createAuthorization({ ...parts, journal: new Journal(store), ...more }),
    [Symbol.asyncDispose]: async () => {
      files[Symbol.dispose]();
      if (!options.store) await store[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** As the pipeline does it: it looks, and then it decides on what was seen. */
async function decideBy({ guard }: Authorization, call: PlannedCall, context: ToolContext) {
  return guard.decide(await guard.preview(call, context));
}

function policyOf(given: string | Policy | undefined): Policy {
  if (given === undefined) return defaultPolicy();
  return typeof given === "string" ? readPolicy(`version: 1\n${given}`) : given;
}

/** A call as the dispatcher would plan it. */
function planned(key: string, params: object): PlannedCall {
  const [toolName = "", operation = ""] = key.split(".");
  const tools: readonly Tool[] = [...workspaceTools, documentOperations];
  const tool = tools.find(({ name }) => name === toolName);
  if (!tool) throw new Error(`There is no tool ${toolName}.`);
  return plannedCall(tool, operation, params);
}

function plannedCall(tool: Tool, operation: string, params: object): PlannedCall {
  const parsed = parseCall(tool, { ...params, ...(tool.single ? {} : { operation }) });
  const definition = tool.operations[operation] as Operation;
  return {
    operationKey: tool.single ? tool.name : `${tool.name}.${operation}`,
    tool: tool.name,
    operation,
    definition,
    level: definition.level,
    params: parsed.params,
  };
}

const TERMINAL: TerminalInfo = {
  session_id: "s",
  tty_name: "pts/0",
  pid: 1,
  created: NOON.toISOString(),
  working_directory: "/workspace",
  state: "idle",
  exit_code: null,
  rows: 24,
  cols: 80,
  end_index: 0,
};

/** File operations of a directory on this machine; the guard only ever reads. */
function portOf(files: TestWorkspace): Workspace {
  const port: Partial<Workspace> = {
    call: ({ args }) => {
      const { operation, ...params } = args;
      const { filePath } = params;
      // The guard knows repositories by their paths in a workspace.
      const isThere = typeof filePath === "string" && filePath.startsWith("/workspace/");
      const there = isThere ? { filePath: files.path(filePath.slice("/workspace/".length)) } : {};
      return files.call(String(operation), { ...params, ...there });
    },
    pathsOf: async ({ tool, args }) => {
      const uses = pathsOf(tool, String(args.operation), args);
      const found = await resolveAll(files.settings, uses);
      return found.map(({ path: resolved, ...place }, index) => {
        const use = uses[index];
        if (!use) throw new Error("A path was lost.");
        return { ...place, ...use, resolved };
      });
    },
    terminals: async () => [TERMINAL],
    inspectCode: inspectsIn(files.dir),
    download: async (path) => {
      const archive = pack();
      const content = readFileSync(files.path(path.slice("/workspace/".length)));
      archive.entry({ name: "file", size: content.length }, content);
      archive.finalize();
      return Readable.from(archive);
    },
  };
  return port as Workspace;
}

export const place = (more: Partial<Place> = {}): Place => ({
  platform: "chat",
  team: "T1",
  channel: "C1",
  isChannelMember: true,
  ...more,
});

export function person(name: string, more: Partial<Actor> = {}): Presence {
  const actor: Actor = {
    platform: "chat",
    team: "T1",
    id: name,
    kind: "member",
    groups: [],
    ...more,
  };
  return { actor, place: place() };
}

export const keyOf = (name: string) => `chat:T1:${name}`;

/** Labs for the tests of a file, each removed when its test has ended. */
export function labsPerTest(): (options?: LabOptions) => Promise<Lab> {
  const labs: Lab[] = [];
  afterEach(async () => {
    for (const lab of labs.splice(0)) await lab[Symbol.asyncDispose]();
  });
  return async (options) => {
    const made = await permissionLab(options);
    labs.push(made);
    return made;
  };
}
