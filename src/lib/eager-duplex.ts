import { Duplex, type Writable } from "node:stream";

interface EagerOptions {
  /** Takes what is written. */
  readonly output: Writable;
  /** What may wait for the output before writers wait too. */
  readonly mostQueuedBytes: number;
  /** What may wait for the reader. A peer that keeps to its windows never sends as much. */
  readonly mostUnreadBytes: number;
  /** Called once, when it is destroyed by either side. */
  readonly onDestroy: () => void;
}

/**
 * A duplex whose writes are done at once while little is queued. An HTTP/2 session of Node does not read while a write of its
 * own is pending: two sessions that both send a lot over pipes would wait for each other for ever.
 */
export class EagerDuplex extends Duplex {
  readonly #options: EagerOptions;

  constructor(options: EagerOptions) {
    super({ readableHighWaterMark: 1024 * 1024, writableHighWaterMark: 1024 * 1024 });
    this.#options = options;
    options.output.on("error", (error: Error) => this.destroy(error));
    options.output.on("close", () => this.destroy());
  }

  /** Hands bytes from the peer to the reader. The source is never paused. */
  receive(chunk: Buffer): void {
    if (this.destroyed || this.readableEnded) return;
    this.push(chunk);
    if (this.readableLength > this.#options.mostUnreadBytes) {
      this.destroy(new Error("The peer sent more than was asked for."));
    }
  }

  /** The peer has ended: nothing that it has not acknowledged can arrive any more. */
  receiveEnd(): void {
    this.destroy();
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#options.output.write(chunk);
    this.#whenRoom(done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    const { output } = this.#options;
    output.cork();
    for (const { chunk } of chunks) output.write(chunk);
    output.uncork();
    this.#whenRoom(done);
  }

  override _final(done: () => void): void {
    this.#options.output.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#options.onDestroy();
    done(error);
  }

  #whenRoom(done: () => void): void {
    const { output, mostQueuedBytes } = this.#options;
    if (output.writableLength < mostQueuedBytes) done();
    else output.once("drain", done);
  }
}
