import type { Terminal as Emulator } from "@xterm/headless";
import type { Ring } from "./ring.ts";

/** More than any screen holds; what lies further back has scrolled away. */
const CATCH_UP_CHARS = 256 * 1024;
/** Ends whatever escape sequence a skipped part may have begun. */
const CANCEL = "\x18";

/**
 * What a person would see on a terminal. The emulator is fed only when somebody looks, so that a flood of
 * output is not paid for twice.
 */
export class Screen {
  readonly #ring: Ring;
  #rows: number;
  #cols: number;
  #emulator: Promise<Emulator> | null = null;
  #fed = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(ring: Ring, rows: number, cols: number) {
    this.#ring = ring;
    this.#rows = rows;
    this.#cols = cols;
  }

  get rows(): number {
    return this.#rows;
  }

  get cols(): number {
    return this.#cols;
  }

  /** What came before belongs to the old size. */
  resize(rows: number, cols: number): void {
    this.#rows = rows;
    this.#cols = cols;
    if (!this.#emulator) return;
    void this.#inTurn(async (emulator) => {
      await this.#catchUp(emulator);
      emulator.resize(cols, rows);
    });
  }

  /** The rows as text, without empty ones at the end. */
  async read(): Promise<string> {
    return await this.#inTurn(async (emulator) => {
      await this.#catchUp(emulator);
      return visibleText(emulator);
    });
  }

  /** Writing into the emulator takes time; two readers must not feed it the same text. */
  #inTurn<T>(act: (emulator: Emulator) => Promise<T>): Promise<T> {
    this.#emulator ??= openEmulator(this.#rows, this.#cols);
    const emulator = this.#emulator;
    const turn = this.#turn.then(async () => act(await emulator));
    this.#turn = turn.catch(() => {}); // the caller hears of it
    return turn;
  }

  async #catchUp(emulator: Emulator): Promise<void> {
    const { end } = this.#ring;
    const from = Math.max(this.#fed, end - CATCH_UP_CHARS, this.#ring.start);
    const text = this.#ring.slice(from, end);
    const skipped = from > this.#fed;
    this.#fed = end;
    await write(emulator, skipped ? CANCEL + text.slice(text.indexOf("\n") + 1) : text);
  }
}

async function openEmulator(rows: number, cols: number): Promise<Emulator> {
  const { default: xterm } = await import("@xterm/headless");
  return new xterm.Terminal({ rows, cols, scrollback: rows, allowProposedApi: true });
}

function write(emulator: Emulator, text: string): Promise<void> {
  return new Promise((resolve) => emulator.write(text, resolve));
}

function visibleText(emulator: Emulator): string {
  const { active } = emulator.buffer;
  const lines: string[] = [];
  for (let row = 0; row < emulator.rows; row++) {
    lines.push(active.getLine(active.baseY + row)?.translateToString(true) ?? "");
  }
  return lines.join("\n").trimEnd();
}
