import { endNear, endOf, splitLines, splitMark } from "../line-ends.ts";

/** A text as lines and their ends, taken apart so that lines can be compared whatever ends them. */
export class FileLines {
  readonly lines: readonly string[];
  readonly #ends: readonly string[];
  readonly #mark: string;

  /** With `exactEnds` a CR before the newline belongs to the line: a patch that carries such CRs says what it means. */
  constructor(text: string, { exactEnds }: { exactEnds: boolean }) {
    const { mark, body } = splitMark(text);
    const whole = splitLines(body, exactEnds ? { onlyAtNewlines: true } : {});
    const ends = whole.map((line) => (exactEnds ? endOf(line).replace("\r", "") : endOf(line)));
    this.#mark = mark;
    this.#ends = ends;
    this.lines = whole.map((line, index) =>
      line.slice(0, line.length - (ends[index] ?? "").length),
    );
  }

  get endsWithNewline(): boolean {
    return this.#ends.at(-1) !== "";
  }

  endAt(index: number): string {
    return this.#ends[index] ?? "";
  }

  /** For a line that is added before the line at `index`. */
  endBeside(index: number): string {
    return endNear(this.#ends, index - 1);
  }

  /** The text of new lines with their ends; only the last may lack one. */
  join(lines: readonly string[], ends: readonly string[], endsWithNewline: boolean): string {
    const last = lines.length - 1;
    const text = lines.map((line, index) => {
      if (index === last && !endsWithNewline) return line;
      return line + (ends[index] || endNear(ends, index));
    });
    return this.#mark + text.join("");
  }
}
