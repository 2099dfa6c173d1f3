import type { Snippet } from "./scorer.ts";

const SNIPPET_LINES = 20;
const DECLARATION =
  /^\s{0,8}(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|pub(?:\(\w+\))?|unsafe|declare|open|override)\s+){0,5}(?:function|class|interface|type|enum|struct|union|trait|impl|module|namespace|def|fn|func|fun|sub|proc|macro_rules!|protocol|extension|record|const|let|var|val)\b/;
const COMMENT = /^\s*(?:\/\/|\/\*|\*|#(?!include|define|if|endif)|--|;;|"""|''')/;

/** Cuts a file at its declarations, each with the comment above it; long pieces after about twenty lines. */
export function snippetsOf(file: string, text: string): Snippet[] {
  const lines = text.split(/\r?\n/).map((line) => line.slice(0, 500));
  const starts = startsOf(lines);
  return starts.flatMap((start, index) => {
    const end = starts[index + 1] ?? lines.length;
    return pieces(start, end).map((from) => snippetAt(file, lines, from, end));
  });
}

function startsOf(lines: readonly string[]): number[] {
  const starts = new Set([0]);
  lines.forEach((line, index) => {
    if (DECLARATION.test(line)) starts.add(aboveComment(lines, index));
  });
  return [...starts].sort((a, b) => a - b);
}

function aboveComment(lines: readonly string[], index: number): number {
  const lowest = Math.max(0, index - SNIPPET_LINES / 2);
  let start = index;
  while (start > lowest && COMMENT.test(lines[start - 1] ?? "")) start -= 1;
  return start;
}

function pieces(start: number, end: number): number[] {
  const count = Math.max(1, Math.ceil((end - start) / SNIPPET_LINES));
  return Array.from({ length: count }, (_, index) => start + index * SNIPPET_LINES);
}

function snippetAt(file: string, lines: readonly string[], from: number, end: number): Snippet {
  const piece = lines.slice(from, Math.min(from + SNIPPET_LINES, end));
  const declared = piece.findIndex((line) => DECLARATION.test(line));
  const context =
    declared < 0
      ? (piece.find((line) => line.trim() !== "") ?? "")
      : piece.slice(0, declared + 1).join("\n");
  return {
    file,
    line: from + 1,
    content: piece.join("\n").trimEnd(),
    context: context.trim(),
    isDefinition: declared >= 0,
  };
}
