import { ChannelLostError } from "../errors.ts";

const HEADER_BYTES = 8;
const STDERR = 2;

/**
 * Takes Docker's multiplexed stream apart: frames of one type byte, three zeros, a length and that
 * many bytes. What has arrived of a frame is handed on at once, so that no announced length, however
 * large, makes us hold anything.
 */
export class Demux {
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerBytes = 0;
  #left = 0;
  readonly #onStdout: (piece: Buffer) => void;
  readonly #onStderr: (piece: Buffer) => void;

  constructor(onStdout: (piece: Buffer) => void, onStderr: (piece: Buffer) => void) {
    this.#onStdout = onStdout;
    this.#onStderr = onStderr;
  }

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      at += this.#left > 0 ? this.#payload(chunk, at) : this.#readHeader(chunk, at);
    }
  }

  #readHeader(chunk: Buffer, at: number): number {
    const taken = Math.min(HEADER_BYTES - this.#headerBytes, chunk.length - at);
    chunk.copy(this.#header, this.#headerBytes, at, at + taken);
    this.#headerBytes += taken;
    if (this.#headerBytes === HEADER_BYTES) this.#beginFrame();
    return taken;
  }

  #beginFrame(): void {
    const known = this.#header.readUInt32BE(0) & 0x00ff_ffff;
    const type = this.#header.readUInt8(0);
    if (known !== 0 || type > STDERR) {
      throw new ChannelLostError("Docker sent a stream without stdout and stderr frames.");
    }
    this.#left = this.#header.readUInt32BE(4);
    this.#headerBytes = 0;
  }

  #payload(chunk: Buffer, at: number): number {
    const taken = Math.min(this.#left, chunk.length - at);
    const piece = chunk.subarray(at, at + taken);
    this.#left -= taken;
    if (this.#header.readUInt8(0) === STDERR) this.#onStderr(piece);
    else this.#onStdout(piece);
    return taken;
  }
}
