import { count } from "../../contract/display.ts";
import { evictionText } from "../../contract/workspace/checkpoints.ts";
import type { Workspace } from "../../contract/workspace/workspace.ts";
import type { ConversationState } from "../../journal/conversation/state.ts";
import { type Journal, LeaseLostError } from "../../journal/journal.ts";
import type { ConversationLine } from "../../journal/lines.ts";
import type { HeldLease } from "./held-lease.ts";

/** What a run needs of those who began it. */
export interface RunHooks {
  readonly open: (run: Run) => Promise<Workspace>;
  /** Shows the thread what the people there should know about the turn. */
  readonly tell: (turn: string, text: string) => void;
}

/** The work on one conversation by whoever holds its lease. */
export class Run {
  readonly conversation: string;
  readonly lease: HeldLease;
  /** Ends what is going on, because somebody stopped the turn. */
  readonly stop = new AbortController();
  /** Nothing more may be done here; what is going on is left to whoever comes next. */
  readonly leave = new AbortController();
  readonly workspace: () => Promise<Workspace>;
  readonly #journal: Journal;
  readonly #parent: Run | undefined;
  readonly #tell: RunHooks["tell"];
  #checkpoint: Promise<void> | undefined;

  constructor(
    journal: Journal,
    conversation: string,
    lease: HeldLease,
    { open, tell }: RunHooks,
    parent?: Run,
  ) {
    this.#journal = journal;
    this.#tell = tell;
    this.#parent = parent;
    parent?.leave.signal.addEventListener("abort", () => this.leave.abort(), { once: true });
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
    return isHeld && (this.#parent?.isOurs ?? true);
  }

  throwIfLeft(): void {
    if (!this.isOurs) throw new LeaseLostError("This replica has released the conversation.");
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

  /** Why this turn's checkpoint would not bring everything back; undefined where it would. */
  async checkpointGap(): Promise<string | undefined> {
    await this.keepCheckpoint();
    const kept = (await this.state()).open?.checkpoint;
    if (!kept) return "This turn has no checkpoint.";
    if (kept.problem !== undefined) return kept.problem;
    const omitted = kept.notCovered ?? 0;
    return omitted > 0 ? `The checkpoint omits ${count(omitted, "file")}.` : undefined;
  }

  async #makeCheckpoint(): Promise<void> {
    const { open } = await this.state();
    if (!open || open.checkpoint) return;
    const turn = open.id;
    const { evicted = 0, ...made } = await this.#checkpointOf(turn);
    if (evicted > 0) this.#tell(turn, evictionText(evicted));
    if ("problem" in made) this.#tell(turn, `The checkpoint failed: ${made.problem}`);
    await this.write((state) =>
      state.open?.id !== turn || state.open.checkpoint
        ? []
        : [{ kind: "checkpoint", data: { turn, ...made } }],
    );
  }

  /** A checkpoint that cannot be had is told, and costs nobody the turn. */
  async #checkpointOf(turn: string): Promise<Kept> {
    try {
      const { checkpoints } = await this.workspace();
      const callId = `checkpoint-${turn}`;
      const made = await checkpoints.create({ callId, label: `before turn ${turn}` });
      const { checkpoint, evicted, not_covered: notCovered } = made;
      return { checkpoint, evicted, notCovered };
    } catch (error) {
      return { problem: error instanceof Error ? error.message : String(error) };
    }
  }
}

type Kept =
  | {
      readonly checkpoint: string;
      readonly evicted?: number | undefined;
      /** Files that the checkpoint had to leave out. */
      readonly notCovered: number;
    }
  | { readonly problem: string; readonly evicted?: undefined };
