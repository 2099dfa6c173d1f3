import { type Bounded, boundOutput, cleanOutput } from "./clean.ts";

/** More raw text than a result ever shows, so that colours and progress bars do not use up the room. */
const HEAD_CHARS = 256 * 1024;
const TAIL_CHARS = 256 * 1024;
/** Many small pieces take more room than their text. */
const PIECES_LIMIT = 4096;

/** The beginning and the end of one command's raw output, however much lies between. */
export class Collector {
  #head: string[] = [];
  #headChars = 0;
  #tail: string[] = [];
  #tailChars = 0;
  #total = 0;

  /** How much was written, kept or not. */
  get total(): number {
    return this.#total;
  }

  push(text: string): void {
    this.#total += text.length;
    const room = HEAD_CHARS - this.#headChars;
    if (room > 0) this.#pushHead(text.slice(0, room));
    if (text.length > room) this.#pushTail(text.slice(Math.max(0, room)));
  }

  result(): Bounded {
    const leftOut = this.#total - this.#headChars - this.#tailChars;
    const head = this.#head.join("");
    const tail = this.#tail.join("");
    if (leftOut === 0) return boundOutput(cleanOutput(head + tail));
    return boundOutput(cleanOutput(head) + cleanOutput(fromLineStart(tail)), leftOut);
  }

  /** The last lines, cheap enough to ask for several times a second. */
  recent(chars: number): string {
    const tail = this.#tailChars > 0 ? this.#tail : this.#head;
    let text = "";
    for (let at = tail.length - 1; at >= 0 && text.length < chars * 4; at--) text = tail[at] + text;
    return cleanOutput(text.slice(-chars * 4)).slice(-chars);
  }

  #pushHead(text: string): void {
    this.#head.push(text);
    this.#headChars += text.length;
  }

  #pushTail(text: string): void {
    this.#tail.push(text);
    this.#tailChars += text.length;
    this.#dropOldPieces();
    if (this.#tail.length > PIECES_LIMIT) this.#tail = [this.#tail.join("")];
  }

  /** Whole pieces only: cutting them would copy everything that is written. */
  #dropOldPieces(): void {
    let count = 0;
    for (const piece of this.#tail) {
      if (this.#tailChars - piece.length < TAIL_CHARS) break;
      this.#tailChars -= piece.length;
      count += 1;
    }
    if (count > 0) this.#tail.splice(0, count);
  }
}

/** After a cut the first line may begin inside an escape sequence; an endless line is kept all the same. */
function fromLineStart(text: string): string {
  return text.slice(text.slice(0, 4096).indexOf("\n") + 1);
}
