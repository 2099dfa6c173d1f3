import { setTimeout as sleep } from "node:timers/promises";
import { FOLLOW_WINDOW_CHARS, type OutputPiece } from "../../contract/workspace/channel.ts";
import type { FollowOptions } from "../../contract/workspace/workspace.ts";
import { ChannelLostError } from "../errors.ts";
import type { Channel } from "./channel.ts";

/** Hands on a terminal's output, and goes on where it was when the channel had to be opened anew. */
export async function followTerminal(
  open: () => Promise<Channel>,
  sessionId: string,
  options: FollowOptions,
): Promise<void> {
  const { signal } = options;
  let from = options.fromIndex;
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const channel = await open();
    try {
      return await new Follower(channel, sessionId, options, (index) => {
        from = index;
        pauseMs = FIRST_PAUSE_MS;
      }).run(from);
    } catch (error) {
      if (!(error instanceof ChannelLostError)) throw error;
    }
    // A hostile server may end every channel at once: opening the next one must not keep the bot busy.
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {}); // the reader has left
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

const WAITING_LIMIT_CHARS = 4 * FOLLOW_WINDOW_CHARS;
/** What a piece costs besides its text. */
const PIECE_CHARS = 256;

class Follower {
  readonly #channel: Channel;
  readonly #sessionId: string;
  readonly #options: FollowOptions;
  readonly #onIndex: (index: number) => void;
  readonly #ended = Promise.withResolvers<void>();
  #work: Promise<void> = Promise.resolve();
  #acknowledged = 0;
  #waiting = 0;

  constructor(
    channel: Channel,
    sessionId: string,
    options: FollowOptions,
    onIndex: (index: number) => void,
  ) {
    this.#channel = channel;
    this.#sessionId = sessionId;
    this.#options = options;
    this.#onIndex = onIndex;
    this.#ended.promise.catch(() => {}); // run() throws, perhaps before it waits for this
  }

  /** Resolves when the terminal ended or the reader has left; rejects when the channel was lost. */
  async run(fromIndex: number): Promise<void> {
    const { signal } = this.#options;
    const quiet = this.#channel.onOutput((piece) => this.#enqueue(piece));
    const left = () => this.#ended.resolve();
    signal.addEventListener("abort", left, { once: true });
    this.#channel.onClosed((lost) => this.#ended.reject(lost));
    try {
      const session_id = this.#sessionId;
      const start = await this.#channel.request("follow", { session_id, from_index: fromIndex });
      this.#acknowledged = start.from_index;
      await this.#ended.promise;
      if (signal.aborted) await this.#channel.request("unfollow", { session_id });
    } finally {
      quiet();
      signal.removeEventListener("abort", left);
    }
  }

  #enqueue(piece: OutputPiece): void {
    if (piece.session_id !== this.#sessionId || this.#options.signal.aborted) return;
    this.#waiting += piece.output.length + PIECE_CHARS;
    // A server that keeps to the protocol is never this far ahead of the acknowledgements.
    if (this.#waiting > WAITING_LIMIT_CHARS) {
      this.#ended.reject(new Error("The workspace sent more terminal output than requested."));
      return;
    }
    this.#work = this.#work.then(() => this.#handOn(piece));
    this.#work.catch((error: unknown) => this.#ended.reject(error));
  }

  /** The ack comes after the reader has taken it in: that is what slows the terminal down. */
  async #handOn(piece: OutputPiece): Promise<void> {
    const upto = piece.from_index + piece.output.length;
    await this.#options.onOutput(piece);
    this.#waiting -= piece.output.length + PIECE_CHARS;
    this.#onIndex(upto);
    this.#acknowledge(upto);
    if (piece.ended) this.#ended.resolve();
  }

  /** A few for each window: the server waits only for one that is a whole window behind. */
  #acknowledge(upto: number): void {
    if (upto - this.#acknowledged < FOLLOW_WINDOW_CHARS / 4) return;
    this.#acknowledged = upto;
    this.#channel.acknowledge(this.#sessionId, upto);
  }
}
