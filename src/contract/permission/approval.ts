import { z } from "zod";
import type { DeepReadonly } from "../../lib/deep-readonly.ts";
import { ApprovedRun } from "../workspace/approved-run.ts";
import { APPROVING } from "./approves.ts";
import { AskedLevel } from "./level.ts";

/** What an adapter can show on one card. */
export interface CardLimits {
  readonly chars: number;
}

/** Exactly what will run. Its digest is what an approval binds. */
export const BoundCall = z.object({
  operation: z.string(),
  params: z.record(z.string(), z.json()),
  workingDirectory: z.string().nullable(),
  identity: z.enum(["agent", "root"]),
  /** Every path of the call, links resolved. */
  paths: z.array(z.object({ parameter: z.string(), access: z.string(), resolved: z.string() })),
  /** Digests of the files that it changes, as they were when somebody was asked. */
  contents: z.array(z.object({ path: z.string(), digest: z.string() })),
  /** For a command: its directory, the files that it executes, and the text that the shell gets. */
  run: ApprovedRun.optional(),
  schema: z.string(),
  conversation: z.string(),
  requester: z.string().nullable(),
  /** Everybody else whose words went into the turn, where there is somebody. */
  contributors: z.array(z.string()).optional(),
  policy: z.string(),
});
export type BoundCall = DeepReadonly<z.infer<typeof BoundCall>>;

/** What a grant permits. */
export const GrantScope = z.discriminatedUnion("kind", [
  /** This very call, and no later one that looks the same. Journals of earlier versions name no call: those serve none. */
  z.object({ kind: z.literal("call"), digest: z.string(), callId: z.string().optional() }),
  /** The operation on what lies directly in these directories. */
  z.object({ kind: z.literal("directories"), directories: z.array(z.string()).min(1) }),
  /** Commands of one program and subcommand that stay on this machine. */
  z.object({ kind: z.literal("program"), program: z.string() }),
  /** This command again, in the same directory and with the same files behind it. */
  z.object({
    kind: z.literal("command"),
    command: z.string(),
    directory: z.string(),
    /** SHA-256 of how it runs: the code and settings that it obeys. Absent where nothing of that is fixed. */
    run: z.string().optional(),
  }),
  /** The operation wherever the workspace's own user may write. */
  z.object({ kind: z.literal("unprivileged") }),
  /** Connections from the thread's workspace to these hosts, each an entry such as "github.com:443". */
  z.object({
    kind: z.literal("hosts"),
    hosts: z.array(z.string()).min(1),
    /** The hosts close when this call has ended. */
    callId: z.string().optional(),
  }),
]);
export type GrantScope = DeepReadonly<z.infer<typeof GrantScope>>;

/** "thread": until it is revoked. */
export const Choice = z.enum([...APPROVING, "deny", "cancel"]);
export type Choice = z.infer<typeof Choice>;

/** One thing that can be clicked, and what it would permit. */
const Button = z.object({
  choice: Choice,
  label: z.string(),
  /** True: a reason can be given. */
  asksReason: z.boolean(),
  /** What the click permits, in words; absent where it permits nothing. */
  grants: z.string().optional(),
});
export type Button = z.infer<typeof Button>;

/**
 * What an approval card says, all of it from the guard and nothing from the model. Every text is printable
 * ASCII and line feeds; everything else stands as \u{…}.
 */
export const ApprovalEffect = z.object({
  operation: z.string(),
  risk: AskedLevel,
  /** Why somebody is asked. */
  reasons: z.array(z.string()),
  runsAs: z.enum(["agent", "root"]),
  command: z.string().optional(),
  workingDirectory: z.string().optional(),
  paths: z.array(
    z.object({
      path: z.string(),
      access: z.string(),
      exists: z.boolean(),
      outside: z.boolean(),
      sensitive: z.boolean(),
    }),
  ),
  diffs: z.array(z.object({ path: z.string(), diff: z.string() })),
  /** Every other parameter. */
  params: z.array(z.object({ name: z.string(), value: z.string() })),
  notes: z.array(z.string()),
  /** What must be typed, where a click is not enough. */
  phrase: z.string().optional(),
  /** Who may approve it, in words: "Ada or Bob". Absent in records of older versions. */
  approvers: z.string().optional(),
  /** The agent's own explanation of the call; it decides nothing. */
  explanation: z.string().optional(),
  /** How many people must approve. */
  approversNeeded: z.int().min(1),
  buttons: z.array(Button),
  /** Set when it cannot be approved: why, and how to do it instead. */
  notApprovable: z.string().optional(),
});
export type ApprovalEffect = DeepReadonly<z.infer<typeof ApprovalEffect>>;

/** A question that the guard would like to have asked. */
export const ApprovalQuestion = z.object({
  call: BoundCall,
  digest: z.string(),
  risk: AskedLevel,
  reason: z.string(),
  /** What the timed button would permit; absent where none may be. */
  timedScope: GrantScope.optional(),
  /** Some of the command could not be parsed, so its requester cannot approve it. */
  isUnparsed: z.boolean().optional(),
  /** Hosts that an approval opens, each an entry such as "github.com:443". */
  opens: z.array(z.string()).optional(),
  /** The call during which a workspace wanted to reach a host, so that it can be made again. */
  origin: z
    .object({
      callId: z.string(),
      name: z.string(),
      arguments: z.record(z.string(), z.json()),
    })
    .optional(),
  effect: ApprovalEffect,
});
export type ApprovalQuestion = DeepReadonly<z.infer<typeof ApprovalQuestion>>;

/** How an approval ended. */
export const Decision = z.object({
  choice: z.union([Choice, z.literal("expired")]),
  /** Who decided: one person, or all that were needed. */
  by: z.array(z.string()),
  /** The same people as others know them, for showing alone. */
  names: z.array(z.string()).optional(),
  at: z.string(),
  reason: z.string().optional(),
  /** The grant that came of it. */
  grant: z.string().optional(),
  /** Until when that holds, where it serves more than this call. */
  until: z.string().optional(),
});
export type Decision = DeepReadonly<z.infer<typeof Decision>>;

/** An approval that waits, or how it ended. */
export const Approval = ApprovalQuestion.extend({
  id: z.string(),
  callId: z.string(),
  askedAt: z.string(),
  expiresAt: z.string().optional(),
  /** Who has approved so far, where more than one is needed. */
  votes: z.array(
    z.object({
      by: z.string(),
      name: z.string().optional(),
      choice: z.enum(APPROVING),
    }),
  ),
  /** How often each person has typed a wrong phrase. */
  wrongPhrases: z.record(z.string(), z.int()),
  decision: Decision.optional(),
  /** Who ran the command of a host's card again, once the host was open. */
  rerun: z.object({ by: z.string(), at: z.string(), event: z.string() }).optional(),
});
export type Approval = DeepReadonly<z.infer<typeof Approval>>;

/** A permission that came of an approval. */
export const Grant = z.object({
  id: z.string(),
  operation: z.string(),
  scope: GrantScope,
  grantedAt: z.string(),
  expiresAt: z.string(),
  oneTime: z.boolean(),
  approvers: z.array(z.string()),
  /** What the approver was shown, in one line. */
  shown: z.string(),
});
export type Grant = DeepReadonly<z.infer<typeof Grant>>;
