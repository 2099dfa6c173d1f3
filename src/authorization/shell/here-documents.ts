import { joinLines, NEWLINE } from "./newlines.ts";
import type { SyntaxNode } from "./syntax-node.ts";

/** Behind a word with quotes the text is taken as it stands; else bash expands it and joins continued lines. */
export function isVerbatim(heredoc: SyntaxNode): boolean {
  return /["'\\]/.test(partOf(heredoc, "heredoc_start")?.text ?? "");
}

/** Whether bash, too, begins it behind the line that names its end, and ends it at the first line that is that name. */
export function doubtAboutExtent(heredoc: SyntaxNode, source: string): string | undefined {
  const [start, end] = [partOf(heredoc, "heredoc_start"), partOf(heredoc, "heredoc_end")];
  if (!start || !end) return "a here-document without an end";
  if (/[$`]/.test(start.text)) return "a here-document with a computed delimiter";
  const body = partOf(heredoc, "heredoc_body");
  const lineEnd = start.end + source.slice(start.end).search(NEWLINE);
  const isLate = (child: SyntaxNode) => child !== body && child !== end && child.end > lineEnd;
  if (heredoc.children.some(isLate)) return "a here-document that begins earlier than it seems";

  const delimiter = start.text.replaceAll(/["'\\]/g, "");
  const isTabbed = heredoc.children[0]?.type === "<<-";
  const ends = (line: string) => (isTabbed ? line.replace(/^\t+/, "") : line) === delimiter;
  const endLineStart = source.lastIndexOf("\n", end.start - 1) + 1;
  const after = source[end.end] ?? "\n";
  if (!ends(source.slice(endLineStart, end.end)) || after !== "\n")
    return "a here-document with an odd end";

  const text = source.slice(lineEnd + 1, endLineStart);
  const seen = isVerbatim(heredoc) ? text : joinLines(text);
  if (seen !== "" && !seen.endsWith("\n")) return "a here-document that ends later than it seems";
  if (seen.split("\n").slice(0, -1).some(ends))
    return "a here-document that ends earlier than it seems";
  return undefined;
}

function partOf(heredoc: SyntaxNode, type: string): SyntaxNode | undefined {
  return heredoc.children.find((child) => child.type === type);
}
