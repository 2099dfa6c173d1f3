import { LineSplitter } from "../lib/line-splitter.ts";
import type { Log } from "../lib/log.ts";
import { visibleLine } from "../lib/text/neutral.ts";

const LINE_BYTES = 4096;
const SHOWN_CHARS = 500;
const MOST_LINES = 200;
const WINDOW_MS = 60_000;

/** What a server writes beside the protocol, for the operator's log: the beginning of each line, and not too many. */
export class ServerLog {
  /** The last thing that it wrote. */
  last: string | undefined;
  readonly #log: Log;
  readonly #server: string;
  readonly #lines: LineSplitter;
  #logged = 0;
  #since = 0;

  constructor(log: Log, server: string) {
    this.#log = log;
    this.#server = server;
    const on = {
      line: (line: string) => this.#write("stderr", line),
      overlong: () => this.#write("stderr", "(a line of more than 4 KB)"),
    };
    this.#lines = new LineSplitter(on, LINE_BYTES);
  }

  stderr(chunk: Buffer): void {
    this.#lines.push(chunk);
  }

  /** A line on its standard output that is no message. */
  noise(line: string): void {
    this.#write("stdout", line);
  }

  #write(stream: "stderr" | "stdout", line: string): void {
    const text = visibleLine(line.slice(0, 2 * SHOWN_CHARS)).slice(0, SHOWN_CHARS);
    if (text === "") return;
    this.last = text;
    const now = Date.now();
    if (now - this.#since > WINDOW_MS) {
      this.#since = now;
      this.#logged = 0;
    }
    this.#logged += 1;
    if (this.#logged > MOST_LINES) return;
    const message =
      this.#logged === MOST_LINES
        ? "An MCP server writes too much to log."
        : "An MCP server wrote.";
    this.#log("info", message, { server: this.#server, stream, text });
  }
}
