import type { HostRequest } from "../contract/network.ts";
import type { Approval, ApprovalQuestion, BoundCall } from "../contract/permission/approval.ts";
import { OPEN_HOST } from "../contract/permission/hosts.ts";
import type { Approvals } from "./approvals/approvals.ts";
import { isHostQuestion } from "./approvals/approvals.ts";
import { isOpen } from "./approvals/click.ts";
import { type EligibleParts, findEligible } from "./approvals/eligible.ts";
import type { Ledger } from "./approvals/ledger.ts";
import { digestOf } from "./binding/bind.ts";
import { EVERY_PROCESS } from "./effect.ts";
import { sayDuration } from "./grants/durations.ts";
import { printable, printableLine } from "./printable.ts";
import { entryOf } from "./reached-hosts.ts";

/** Who and what is behind a connection that a workspace wants, as far as the journal tells. */
export interface Origin {
  readonly requester: string | undefined;
  readonly contributors: readonly string[];
  /** The call that runs, so that it can be made again; absent where none does. */
  readonly call?: NonNullable<ApprovalQuestion["origin"]>;
  /** Its command, for people. */
  readonly command?: string;
}

export interface HostQuestionHooks {
  readonly originOf: (conversation: string) => Promise<Origin>;
  /** Told before a question is written down, so that its card can be shown after a crash. */
  readonly beforeAsking: (conversation: string) => Promise<void>;
  /** Shows its card. */
  readonly asked: (conversation: string, approval: Approval) => Promise<void>;
}

export interface HostQuestionParts extends EligibleParts, HostQuestionHooks {
  readonly ledger: Ledger;
  readonly approvals: Pick<Approvals, "ask">;
  readonly grantSeconds: number;
  readonly mask: (text: string) => string;
  readonly now: () => Date;
}

export type HostAsked = "asked" | "full" | "never";

/** Cards about hosts that may wait in one thread. */
const MOST_OPEN = 5;
const NEVER_MS = 60_000;
const COMMAND_CHARS = 600;

/** Asks people about hosts that no list names: one card per host and thread, and a few at the same time. */
export class HostQuestions {
  readonly #parts: HostQuestionParts;
  /** Being written down: thread, then host and port. */
  readonly #asking = new Map<string, Set<string>>();
  /** No one could have approved it a moment ago. */
  readonly #nobody = new Map<string, number>();

  constructor(parts: HostQuestionParts) {
    this.#parts = parts;
  }

  /** Answers at once: the card is made beside it. */
  async ask(conversation: string, request: HostRequest): Promise<HostAsked> {
    const entry = entryOf(request);
    const { approvals } = await this.#parts.ledger.read(conversation);
    const now = this.#parts.now();
    const open = [...approvals.values()].filter((one) => isHostQuestion(one) && isOpen(one, now));
    if (open.some(({ opens }) => opens?.includes(entry))) return "asked";
    const asking = this.#asking.get(conversation) ?? new Set<string>();
    if (asking.has(entry)) return "asked";
    const key = `${conversation} ${entry}`;
    if ((this.#nobody.get(key) ?? 0) > Date.now()) return "never";
    if (open.length + asking.size >= MOST_OPEN) return "full";
    asking.add(entry);
    this.#asking.set(conversation, asking);
    void this.#open(conversation, request, entry)
      .then((isAsked) => {
        if (!isAsked) this.#noteNobody(key);
      })
      .catch((error: unknown) => {
        this.#parts.warn(`Failed to ask about ${entry}: ${String(error)}`);
      })
      .finally(() => {
        asking.delete(entry);
        if (asking.size === 0) this.#asking.delete(conversation);
      });
    return "asked";
  }

  #noteNobody(key: string): void {
    this.#nobody.delete(key);
    this.#nobody.set(key, Date.now() + NEVER_MS);
    const [oldest] = this.#nobody.keys();
    if (oldest !== undefined && this.#nobody.size > 1_000) this.#nobody.delete(oldest);
  }

  /** False: nobody here could approve it. */
  async #open(conversation: string, request: HostRequest, entry: string): Promise<boolean> {
    const { approvals, asked, beforeAsking, originOf } = this.#parts;
    const origin = await originOf(conversation);
    const question = await this.#question(conversation, request, entry, origin);
    if (!question) return false;
    await beforeAsking(conversation);
    const callId = `host:${entry}`;
    const { approval } = await approvals.ask(conversation, question, callId, { isAgain: true });
    await asked(conversation, approval);
    return true;
  }

  async #question(
    conversation: string,
    request: HostRequest,
    entry: string,
    { requester, contributors, call, command }: Origin,
  ): Promise<ApprovalQuestion | undefined> {
    const { policy, grantSeconds, mask } = this.#parts;
    const behind = { requester, contributors };
    const act = {
      kind: "approve" as const,
      risk: "click" as const,
      operation: OPEN_HOST,
      ...behind,
    };
    const eligible = await findEligible(this.#parts, act, conversation);
    if (!eligible.canBeApproved) return undefined;
    const bound: BoundCall = {
      operation: OPEN_HOST,
      params: { host: request.host, port: request.port },
      workingDirectory: null,
      identity: "agent",
      paths: [],
      contents: [],
      schema: "",
      conversation,
      requester: requester ?? null,
      ...(contributors.length > 0 ? { contributors: [...contributors] } : {}),
      policy: policy.hash,
    };
    const lasts = sayDuration(grantSeconds);
    const scope = { kind: "hosts" as const, hosts: [entry] };
    const words = `Connections to ${entry}`;
    const reason = "A process in the workspace tried to connect to this host.";
    return {
      call: bound,
      digest: digestOf(bound),
      risk: "click",
      reason,
      timedScope: scope,
      opens: [entry],
      ...(call ? { origin: call } : {}),
      effect: {
        operation: OPEN_HOST,
        risk: "click",
        reasons: [reason],
        runsAs: "agent",
        paths: [],
        diffs: [],
        params: [
          { name: "Host", value: printableLine(request.host) },
          { name: "Port", value: String(request.port) },
          ...commandParam(command, mask),
          ...(request.program
            ? [{ name: "Program, by its own word", value: printableLine(request.program) }]
            : []),
        ],
        notes: [EVERY_PROCESS, UNVERIFIED],
        approvers: eligible.approvers,
        approversNeeded: policy.twoPersons.includes("click") ? 2 : 1,
        buttons: [
          {
            choice: "once",
            label: "Approve once",
            asksReason: false,
            grants: `${words} until the next command that uses it has ended, at most ${lasts}.`,
          },
          {
            choice: "timed",
            label: `Approve ${lasts}`,
            asksReason: false,
            grants: `${words} for ${lasts}.`,
          },
          {
            choice: "thread",
            label: "Approve for this thread",
            asksReason: false,
            grants: `${words} until someone revokes it with net revoke.`,
          },
          { choice: "deny", label: "Deny", asksReason: false },
        ],
      },
    };
  }
}

const UNVERIFIED =
  "The workspace reported this connection. Deckhand cannot verify which command or program wanted it.";

function commandParam(command: string | undefined, mask: (text: string) => string) {
  if (command === undefined)
    return [{ name: "Command", value: "none; a process in the background" }];
  const whole = mask(command);
  const shown = whole.length > COMMAND_CHARS ? `${whole.slice(0, COMMAND_CHARS)} ...` : whole;
  return [{ name: "Command that ran", value: printable(shown) }];
}
