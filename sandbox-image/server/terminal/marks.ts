/**
 * What the shell integration tells: a prompt stands there, a typed line starts, a command of run_command
 * starts, a command is done, the shell went to a directory.
 */
export type Mark =
  | { readonly kind: "prompt" }
  | { readonly kind: "typed"; readonly command?: string }
  | { readonly kind: "run" }
  | { readonly kind: "directory"; readonly path: string; readonly shellPid: number }
  | { readonly kind: "done"; readonly exitCode: number; readonly shellPid: number };

/** Which shell a mark claims to come from: its nonce tells. */
export type MarkSource = "own" | "nested";

export interface Nonces {
  /** Known to the terminal's own shell alone. */
  readonly own: string;
  /** Of shells inside it: every process of the user may know it. */
  readonly nested: string;
}

export interface MarkSink {
  text(text: string): void;
  mark(mark: Mark, source: MarkSource): void;
}

const INTRODUCER = "\x1b]133;";
/** A directory of 4096 bytes in hexadecimal, and the rest. */
const LONGEST_BODY = 2 * 4096 + 96;

/**
 * Takes our marks out of a stream of text, however it is cut. Only marks that carry the nonce are ours;
 * every other OSC 133 stays ordinary output.
 */
export class MarkParser {
  readonly #nonces: Nonces;
  readonly #sink: MarkSink;
  #carry = "";

  constructor(nonces: Nonces, sink: MarkSink) {
    this.#nonces = nonces;
    this.#sink = sink;
  }

  push(piece: string): void {
    const text = this.#carry + piece;
    let from = 0;
    let at = text.indexOf(INTRODUCER);
    while (at >= 0) {
      const body = readBody(text, at + INTRODUCER.length);
      if (body === "unfinished") break;
      const found = body ? parseMark(body, this.#nonces) : null;
      const next = at + INTRODUCER.length + (body && found ? body.length + 1 : 0);
      this.#text(text.slice(from, found ? at : next));
      if (found) this.#sink.mark(found.mark, found.source);
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

function parseMark(body: string, nonces: Nonces): { mark: Mark; source: MarkSource } | null {
  const fields = body.split(";");
  const nonce = fields.pop();
  if (nonce !== nonces.own && nonce !== nonces.nested) return null;
  const mark = markOf(fields);
  return mark && { mark, source: nonce === nonces.own ? "own" : "nested" };
}

function markOf([kind, value, shellPid]: readonly string[]): Mark | null {
  if (kind === "B") return { kind: "prompt" };
  if (kind === "C")
    return value === undefined ? { kind: "typed" } : { kind: "typed", command: hexText(value) };
  if (kind === "S") return { kind: "run" };
  if (kind === "P")
    return { kind: "directory", path: hexText(value ?? ""), shellPid: Number(shellPid) };
  if (kind === "D") return { kind: "done", exitCode: Number(value), shellPid: Number(shellPid) };
  return null;
}

function hexText(hex: string): string {
  return Buffer.from(hex, "hex").toString("utf8");
}

/** How many characters at the end may be the beginning of a mark. */
function partialIntroducer(text: string, from: number): number {
  const at = text.lastIndexOf("\x1b");
  const length = text.length - at;
  if (at < from || length >= INTRODUCER.length) return 0;
  return INTRODUCER.startsWith(text.slice(at)) ? length : 0;
}
