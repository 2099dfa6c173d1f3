import { readSync } from "node:fs";
import type { IPty } from "node-pty";
import { startFailure } from "../processes/supervised.ts";
import type { ServerSettings } from "../settings.ts";

const CHUNK_BYTES = 4096;
const READS_A_TURN = 8;

export type SpawnPty = typeof import("node-pty").spawn;

/** Loaded when it is needed: native code cannot be part of the snapshot that the server starts from. */
export async function loadPty(): Promise<SpawnPty> {
  const { spawn } = await import("node-pty");
  return spawn;
}

export interface PtyOptions {
  readonly spawn: SpawnPty;
  /** The shell's program and its arguments, its name first. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Reaches the shell through a pipe that it reads once; no other process can see it. */
  readonly nonce: string;
  readonly rows: number;
  readonly cols: number;
  onBytes(bytes: Buffer): void;
  onExit(exitCode: number): void;
}

/**
 * A login shell on a PTY of its own. The kernel hands out 4 KB at a time; what arrives within one turn of
 * the event loop is handed on as one piece.
 */
export class Pty {
  readonly #pty: IPty;
  readonly #onBytes: (bytes: Buffer) => void;
  #pending: Buffer[] = [];
  #paused = false;
  #exited = false;

  constructor(settings: ServerSettings, options: PtyOptions) {
    this.#onBytes = options.onBytes;
    this.#pty = open(settings, options);
    this.#pty.onData((data) => this.#take(data));
    this.#pty.onExit(({ exitCode, signal }) => {
      this.#exited = true;
      this.#flush();
      options.onExit(signal ? 128 + signal : exitCode);
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  write(text: string): void {
    if (!this.#exited) this.#pty.write(text);
  }

  resize(rows: number, cols: number): void {
    if (this.#exited) return;
    try {
      this.#pty.resize(cols, rows);
    } catch {
      // The shell has exited, and its end is about to be noticed.
    }
  }

  /** While paused nothing is read, so that whatever writes into the terminal has to wait. */
  set paused(paused: boolean) {
    if (paused === this.#paused || this.#exited) return;
    this.#paused = paused;
    if (paused) this.#pty.pause();
    else this.#pty.resume();
  }

  #take(bytes: Buffer): void {
    if (this.#pending.length === 0) setImmediate(() => this.#flush());
    this.#pending.push(bytes);
    this.#readOn();
  }

  /** The kernel hands out 4 KB at a time and fills up again at once: going through the event loop takes longer. */
  #readOn(): void {
    for (let count = 0; count < READS_A_TURN && !this.#paused; count += 1) {
      const bytes = readNow(this.#pty.fd);
      if (!bytes) return;
      this.#pending.push(bytes);
    }
  }

  #flush(): void {
    if (this.#pending.length === 0) return;
    const pieces = this.#pending;
    this.#pending = [];
    const [only] = pieces;
    this.#onBytes(only && pieces.length === 1 ? only : Buffer.concat(pieces));
  }
}

/** Null when nothing is there now. The end of the shell is for the event loop to notice. */
function readNow(fd: number): Buffer | null {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    const length = readSync(fd, buffer);
    return length > 0 ? buffer.subarray(0, length) : null;
  } catch {
    return null; // EAGAIN, or EIO after the shell's end
  }
}

function open(settings: ServerSettings, options: PtyOptions): IPty {
  const { spawn, program, args, cwd, env, nonce, rows, cols } = options;
  try {
    return spawn(settings.supervise, ["--shell", program, ...args], {
      cwd,
      env: { ...settings.childEnv, ...env, DECKHAND_NONCE: nonce },
      name: settings.childEnv.TERM ?? "xterm-256color",
      rows,
      cols,
      encoding: null,
    });
  } catch (error) {
    throw startFailure(error);
  }
}
