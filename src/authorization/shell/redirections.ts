import { expandOne, expandWhole } from "./expand.ts";
import { isVerbatim } from "./here-documents.ts";
import type { Input } from "./rule.ts";
import type { SyntaxNode } from "./syntax-node.ts";
import type { Visitor } from "./visitor.ts";
import { UNKNOWN } from "./word.ts";

/** What a command finds on its input after a redirection; tells the visitor what else it does. */
export function redirect(node: SyntaxNode, input: Input, segment: string, visitor: Visitor): Input {
  const { lookup } = visitor.scope;
  if (node.type === "heredoc_redirect") return heredoc(node, input, segment, visitor);
  const [target] = targetsOf(node);
  if (!target) return input;
  if (node.type === "herestring_redirect") return { ...input, text: expandOne(target, lookup) };
  const operator = node.children.find((child) => /[<>]/.test(child.type))?.type ?? ">";
  const words = expandWhole(target, lookup);
  for (const word of words) visitor.redirection(word, operator, segment, input);
  const [first] = words;
  if (first && !isInput(node) && operator.startsWith("<") && !operator.endsWith("&"))
    visitor.opens(first);
  if (!first || !isInput(node)) return input;
  if (operator === "<" || operator === "<>") return { ...input, file: first };
  // `<&3`: something that was opened before.
  return operator === "<&" && !/^(?:0|-)$/.test(first.shape)
    ? { ...input, file: { text: first.text, shape: UNKNOWN } }
    : input;
}

function heredoc(node: SyntaxNode, input: Input, segment: string, visitor: Visitor): Input {
  let own = input;
  for (const child of node.children)
    if (child.field === "redirect") own = redirect(child, own, segment, visitor);
  const text = node.children.find((child) => child.type === "heredoc_body")?.text ?? "";
  const shape = !isVerbatim(node) && /[$`\\]/.test(text) ? UNKNOWN : text;
  return { ...own, text: { text, shape } };
}

/** `3< file` is not what a program finds on its standard input. */
function isInput({ children }: SyntaxNode): boolean {
  const descriptor = children.find(({ type }) => type === "file_descriptor")?.text ?? "0";
  return descriptor === "0";
}

/** The parts of it in which expansions run. */
export function expandedIn(node: SyntaxNode): SyntaxNode[] {
  if (node.type !== "heredoc_redirect") return targetsOf(node).slice(0, 1);
  return node.children.flatMap((child) => {
    if (child.field === "redirect") return expandedIn(child);
    return child.type === "heredoc_body" ? child.children : [];
  });
}

function targetsOf(redirection: SyntaxNode): readonly SyntaxNode[] {
  return redirection.type === "herestring_redirect"
    ? redirection.children.slice(-1)
    : redirection.children.filter((child) => child.field === "destination");
}

/** `cat <<END file`, `rm > log -r x`: the grammar puts words that follow a redirection inside it; they are arguments. */
export function argumentsIn(redirection: SyntaxNode): SyntaxNode[] {
  if (redirection.field !== "redirect") return [];
  const words = redirection.children.filter((child) => child.field === "argument");
  return [
    ...targetsOf(redirection).slice(1),
    ...words,
    ...redirection.children.flatMap(argumentsIn),
  ];
}
