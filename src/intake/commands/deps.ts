import type { Audit, AuditRecord } from "../../contract/audit.ts";
import type { Archive } from "../../contract/conversation/archive.ts";
import type { Memories } from "../../contract/conversation/memory.ts";
import type { Prompts } from "../../contract/conversation/prompt.ts";
import type { Todos } from "../../contract/conversation/todo.ts";
import type { Model } from "../../contract/model.ts";
import type { EgressLimits, HostUsage, Refusal } from "../../contract/network.ts";
import type { Grant } from "../../contract/permission/approval.ts";
import type { ApprovalDesk, QuestionDesk } from "../../contract/permission/permissions.ts";
import type { Authorize, People, Presence } from "../../contract/platform/actor.ts";
import type { ThreadId } from "../../contract/platform/incoming.ts";
import type { FileShare, View } from "../../contract/platform/view.ts";
import type { Redactor } from "../../contract/redactor.ts";
import type { Documents } from "../../contract/store.ts";
import type { CallJournal } from "../../contract/tools/call-journal.ts";
import type { Toolbox } from "../../contract/tools/toolbox.ts";
import type { Workspace, Workspaces } from "../../contract/workspace/workspace.ts";
import type { Choices } from "../../conversation/choices.ts";
import type { Settings } from "../../conversation/settings.ts";
import type { SubagentEntry } from "../../conversation/subagents/report.ts";
import type { Journal } from "../../journal/journal.ts";

/** Everything that commands work with. */
export interface CommandDeps {
  readonly journal: Pick<Journal, "read" | "write" | "fold" | "last">;
  readonly archive: Archive;
  readonly authorize: Authorize;
  readonly people: People;
  readonly toolbox: Pick<Toolbox, "offer" | "runCall">;
  /** For calls beside the conversation's turns. */
  readonly callJournal: (conversation: string) => CallJournal;
  /** What tools there are, by the registry's own words. */
  readonly tools: ToolCatalogue;
  /** External servers. */
  readonly servers: Servers;
  /** Absent: this bot has none, e.g. because there is no Docker. */
  readonly workspaces:
    | Pick<Workspaces, "reset" | "keep" | "list" | "recordedTerminals">
    | undefined;
  /**
   * The conversation's workspace for what people do beside its turns, which may be under way: under the fence of the
   * lease that is held here, or of one taken for this. Throws where another replica holds it.
   */
  readonly openWorkspace: (conversation: string, requester?: string) => Promise<Workspace>;
  readonly subagents: {
    /** Those that work for a conversation now. */
    live(conversation: string): Promise<readonly string[]>;
    /** All that ever worked in a thread, oldest first. */
    list(thread: string): Promise<readonly SubagentEntry[]>;
  };
  /** Undefined where workspaces have no network. */
  readonly network: NetworkDesk | undefined;
  readonly approvals: Pick<ApprovalDesk, "waiting" | "find">;
  readonly questions: Pick<QuestionDesk, "waiting">;
  readonly grants: GrantBook;
  readonly autoApprove: AutoApproveSwitch;
  readonly todos: Pick<Todos, "read">;
  readonly memories: Pick<Memories, "search" | "collections" | "clear" | "forgetRecent">;
  readonly audit: Pick<Audit, "record" | "forConversation">;
  readonly describeRecord: (
    record: AuditRecord,
    nameOf: (key: string) => string,
  ) => RecordDescription;
  readonly settings: Settings;
  readonly prompts: Prompts;
  readonly choices: Choices;
  /** What people point at, by conversation. */
  readonly selections: Documents;
  /** Absent: direct mode. */
  readonly model: Pick<Model, "name" | "check"> | undefined;
  readonly show: Showing;
  readonly redactor: Pick<Redactor, "redact" | "redactDeep">;
  readonly now: () => Date;
}

/** A tool as its server lists it. */
interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
}

interface ServerSummary {
  readonly name: string;
  readonly runs: "container" | "host" | "remote";
  readonly state: string;
  readonly tools: readonly string[];
  readonly restarts: number;
  readonly lastError: string | undefined;
  readonly quarantined: readonly {
    readonly name: string;
    readonly before?: ListedTool;
    readonly after: ListedTool;
  }[];
  /** Names the difference in quarantine. */
  readonly changes: string | undefined;
  readonly problems: readonly string[];
}

interface Servers {
  list(): readonly ServerSummary[];
  /** Of entries that cannot be used. */
  readonly problems: readonly string[];
  reload(name: string): Promise<ServerSummary | undefined>;
  approve(name: string, changes: string): Promise<boolean>;
}

interface ToolCatalogue {
  /** Undefined: there is nothing of that name. */
  help(topic?: string): string | undefined;
  /** The operations that fit some words, the best first. */
  search(query: string): readonly { readonly key: string; readonly summary: string }[];
  /** Canonical keys of all operations. */
  operations(): readonly string[];
  isOperation(name: string): boolean;
  /** The type that an operation's schema names for one of its parameters. */
  typeOf(operation: string, parameter: string): string | undefined;
}

interface GrantBook {
  list(conversation: string): Promise<readonly (Grant & { readonly secondsLeft: number })[]>;
  revoke(
    conversation: string,
    which: { readonly by: string; readonly operation?: string },
  ): Promise<number>;
}

/** The hosts of a thread, and what people can change about them. */
export interface NetworkDesk {
  readonly limits: EgressLimits;
  /** What was carried for the thread, most bytes first. */
  usage(conversation: string): Promise<readonly HostUsage[]>;
  /** Refusals since this process began, oldest first. */
  refusals(conversation: string): readonly Refusal[];
  /** What the operator's lists and people have opened and denied. */
  rules(conversation: string): Promise<NetworkRules>;
  /** The entries of a list that people have written: hosts and presets. Throws a Refusal for one that cannot be used. */
  readEntries(text: string): readonly string[];
  allow(conversation: string, given: HostsGiven & { readonly minutes?: number }): Promise<void>;
  deny(conversation: string, given: HostsGiven): Promise<void>;
  /** Answers what was taken back; without hosts, all that people have said. */
  revoke(
    conversation: string,
    given: Omit<HostsGiven, "hosts"> & { readonly hosts?: readonly string[] },
  ): Promise<readonly string[]>;
  rerun(
    conversation: string,
    given: { readonly approval: string; readonly by: string; readonly event: string },
  ): Promise<boolean>;
}

interface HostsGiven {
  readonly hosts: readonly string[];
  readonly by: string;
}

interface NetworkRules {
  readonly opened: readonly {
    readonly entry: string;
    /** Absent: until it is revoked. */
    readonly until?: string;
    readonly approvers: readonly string[];
    readonly isOnce: boolean;
  }[];
  readonly denied: readonly string[];
  readonly lists: readonly {
    readonly name: string;
    readonly allow: readonly string[];
    readonly deny: readonly string[];
  }[];
}

type AutoApproveOutcome =
  | { readonly outcome: "set"; readonly announcement: string }
  | { readonly outcome: "refused"; readonly reason: string };

interface AutoApproveSwitch {
  isOn(conversation: string): Promise<boolean>;
  turnOn(conversation: string, who: Presence, seconds?: number): Promise<AutoApproveOutcome>;
  turnOff(conversation: string, who: Presence): Promise<AutoApproveOutcome>;
}

interface RecordDescription {
  readonly time: string;
  readonly actor: string;
  readonly what: string;
  readonly result: string;
}

/** Where answers go. */
interface Showing {
  /** For everybody; the same slot again shows it anew in its place. */
  view(thread: ThreadId, slot: string, view: View): void;
  file(thread: ThreadId, slot: string, file: FileShare): void;
  /** For one person. Rejects with a DeliveryError where the platform cannot. */
  whisper(thread: ThreadId, actorId: string, view: View, about: string): Promise<void>;
  /** The same with a file. */
  whisperFile(thread: ThreadId, actorId: string, file: FileShare, about: string): Promise<void>;
}
