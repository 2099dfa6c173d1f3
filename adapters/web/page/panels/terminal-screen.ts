import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import { allowTerminalStyles, terminalTheme } from "./terminal-look.ts";

const LARGEST_FONT_PX = 13;
const SMALLEST_FONT_PX = 10;
/** A letter's width, in parts of its height. */
const LETTER = 0.602;
/** What the frame and the scrollbar take. */
const BESIDE_PX = 34;

export interface TerminalSize {
  readonly rows: number;
  readonly cols: number;
}

/** Where it stands in what was printed, which may be shorter or longer than what is shown of it. */
interface Piece {
  readonly fromIndex: number;
  readonly text: string;
  readonly nextIndex?: number;
}

/**
 * Only shows. Who clicks on it types on the line below, so what a program prints cannot make it answer in a human's
 * name, and everything that people send is whole lines that can be judged. Looking at a terminal does not change it:
 * it keeps its size, and the letters are made to fit.
 */
export class TerminalScreen {
  readonly #frame: HTMLElement;
  readonly #screen: Terminal;
  readonly #fit = new FitAddon();
  readonly #resized: ResizeObserver;
  readonly #click: () => void;
  nextIndex = 0;

  constructor(frame: HTMLElement, { rows, cols }: TerminalSize, onClick: () => void) {
    allowTerminalStyles();
    this.#frame = frame;
    this.#screen = new Terminal({
      disableStdin: true,
      cursorBlink: false,
      scrollback: 5_000,
      fontSize: LARGEST_FONT_PX,
      fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
      theme: terminalTheme(),
      rows,
      cols,
      screenReaderMode: true,
      linkHandler: { activate: () => undefined },
    });
    this.#screen.loadAddon(this.#fit);
    this.#screen.open(frame);
    this.#screen.attachCustomKeyEventHandler(() => false);
    this.#click = () => {
      if (!this.#screen.hasSelection()) onClick();
    };
    frame.addEventListener("click", this.#click);
    this.#resized = new ResizeObserver(() => this.#chooseFont());
    this.#resized.observe(frame);
  }

  /** After a break the same piece may come again; what is known of it is left out. */
  write({ fromIndex, text, nextIndex: end = fromIndex + text.length }: Piece): void {
    if (end > this.nextIndex)
      this.#screen.write(text.slice(Math.max(0, this.nextIndex - fromIndex)));
    this.nextIndex = Math.max(this.nextIndex, end);
  }

  setSize({ rows, cols }: TerminalSize): void {
    this.#screen.resize(cols, rows);
    this.#chooseFont();
  }

  /** What would fill its place, with letters that are easily read. */
  fitting(): TerminalSize | undefined {
    this.#screen.options.fontSize = LARGEST_FONT_PX;
    const proposed = this.#fit.proposeDimensions();
    if (!proposed || Number.isNaN(proposed.cols) || Number.isNaN(proposed.rows)) return undefined;
    return { rows: Math.max(2, proposed.rows), cols: Math.max(20, proposed.cols) };
  }

  close(): void {
    this.#resized.disconnect();
    this.#frame.removeEventListener("click", this.#click);
    this.#screen.dispose();
  }

  #chooseFont(): void {
    const room = (this.#frame.clientWidth - BESIDE_PX) / this.#screen.cols / LETTER;
    const fitting = Math.min(LARGEST_FONT_PX, Math.max(SMALLEST_FONT_PX, Math.floor(room)));
    if (this.#screen.options.fontSize !== fitting) this.#screen.options.fontSize = fitting;
  }
}
