import type { RedactingStream, Redactor } from "../contract/redactor.ts";
import type { OutputPiece } from "../contract/workspace/channel.ts";
import type { Workspace } from "../contract/workspace/workspace.ts";

/** What is handed on: the text, and where it stands in what the terminal has printed. */
interface ShownPiece {
  readonly fromIndex: number;
  readonly text: string;
  readonly nextIndex: number;
  readonly ended: boolean;
}

interface FollowOptions {
  readonly fromIndex: number;
  readonly signal: AbortSignal;
  readonly onOutput: (piece: ShownPiece) => Promise<void>;
}

/** Read again before the place where somebody goes on: a secret may have begun there. */
const CONTEXT_CHARS = 32_768;
/** Nothing has come for so long: what waits for the end of its word, such as a prompt, is shown. */
const QUIET_MS = 60;

/** Follows a terminal without its secrets, however its output comes in pieces and wherever somebody goes on. */
export async function followMasked(
  workspace: Workspace,
  redactor: Redactor,
  terminal: string,
  { fromIndex, signal, onOutput }: FollowOptions,
): Promise<void> {
  using output = new MaskedOutput(redactor, fromIndex, onOutput);
  await workspace.follow(terminal, {
    fromIndex: Math.max(0, fromIndex - CONTEXT_CHARS),
    signal,
    onOutput: (piece) => output.take(piece),
  });
}

class MaskedOutput implements Disposable {
  readonly #redactor: Redactor;
  readonly #onOutput: FollowOptions["onOutput"];
  /** What was shown before we began, as far as it matters. */
  #before = "";
  #stream: RedactingStream | undefined;
  /** Up to here everything was handed on. */
  #shownTo: number;
  /** Up to here everything has come. */
  #readTo: number;
  #quiet: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(redactor: Redactor, fromIndex: number, onOutput: FollowOptions["onOutput"]) {
    this.#redactor = redactor;
    this.#onOutput = onOutput;
    this.#shownTo = fromIndex;
    this.#readTo = fromIndex;
  }

  /** Resolves once it was taken: a slow reader slows the terminal. */
  take(piece: OutputPiece): Promise<void> {
    clearTimeout(this.#quiet);
    return this.#next(() => this.#read(piece));
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#quiet);
  }

  #next(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work);
    return this.#work;
  }

  async #read({ from_index, output, ended = false }: OutputPiece): Promise<void> {
    const known = Math.min(output.length, Math.max(0, this.#readTo - from_index));
    if (!this.#stream) this.#before += output.slice(0, known);
    const fresh = output.slice(known);
    if (fresh === "" && !ended) return;
    const from = from_index + known;
    // What a terminal keeps is bounded: of one that was not read for long, the oldest is gone.
    if (from > this.#readTo) await this.#beginAnew(from);
    this.#stream ??= this.#redactor.stream({ after: this.#before });
    this.#readTo = from + fresh.length;
    const text = this.#stream.write(fresh) + (ended ? this.#stream.end() : "");
    await this.#handOn(text, ended);
    if (this.#stream.waiting > 0) this.#quiet = setTimeout(() => this.#flush(), QUIET_MS);
  }

  async #beginAnew(from: number): Promise<void> {
    if (this.#stream) await this.#handOn(this.#stream.end(), false);
    this.#stream = undefined;
    this.#before = "";
    this.#shownTo = from;
  }

  #flush(): void {
    this.#next(async () => this.#handOn(this.#stream?.flush() ?? "", false)).catch(() => {
      // Whoever follows hears of it with the next piece.
    });
  }

  async #handOn(text: string, ended: boolean): Promise<void> {
    if (text === "" && !ended) return;
    const nextIndex = this.#readTo - (this.#stream?.waiting ?? 0);
    const piece = { fromIndex: this.#shownTo, text, nextIndex, ended };
    this.#shownTo = nextIndex;
    await this.#onOutput(piece);
  }
}
