/**
 * What the shell integration tells: a prompt stands there, a typed line starts, a command of run_command
 * starts, a command is done.
 */
export type Mark =
  | { readonly kind: "prompt" }
  | { readonly kind: "typed" }
  | { readonly kind: "run" }
  | { readonly kind: "done"; readonly exitCode: number; readonly shellPid: number };

export interface MarkSink {
  text(text: string): void;
  mark(mark: Mark): void;
}

const INTRODUCER = "\x1b]133;";
const LONGEST_BODY = 96;

/**
 * Takes our marks out of a stream of text, however it is cut. Only marks that carry the nonce are ours;
 * every other OSC 133 stays ordinary output.
 */
export class MarkParser {
  readonly #nonce: string;
  readonly #sink: MarkSink;
  #carry = "";

  constructor(nonce: string, sink: MarkSink) {
    this.#nonce = nonce;
    this.#sink = sink;
  }

  push(piece: string): void {
    const text = this.#carry + piece;
    let from = 0;
    let at = text.indexOf(INTRODUCER);
    while (at >= 0) {
      const body = readBody(text, at + INTRODUCER.length);
      if (body === "unfinished") break;
      const mark = body && parseMark(body, this.#nonce);
      const next = at + INTRODUCER.length + (mark ? body.length + 1 : 0);
      this.#text(text.slice(from, mark ? at : next));
      if (mark) this.#sink.mark(mark);
      from = next;
      at = text.indexOf(INTRODUCER, from);
    }
    const carryFrom = at >= 0 ? at : text.length - partialIntroducer(text, from);
    this.#carry = text.slice(carryFrom);
    this.#text(text.slice(from, carryFrom));
  }

  end(): void {
    this.#text(this.#carry);
    this.#carry = "";
  }

  #text(text: string): void {
    if (text) this.#sink.text(text);
  }
}

/** The text up to BEL; null when it cannot be a mark of ours. */
function readBody(text: string, from: number): string | "unfinished" | null {
  const end = Math.min(text.length, from + LONGEST_BODY);
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x07) return text.slice(from, at);
    if (!isBodyCharacter(code)) return null;
  }
  return end - from < LONGEST_BODY ? "unfinished" : null;
}

/** Digits, semicolon, letters: all that our marks are made of. */
function isBodyCharacter(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x3b) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a)
  );
}

function parseMark(body: string, nonce: string): Mark | null {
  const fields = body.split(";");
  if (fields.pop() !== nonce) return null;
  const [kind, exitCode, shellPid] = fields;
  if (kind === "B") return { kind: "prompt" };
  if (kind === "C") return { kind: "typed" };
  if (kind === "S") return { kind: "run" };
  if (kind === "D") return { kind: "done", exitCode: Number(exitCode), shellPid: Number(shellPid) };
  return null;
}

/** How many characters at the end may be the beginning of a mark. */
function partialIntroducer(text: string, from: number): number {
  const at = text.lastIndexOf("\x1b");
  const length = text.length - at;
  if (at < from || length >= INTRODUCER.length) return 0;
  return INTRODUCER.startsWith(text.slice(at)) ? length : 0;
}
