import { isVerbatim } from "./here-documents.ts";
import { joinLines } from "./newlines.ts";
import type { SyntaxNode } from "./syntax-node.ts";

/**
 * The text without the backslashes that end a line and the newlines behind them. Bash takes these away before it
 * reads words, the grammar keeps them and trips over some: so what has any is read once more without. The tree only
 * tells where a backslash is nothing but a character.
 */
export function withoutContinuations(root: SyntaxNode, source: string): string {
  if (!source.includes("\\\n")) return source;
  let joined = "";
  let position = 0;
  for (const { start, end } of verbatimParts(root)) {
    joined += joinLines(source.slice(position, start)) + source.slice(start, end);
    position = end;
  }
  return joined + joinLines(source.slice(position));
}

const VERBATIM = new Set(["raw_string", "ansi_c_string", "comment"]);

function verbatimParts(node: SyntaxNode): SyntaxNode[] {
  if (VERBATIM.has(node.type)) return [node];
  return node.children.flatMap((child) =>
    child.type === "heredoc_body" && isVerbatim(node) ? [child] : verbatimParts(child),
  );
}
