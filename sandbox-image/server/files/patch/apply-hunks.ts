import { ToolError } from "../../../../src/contract/operation.ts";
import { type Hunk, linesOf } from "../../../../src/contract/patch/patch.ts";
import { usesCrlf, withCrlf } from "../line-ends.ts";
import { type Budget, LineTable } from "./find-lines.ts";
import { looser } from "./fuzz.ts";

/** The text after all hunks. Throws a ToolError that names the hunk which does not fit. */
export function applyHunks(
  text: string,
  hunks: readonly Hunk[],
  shown: string,
  budget: Budget,
): string {
  const crlf =
    usesCrlf(text) && !hunks.some(({ lines }) => lines.some(({ text }) => text.endsWith("\r")));
  const applied = new Application(crlf ? text.replaceAll("\r\n", "\n") : text, shown, budget);
  for (const [index, hunk] of inOrder(hunks).entries()) applied.apply(hunk, index);
  return crlf ? withCrlf(applied.text()) : applied.text();
}

function inOrder(hunks: readonly Hunk[]): readonly Hunk[] {
  if (hunks.some(({ oldStart }) => oldStart === undefined)) return hunks;
  return hunks.toSorted((a, b) => (a.oldStart ?? 0) - (b.oldStart ?? 0));
}

/** One file while its hunks are applied. Places are counted in the old file, so earlier hunks do not shift them. */
class Application {
  readonly #shown: string;
  readonly #budget: Budget;
  readonly #old: readonly string[];
  readonly #tables: readonly LineTable[];
  readonly #new: string[] = [];
  /** Lines of the old file that are done with. */
  #cursor = 0;
  /** How far the last hunk stood from where it said. */
  #drift = 0;
  #endsWithNewline: boolean;

  constructor(text: string, shown: string, budget: Budget) {
    this.#shown = shown;
    this.#budget = budget;
    this.#endsWithNewline = text === "" || text.endsWith("\n");
    const lines = text.split("\n");
    this.#old = this.#endsWithNewline ? lines.slice(0, -1) : lines;
    // Exactly first; then without the white space at line ends, which models tend to lose.
    this.#tables = [new LineTable(this.#old, (line) => line), new LineTable(this.#old, trimEnd)];
  }

  apply(hunk: Hunk, index: number): void {
    const place = this.#placeOf(hunk);
    if (!place) throw this.#misfit(hunk, index);
    if (place.hunk.oldStart !== undefined) this.#drift = place.at - (place.hunk.oldStart - 1);
    this.#copyUntil(place.at);
    for (const { sign, text } of place.hunk.lines) {
      if (sign === "+") this.#new.push(text);
      else if (sign === "-") this.#cursor += 1;
      else this.#copyUntil(this.#cursor + 1);
    }
    if (hunk.newWithoutNewline !== undefined) this.#endsWithNewline = !hunk.newWithoutNewline;
  }

  text(): string {
    this.#copyUntil(this.#old.length);
    const text = this.#new.join("\n");
    return this.#new.length > 0 && this.#endsWithNewline ? `${text}\n` : text;
  }

  #copyUntil(end: number): void {
    for (; this.#cursor < end; this.#cursor++) this.#new.push(this.#old[this.#cursor] ?? "");
  }

  #placeOf(hunk: Hunk): { hunk: Hunk; at: number } | undefined {
    const from = this.#afterAnchors(hunk.anchors);
    if (from === undefined) return undefined;
    for (const candidate of looser(hunk)) {
      const at = this.#find(candidate, from);
      if (at !== undefined) return { hunk: candidate, at };
    }
    return undefined;
  }

  #find(hunk: Hunk, from: number): number | undefined {
    const wanted = linesOf(hunk, "old");
    const end = this.#old.length - wanted.length;
    if (hunk.oldWithoutNewline === this.#endsWithNewline) return undefined;
    if (wanted.length === 0) return this.#insertionPoint(hunk, from);
    for (const table of this.#tables) {
      if (hunk.atEnd && end >= from && table.standsAt(wanted, end)) return end;
      if (hunk.oldWithoutNewline !== undefined) continue;
      const near = hunk.oldStart === undefined ? from : hunk.oldStart - 1 + this.#drift;
      const found = table.find(wanted, { from, near }, this.#budget);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** A hunk that only adds, without context: where it says, or at the end. */
  #insertionPoint(hunk: Hunk, from: number): number | undefined {
    if (hunk.anchors.length > 0) return from + 1;
    const at = hunk.oldStart === undefined ? this.#old.length : hunk.oldStart - 1 + this.#drift;
    return at >= from && at <= this.#old.length ? at : undefined;
  }

  #afterAnchors(anchors: readonly string[]): number | undefined {
    let from = this.#cursor;
    for (const anchor of anchors) {
      this.#budget.spend(this.#old.length - from);
      const found = this.#old.findIndex((line, index) => index >= from && isAnchor(line, anchor));
      if (found < 0) return undefined;
      from = found;
    }
    return from;
  }

  #misfit(hunk: Hunk, index: number): ToolError {
    const wanted = linesOf(hunk, "old")
      .slice(0, 3)
      .map((line) => line.slice(0, 200));
    const looked = [...hunk.anchors.slice(0, 2), ...wanted].join("\n");
    return new ToolError(
      "executionFailed",
      `Hunk ${index + 1} for ${this.#shown} does not fit: the file has no such lines${this.#cursor > 0 ? " after the hunk before" : ""}. ` +
        `Nothing was changed. Read the file again with read_file and correct the patch. Looked for:\n${looked}`,
    );
  }
}

function trimEnd(line: string): string {
  return line.trimEnd();
}

function isAnchor(line: string, anchor: string): boolean {
  return line.trim().startsWith(anchor);
}
