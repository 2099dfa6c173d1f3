/** Small pieces are joined up to this length: a chunk costs memory of its own. */
const CHUNK_CHARS = 16 * 1024;

interface Chunk {
  readonly start: number;
  text: string;
}

/**
 * The newest characters of an endless text. Indices count UTF-16 units from the very beginning, whatever
 * has been dropped since.
 */
export class Ring {
  readonly #limit: number;
  #chunks: Chunk[] = [];
  #start = 0;
  #end = 0;

  constructor(limitChars: number) {
    this.#limit = limitChars;
  }

  /** Index of the oldest character that is still there. */
  get start(): number {
    return this.#start;
  }

  /** Index that the next character will get. */
  get end(): number {
    return this.#end;
  }

  append(text: string): void {
    if (!text) return;
    const last = this.#chunks.at(-1);
    if (last && last.text.length + text.length <= CHUNK_CHARS) last.text += text;
    else this.#open(text, last);
    this.#end += text.length;
    if (this.#end - this.#start > this.#limit) this.#drop(this.#end - this.#limit);
  }

  /** The retained part of [from, to). */
  slice(from: number, to = this.#end): string {
    let at = Math.max(from, this.#start);
    const end = Math.min(to, this.#end);
    const parts: string[] = [];
    for (let index = this.#find(at); at < end; index++) {
      const chunk = this.#chunks[index];
      if (!chunk) break;
      parts.push(chunk.text.slice(at - chunk.start, end - chunk.start));
      at = chunk.start + chunk.text.length;
    }
    return parts.length === 1 ? (parts[0] ?? "") : parts.join("");
  }

  #open(text: string, last: Chunk | undefined): void {
    // Reading one character makes the engine lay the joined pieces out flat.
    last?.text.charCodeAt(0);
    this.#chunks.push({ start: this.#end, text });
  }

  #drop(upTo: number): void {
    this.#start = upTo;
    const kept = this.#find(upTo);
    if (kept > 0) this.#chunks.splice(0, kept);
    const [first] = this.#chunks;
    if (first && isInsidePair(first.text, upTo - first.start)) this.#start++;
  }

  /** Position of the chunk that holds an index. */
  #find(index: number): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#chunks[middle]?.start ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Whether a cut here would leave half a surrogate pair. A pair can also lie across two chunks. */
function isInsidePair(text: string, at: number): boolean {
  return at < text.length && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
