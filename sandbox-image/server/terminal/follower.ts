import { FOLLOW_WINDOW_CHARS, type OutputPiece } from "../../../src/contract/workspace/channel.ts";
import type { Ring } from "./ring.ts";

const PIECE_CHARS = 128 * 1024;
/** A follower that acknowledges nothing for so long is taken for dead. */
const PATIENCE_MS = 10_000;

export interface Follow {
  readonly from_index: number;
  readonly dropped: number;
}

/**
 * Hands a terminal's output on, at most one window ahead of what has arrived. Nothing is dropped for it:
 * `isBehind` tells when the terminal has to wait.
 */
export class Follower {
  readonly start: Follow;
  readonly #ring: Ring;
  readonly #send: (piece: Omit<OutputPiece, "session_id">) => void;
  #sent: number;
  #acknowledged: number;
  #heardAt = performance.now();

  constructor(ring: Ring, from: number, send: (piece: Omit<OutputPiece, "session_id">) => void) {
    this.#ring = ring;
    this.#send = send;
    const begin = Math.min(Math.max(from, ring.start), ring.end);
    this.start = { from_index: begin, dropped: Math.max(0, ring.start - from) };
    this.#sent = begin;
    this.#acknowledged = begin;
  }

  /** A whole window has been written that has not arrived. */
  get isBehind(): boolean {
    return this.#ring.end - this.#acknowledged >= FOLLOW_WINDOW_CHARS;
  }

  get isDead(): boolean {
    const waits = this.#acknowledged < this.#sent;
    return waits && performance.now() - this.#heardAt > PATIENCE_MS;
  }

  /** Enough for a piece of good size. */
  get isWorthwhile(): boolean {
    return this.#limit - this.#sent >= PIECE_CHARS / 2;
  }

  acknowledge(upTo: number): void {
    if (upTo <= this.#acknowledged || upTo > this.#sent) return;
    this.#acknowledged = upTo;
    this.#heardAt = performance.now();
  }

  /** Sends what the window allows. */
  pump(): void {
    if (this.#acknowledged === this.#sent) this.#heardAt = performance.now();
    while (this.#sent < this.#limit)
      this.#sendPiece(Math.min(this.#sent + PIECE_CHARS, this.#limit));
  }

  /** The last piece, whatever the window says: nothing comes after it. */
  end(): void {
    while (this.#ring.end - this.#sent > PIECE_CHARS) this.#sendPiece(this.#sent + PIECE_CHARS);
    const output = this.#ring.slice(this.#sent);
    this.#sent = this.#ring.end;
    this.#send({ from_index: this.#sent - output.length, output, ended: true });
  }

  get #limit(): number {
    return Math.min(this.#ring.end, this.#acknowledged + FOLLOW_WINDOW_CHARS);
  }

  #sendPiece(to: number): void {
    const output = this.#ring.slice(this.#sent, to);
    this.#sent = to;
    this.#send({ from_index: to - output.length, output });
  }
}
