import type { Documents } from "../../../src/contract/store.ts";
import type { Log } from "../../../src/lib/log.ts";

const WRITE_EVERY_MS = 2_000;

export interface CursorParts {
  readonly documents: Documents;
  readonly log: Log;
  /** Which ones this process hears of; undefined: all. */
  readonly shards: string | undefined;
}

/** Something before the newest may still have to be read: until it is let go, the cursor stays where it was. */
export interface Hold extends Disposable {
  readonly after: string;
}

/** Up to where everything that was said is kept. What comes after is read again when the line was lost. */
export class Cursor implements AsyncDisposable {
  readonly #documents: Documents;
  readonly #log: Log;
  readonly #name: string;
  readonly #pending = new Set<bigint>();
  readonly #held = new Set<Hold>();
  #highest = 0n;
  #written = 0n;
  #timer: NodeJS.Timeout | undefined;

  /** Processes that hear of other servers have cursors of their own. */
  constructor({ documents, log, shards }: CursorParts) {
    this.#documents = documents;
    this.#log = log;
    this.#name = shards === undefined ? "cursor" : `cursor:${shards}`;
  }

  /** Where another process or an earlier start had come to; undefined: this is the first. */
  async load(): Promise<string | undefined> {
    const kept = await this.#documents.get(this.#name);
    if (typeof kept !== "string" || !/^\d+$/.test(kept)) return undefined;
    this.#highest = BigInt(kept);
    this.#written = this.#highest;
    return kept;
  }

  begin(id: string): void {
    this.#pending.add(BigInt(id));
  }

  /** It is kept, or concerns nobody. */
  end(id: string): void {
    const number = BigInt(id);
    this.#pending.delete(number);
    if (number > this.#highest) this.#highest = number;
    this.#writeSoon();
  }

  /** What came after this one may be read once more: it is known by its id. */
  hold(after: string): Hold {
    const lowest = BigInt(after) < BigInt(this.value) ? after : this.value;
    const letGo = () => {
      this.#held.delete(hold);
      this.#writeSoon();
    };
    const hold: Hold = { after: lowest, [Symbol.dispose]: letGo };
    this.#held.add(hold);
    return hold;
  }

  get value(): string {
    let lowest = this.#highest;
    for (const id of this.#pending) if (id <= lowest) lowest = id - 1n;
    for (const { after } of this.#held) if (BigInt(after) < lowest) lowest = BigInt(after);
    return String(lowest);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    await this.#write();
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => void this.#write(), WRITE_EVERY_MS).unref();
  }

  async #write(): Promise<void> {
    this.#timer = undefined;
    const { value } = this;
    if (BigInt(value) <= this.#written) return;
    try {
      await this.#documents.set(this.#name, value);
      this.#written = BigInt(value);
    } catch (error) {
      this.#log("warn", "Failed to store the position in Discord's message stream.", { error });
    }
  }
}
