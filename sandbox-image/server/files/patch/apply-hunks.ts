import { ToolError } from "../../../../src/contract/tools/operation.ts";
import { type Hunk, linesOf } from "../../../../src/lib/patch/patch.ts";
import { FileLines } from "./file-lines.ts";
import { type Budget, LineTable } from "./find-lines.ts";
import { looser } from "./fuzz.ts";
import { COMPARISONS, isEllipsis } from "./loosely.ts";

export interface Applied {
  readonly text: string;
  /** What was disregarded to make a hunk fit, as sentences. */
  readonly notes: readonly string[];
}

/** The text after all hunks. Throws a ToolError that names the hunk which does not fit. */
export function applyHunks(
  text: string,
  hunks: readonly Hunk[],
  shown: string,
  budget: Budget,
): Applied {
  const exactEnds = hunks.some(({ lines }) => lines.some(({ text }) => text.endsWith("\r")));
  const applied = new Application(new FileLines(text, { exactEnds }), hunks, { shown, budget });
  for (const [index, hunk] of inOrder(hunks).entries()) applied.apply(hunk, index);
  return { text: applied.text(), notes: applied.notes };
}

function inOrder(hunks: readonly Hunk[]): readonly Hunk[] {
  if (hunks.some(({ oldStart }) => oldStart === undefined)) return hunks;
  return hunks.toSorted((a, b) => (a.oldStart ?? 0) - (b.oldStart ?? 0));
}

interface Fit {
  readonly hunk: Hunk;
  readonly at: number;
  /** What was disregarded. */
  readonly without: readonly string[];
}

/** One file while its hunks are applied. Places are counted in the old file, so earlier hunks do not shift them. */
class Application {
  readonly notes: string[] = [];
  readonly #shown: string;
  readonly #budget: Budget;
  readonly #file: FileLines;
  readonly #hunks: readonly Hunk[];
  readonly #tables: LineTable[] = [];
  readonly #new: string[] = [];
  readonly #newEnds: string[] = [];
  /** Lines of the old file that are done with. */
  #cursor = 0;
  /** How far the last hunk stood from where it said. */
  #drift = 0;
  #endsWithNewline: boolean;

  constructor(
    file: FileLines,
    hunks: readonly Hunk[],
    { shown, budget }: { shown: string; budget: Budget },
  ) {
    this.#file = file;
    this.#hunks = hunks;
    this.#shown = shown;
    this.#budget = budget;
    this.#endsWithNewline = file.endsWithNewline;
  }

  get #old(): readonly string[] {
    return this.#file.lines;
  }

  apply(hunk: Hunk, index: number): void {
    const fit = this.#fitOf(hunk, index);
    if (!fit) throw this.#misfit(hunk, index);
    if (fit.without.length > 0) {
      this.notes.push(
        `Hunk ${index + 1} of ${this.#shown} matches only if these are ignored: ${fit.without.join(" and ")}.`,
      );
    }
    if (fit.hunk.oldStart !== undefined) this.#drift = fit.at - (fit.hunk.oldStart - 1);
    this.#copyUntil(fit.at);
    this.#replace(fit.hunk);
    if (hunk.newWithoutNewline !== undefined) this.#endsWithNewline = !hunk.newWithoutNewline;
  }

  /** A line that is added ends like the one that it replaces, or like the line before it. */
  #replace(hunk: Hunk): void {
    const removed: string[] = [];
    for (const { sign, text } of hunk.lines) {
      if (sign === "+") {
        this.#new.push(text);
        this.#newEnds.push(removed.shift() || this.#file.endBeside(this.#cursor));
      } else if (sign === "-") {
        removed.push(this.#file.endAt(this.#cursor));
        this.#cursor += 1;
      } else {
        removed.length = 0;
        this.#copyUntil(this.#cursor + 1);
      }
    }
  }

  text(): string {
    this.#copyUntil(this.#old.length);
    return this.#file.join(this.#new, this.#newEnds, this.#endsWithNewline);
  }

  #copyUntil(end: number): void {
    for (; this.#cursor < end; this.#cursor++) {
      this.#new.push(this.#old[this.#cursor] ?? "");
      this.#newEnds.push(this.#file.endAt(this.#cursor));
    }
  }

  #table(level: number): LineTable {
    const key = COMPARISONS[level]?.key ?? String;
    this.#tables[level] ??= new LineTable(this.#old, key);
    return this.#tables[level];
  }

  #fitOf(hunk: Hunk, index: number): Fit | undefined {
    const start = this.#afterAnchors(hunk.anchors);
    if (start === undefined) return undefined;
    for (const candidate of looser(hunk)) {
      const left = hunk.lines.length - candidate.lines.length;
      const less = left > 0 ? [`${left} lines of context`] : [];
      const without = [...start.without, ...less];
      const fit = this.#find({ ...candidate, anchors: start.anchors }, start.from, without, index);
      if (fit) return fit;
    }
    return undefined;
  }

  #find(hunk: Hunk, from: number, without: readonly string[], index: number): Fit | undefined {
    const wanted = linesOf(hunk, "old");
    const end = this.#old.length - wanted.length;
    if (hunk.oldWithoutNewline === this.#file.endsWithNewline) return undefined;
    if (wanted.length === 0) {
      const at = this.#insertionPoint(hunk, from);
      return at === undefined ? undefined : { hunk, at, without };
    }
    for (const [level, comparison] of COMPARISONS.entries()) {
      const table = this.#table(level);
      const all = [...without, ...(comparison.without ? [comparison.without] : [])];
      if (hunk.atEnd && end >= from && table.standsAt(wanted, end)) {
        return { hunk, at: end, without: all };
      }
      if (hunk.oldWithoutNewline !== undefined) continue;
      const near = hunk.oldStart === undefined ? from : hunk.oldStart - 1 + this.#drift;
      const at = table.find(wanted, { from, near }, this.#budget);
      if (at === undefined) continue;
      const fit = { hunk, at, without: all };
      if (!this.#isSettled(fit, near)) this.#expectOne(fit, { table, from, index });
      return fit;
    }
    return undefined;
  }

  /** A line number or an anchor decides between places that fit exactly; a loose fit needs the very line. */
  #isSettled({ hunk, at, without }: Fit, near: number): boolean {
    if (hunk.oldStart !== undefined) return without.length === 0 || at === near;
    return hunk.anchors.length > 0 && without.length === 0;
  }

  /** Several places are clear only when there is a hunk for each of them. */
  #expectOne(
    { hunk, without }: Fit,
    { table, from, index }: { table: LineTable; from: number; index: number },
  ): void {
    const wanted = linesOf(hunk, "old");
    const text = wanted.join("\n");
    const same = this.#hunks.filter((other) => linesOf(other, "old").join("\n") === text);
    const places = table.places(wanted, from, this.#budget);
    if (places.length <= (without.length > 0 ? 1 : Math.max(same.length, 1))) return;
    const lines = places.slice(0, 5).map((place) => place + 1);
    throw new ToolError(
      "executionFailed",
      `Hunk ${index + 1} for ${this.#shown} matches in ${places.length} places (lines ${lines.join(", ")}${places.length > 5 ? ", …" : ""}). ` +
        "Nothing was changed. Add lines of context, or an @@ line that names what comes before.",
    );
  }

  /** A hunk that only adds, without context: where it says, or at the end. */
  #insertionPoint(hunk: Hunk, from: number): number | undefined {
    if (hunk.anchors.length > 0) return from + 1;
    const at = hunk.oldStart === undefined ? this.#old.length : hunk.oldStart - 1 + this.#drift;
    return at >= from && at <= this.#old.length ? at : undefined;
  }

  #afterAnchors(
    anchors: readonly string[],
  ): { from: number; anchors: readonly string[]; without: readonly string[] } | undefined {
    const found: string[] = [];
    let from = this.#cursor;
    for (const anchor of anchors) {
      this.#budget.spend(this.#old.length - from);
      const at = this.#old.findIndex((line, index) => index >= from && isAnchor(line, anchor));
      if (at < 0 && !isEllipsis(anchor)) return undefined;
      if (at < 0) continue;
      found.push(anchor);
      from = at;
    }
    const without = found.length < anchors.length ? ["the @@ ... @@ line"] : [];
    return { from, anchors: found, without };
  }

  #misfit(hunk: Hunk, index: number): ToolError {
    const wanted = linesOf(hunk, "old")
      .slice(0, 3)
      .map((line) => line.slice(0, 200));
    const looked = [...hunk.anchors.slice(0, 2), ...wanted].join("\n");
    return new ToolError(
      "executionFailed",
      `Hunk ${index + 1} for ${this.#shown} does not match: the file does not have these lines${this.#cursor > 0 ? " after the previous hunk" : ""}. ` +
        `Nothing was changed. Read the file again with read_file and correct the patch. Looked for:\n${looked}`,
    );
  }
}

function isAnchor(line: string, anchor: string): boolean {
  return line.trim().startsWith(anchor);
}
