import type { ConversationLine } from "../contract/conversation-line.ts";
import type { PlannedCall, Verdict } from "../contract/gate.ts";
import type { Workspace } from "../contract/workspace.ts";
import type { HeldLease } from "./held-lease.ts";
import { type Journal, LeaseLost } from "./journal.ts";
import type { ConversationState } from "./state.ts";

export interface AllowedCall {
  readonly call: PlannedCall;
  readonly verdict: Extract<Verdict, { outcome: "allowed" }>;
}

/** The work on one conversation by whoever holds its lease. */
export class Run {
  readonly conversation: string;
  readonly lease: HeldLease;
  /** Ends what is going on, because somebody stopped the turn. */
  readonly stop = new AbortController();
  /** Nothing more may be done here; what is going on is left to whoever comes next. */
  readonly leave = new AbortController();
  readonly allowed = new Map<string, AllowedCall>();
  readonly workspace: () => Promise<Workspace>;
  readonly #journal: Journal;
  readonly #patron: Run | undefined;
  #checkpoint: Promise<void> | undefined;

  constructor(
    journal: Journal,
    conversation: string,
    lease: HeldLease,
    open: (run: Run) => Promise<Workspace>,
    patron?: Run,
  ) {
    this.#journal = journal;
    this.#patron = patron;
    patron?.leave.signal.addEventListener("abort", () => this.leave.abort(), { once: true });
    this.conversation = conversation;
    this.lease = lease;
    let opened: Promise<Workspace> | undefined;
    this.workspace = () => {
      opened ??= open(this).catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      return opened;
    };
  }

  state(): Promise<ConversationState> {
    return this.#journal.read(this.conversation);
  }

  /** False: somebody else may be at work here by now. */
  get isOurs(): boolean {
    const isHeld = !this.leave.signal.aborted && this.lease.isSurelyHeld;
    return isHeld && (this.#patron?.isOurs ?? true);
  }

  throwIfLeft(): void {
    if (!this.isOurs) throw new LeaseLost("This bot has let go of the conversation.");
  }

  /** Throws when the conversation is not ours any more. */
  async write(
    propose: (state: ConversationState) => readonly ConversationLine[],
  ): Promise<boolean> {
    this.throwIfLeft();
    return await this.#journal.write(this.conversation, propose, { fence: this.lease.fence });
  }

  /** Before the first change of a turn all files are kept, so that it can be taken back. */
  keepCheckpoint(): Promise<void> {
    this.#checkpoint ??= this.#makeCheckpoint().catch((error: unknown) => {
      this.#checkpoint = undefined;
      throw error;
    });
    return this.#checkpoint;
  }

  async #makeCheckpoint(): Promise<void> {
    const { open } = await this.state();
    if (!open || open.checkpoint) return;
    const turn = open.id;
    const made = await this.#checkpointOf(turn);
    await this.write((state) =>
      state.open?.id !== turn || state.open.checkpoint
        ? []
        : [{ kind: "checkpoint", data: { turn, ...made } }],
    );
  }

  /** A checkpoint that cannot be had is told, and costs nobody the turn. */
  async #checkpointOf(turn: string): Promise<{ checkpoint: string } | { problem: string }> {
    try {
      const { checkpoints } = await this.workspace();
      const callId = `checkpoint-${turn}`;
      const { checkpoint } = await checkpoints.create({ callId, label: `before turn ${turn}` });
      return { checkpoint };
    } catch (error) {
      return { problem: error instanceof Error ? error.message : String(error) };
    }
  }
}
