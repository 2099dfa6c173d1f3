import { isInteractiveBash, readProcess, readTable } from "../processes/table.ts";
import type { Mark, MarkSink, MarkSource } from "./marks.ts";

const LOOK_EVERY_MS = 50;
/** Between two commands of a list the shell has the foreground for a moment: no end may be believed then. */
const IDLE_LOOKS = 4;

type Stop = Extract<Mark, { kind: "done" | "prompt" }>;

/**
 * Passes marks on when the process table agrees with them. A command is over only when its shell has the terminal's
 * foreground back: a background job that learned a nonce cannot end the command in the foreground. Marks of a nested
 * shell, whose nonce is no secret, need an interactive bash below the terminal's own.
 */
export class MarkCheck {
  readonly #sink: Pick<MarkSink, "text"> & { mark(mark: Mark): void };
  readonly #ownPid: () => number;
  #shellPid: number | undefined;
  /** Marks that say "over" while something else has the foreground; after a second end all marks until the shell is idle. */
  #held: Stop[] = [];
  #holdsOwn = false;
  #earlyEnds = 0;
  #timer: NodeJS.Timeout | undefined;
  #idleLooks = 0;

  constructor(ownPid: () => number, sink: Pick<MarkSink, "text"> & { mark(mark: Mark): void }) {
    this.#ownPid = ownPid;
    this.#sink = sink;
  }

  text(text: string): void {
    this.#sink.text(text);
  }

  mark(mark: Mark, source: MarkSource): void {
    // A mark without a pid belongs to the shell whose prompt was last.
    const current = source === "own" ? this.#ownPid() : (this.#shellPid ?? this.#ownPid());
    const isKnown = this.#isFrom(source, "shellPid" in mark ? mark.shellPid : current);
    if (!isKnown && !this.#isLastStart(mark, source)) return;
    if (mark.kind !== "done" && mark.kind !== "prompt") {
      this.#pass([mark]);
      return;
    }
    // One end may come too early: programs in PROMPT_COMMAND have the foreground once more before the prompt.
    const isDoubtful = this.#earlyEnds > 1;
    if (source === "own") this.#favourOwn();
    else if (this.#holdsOwn) return;
    else if (mark.kind === "done") this.#shellPid = mark.shellPid;
    if (!isDoubtful && hasForeground(this.#shellPid ?? this.#ownPid())) this.#pass([mark]);
    else this.#hold(mark, source);
  }

  /** A terminal's own shell that ends a command or shows its prompt has no nested shell before it. */
  #favourOwn(): void {
    this.#shellPid = this.#ownPid();
    if (!this.#holdsOwn) this.#held = [];
  }

  /** The shell has exited. */
  end(): void {
    clearInterval(this.#timer);
    this.#held = [];
  }

  #isFrom(source: MarkSource, pid: number): boolean {
    if (source === "own") return pid === this.#ownPid();
    return readTable().ancestry(pid).includes(this.#ownPid()) && isInteractiveBash(pid);
  }

  /** A nested shell that runs `exit` may be gone before its mark is looked at. At its prompt it was looked at. */
  #isLastStart({ kind }: Mark, source: MarkSource): boolean {
    const isNested = this.#shellPid !== undefined && this.#shellPid !== this.#ownPid();
    return kind === "run" && source === "nested" && isNested;
  }

  /** Newer marks take the place of held ones: only the last end of a command counts. */
  #pass(marks: readonly Mark[]): void {
    this.#held = [];
    this.#holdsOwn = false;
    this.#earlyEnds = 0;
    this.#idleLooks = 0;
    clearInterval(this.#timer);
    this.#timer = undefined;
    for (const mark of marks) this.#sink.mark(mark);
  }

  #hold(mark: Stop, source: MarkSource): void {
    if (mark.kind === "done") {
      this.#held = [];
      this.#earlyEnds += 1;
    }
    this.#holdsOwn = source === "own";
    this.#held.push(mark);
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  #look(): void {
    const shell = readProcess(this.#shellPid ?? this.#ownPid());
    if (!shell) {
      // A nested shell that is gone has ended no command; the terminal's own shell will tell.
      this.#shellPid = undefined;
      this.#pass([]);
      return;
    }
    // A shell that wants the processor goes on with its command, and writes the true mark when that is over.
    const isIdle = shell.foreground === shell.group && shell.state !== "R";
    this.#idleLooks = isIdle ? this.#idleLooks + 1 : 0;
    if (this.#idleLooks >= IDLE_LOOKS) this.#pass(this.#held);
  }
}

/** True also for a shell that has ended: its exit is about to be noticed. */
function hasForeground(shellPid: number): boolean {
  const shell = readProcess(shellPid);
  return !shell || shell.foreground === shell.group;
}
