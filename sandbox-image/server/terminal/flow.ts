import type { OutputPiece } from "../../../src/contract/workspace/channel.ts";
import { signal } from "../processes/stop.ts";
import { type Follow, Follower } from "./follower.ts";
import type { Ring } from "./ring.ts";

/** Less than node-pty waits, after the shell's end, before it throws unread output away. */
const LOOK_AT_PAUSED_MS = 100;
/** The kernel hands out 4 KB at a time; waiting this long makes larger pieces, and nobody sees it. */
const GATHER_MS = 5;

export type SendPiece = (piece: Omit<OutputPiece, "session_id">) => void;

/** What can be made to wait. */
interface Source {
  readonly pid: number;
  paused: boolean;
}

/** Hands a terminal's output to its follower, and makes the terminal wait for one that is behind. */
export class Flow {
  readonly #ring: Ring;
  readonly #source: Source;
  #follower: Follower | null = null;
  #timer: NodeJS.Timeout | null = null;
  #soon: NodeJS.Timeout | null = null;
  #mustDrain = false;
  #ended = false;

  constructor(ring: Ring, source: Source) {
    this.#ring = ring;
    this.#source = source;
  }

  /** A new follower takes the place of the old one. */
  follow(from: number, send: SendPiece): Follow {
    const follower = new Follower(this.#ring, from, send);
    this.#follower = follower;
    // Whoever follows learns where it starts before the first piece comes.
    this.#pumpSoon();
    return follower.start;
  }

  unfollow(): void {
    this.#follower = null;
    this.#regulate();
  }

  acknowledge(upTo: number): void {
    this.#follower?.acknowledge(upTo);
    this.#regulate();
    this.grown();
  }

  /** There is more. */
  grown(): void {
    if (!this.#follower) return;
    if (this.#follower.isWorthwhile) this.#pump();
    else this.#pumpSoon();
  }

  /** Until disposed of, the terminal does not wait for its follower. */
  unhindered(): Disposable {
    this.#mustDrain = true;
    this.#regulate();
    return {
      [Symbol.dispose]: () => {
        this.#mustDrain = this.#ended;
        this.#regulate();
      },
    };
  }

  /** There will be no more. */
  end(): void {
    this.#ended = true;
    this.#mustDrain = true;
    this.#pump();
  }

  #endFollower(): void {
    const follower = this.#follower;
    this.#follower = null;
    follower?.end();
  }

  #pump(): void {
    if (this.#ended) this.#endFollower();
    else this.#follower?.pump();
    this.#regulate();
  }

  #pumpSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = null;
      this.#pump();
    }, GATHER_MS);
  }

  #regulate(): void {
    const mustWait = !this.#mustDrain && (this.#follower?.isBehind ?? false);
    this.#source.paused = mustWait;
    if (mustWait) this.#timer ??= setInterval(() => this.#look(), LOOK_AT_PAUSED_MS);
    else this.#stopLooking();
  }

  #look(): void {
    if (this.#follower?.isDead) this.unfollow();
    if (signal(this.#source.pid, 0)) return;
    // The shell is gone: what it wrote last must be read now or never.
    this.#mustDrain = true;
    this.#regulate();
  }

  #stopLooking(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }
}
