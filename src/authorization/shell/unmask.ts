import type { Part } from "./expansion-text.ts";
import type { Mask } from "./masks.ts";
import type { SyntaxNode } from "./syntax-node.ts";

/** Reads the text between `$(` and `)`; nothing when it cannot be read. */
export type ReadInner = (text: string) => SyntaxNode | undefined;

interface Unmasked {
  readonly source: string;
  readonly readInner: ReadInner;
  readonly masks: ReadonlyMap<number, Mask>;
  readonly confirmed: Set<Mask>;
}

/**
 * The tree of a masked text with the original text put back. Nothing unless every mask stands where the tree of the
 * masked text has what the mask stands for: up to there bash reads the same in both texts, so it begins the masked
 * piece in the same state, and ends it where the mask ends.
 */
export function unmask(
  root: SyntaxNode,
  source: string,
  masks: readonly Mask[],
  readInner: ReadInner,
): SyntaxNode | undefined {
  const byStart = new Map(masks.map((mask) => [mask.start, mask]));
  const unmasked: Unmasked = { source, readInner, masks: byStart, confirmed: new Set() };
  const leaves: Leaf[] = [];
  const restored = restore(root, [], unmasked, leaves);
  if (!restored) return undefined;
  for (const mask of masks)
    if (!unmasked.confirmed.has(mask) && !isGap(mask, leaves)) return undefined;
  return restored;
}

interface Leaf {
  readonly node: SyntaxNode;
  readonly parents: readonly SyntaxNode[];
}

function restore(
  node: SyntaxNode,
  parents: readonly SyntaxNode[],
  unmasked: Unmasked,
  leaves: Leaf[],
): SyntaxNode | undefined {
  const { source, masks, confirmed } = unmasked;
  const start = node.end - node.text.trimStart().length;
  const mask = masks.get(start);
  if (mask && mask.end >= node.end && node.end > node.start) {
    const leaf = { node, parents };
    const replaced = REPLACED[mask.kind]?.(mask, leaf, unmasked);
    if (replaced) {
      confirmed.add(mask);
      leaves.push(leaf);
      return replaced;
    }
  }
  const text = source.slice(node.start, node.end);
  if (node.children.length === 0) {
    leaves.push({ node, parents });
    return { ...node, text };
  }
  const children: SyntaxNode[] = [];
  const around = [node, ...parents];
  for (const child of node.children) {
    const restored = restore(child, around, unmasked, leaves);
    if (!restored) return undefined;
    children.push(restored);
  }
  return { ...node, text, children };
}

type Replace = (mask: Mask, leaf: Leaf, unmasked: Unmasked) => SyntaxNode | undefined;

const REPLACED: Readonly<Partial<Record<Mask["kind"], Replace>>> = {
  expansion: (mask, leaf, unmasked) =>
    isExpansion(mask, leaf) && isClearWithin(leaf.parents, mask, unmasked.source)
      ? withParts({ ...leaf.node, text: textOf(leaf.node, unmasked) }, mask.parts, unmasked)
      : undefined,
  backticks: (mask, leaf, unmasked) => {
    const { source } = unmasked;
    if (!isExpansion(mask, leaf) || isInside(leaf.parents, ["heredoc_body", ...ARITHMETIC]))
      return undefined;
    const text = source.slice(mask.start, mask.end);
    return { ...leaf.node, type: "command_substitution", start: mask.start, text, children: [] };
  },
  translated: (mask, leaf, unmasked) => {
    if (!isExpansion(mask, leaf) || isInside(leaf.parents, QUOTING)) return undefined;
    const start = mask.start + 1;
    const text = unmasked.source.slice(start, mask.end);
    return withParts({ ...leaf.node, type: "string", start, text }, mask.parts, unmasked);
  },
  pattern: (mask, leaf, { source }) =>
    isExpansion(mask, leaf) && isArgument(leaf.parents)
      ? {
          ...leaf.node,
          type: "extglob_words",
          text: source.slice(mask.start, mask.end),
          children: [],
        }
      : undefined,
  operator: (_, { node }) => (node.type === ">>" ? { ...node, type: "<>", text: "<>" } : undefined),
  descriptor: (mask, { node }, { source }) =>
    node.type === "file_descriptor" && node.end === mask.end
      ? { ...node, text: source.slice(mask.start, mask.end) }
      : undefined,
  // Its standard streams are pipes, and it runs in a shell of its own: like the end of a pipeline.
  coprocess: (mask, { node, parents }, { source }) =>
    node.type === "command" && node.text === "true" && parents[0]?.type === "pipeline"
      ? { ...node, type: "coprocess", text: source.slice(mask.start, mask.end), children: [] }
      : undefined,
  bracket: (_, { node, parents }, { source }) =>
    node.type === "word" && node.end === node.start + 1 && parents[0]?.type === "command_name"
      ? { ...node, type: "bracket", text: source.slice(node.start, node.end) }
      : undefined,
  separator: (_, { node, parents }) =>
    node.type === ";" && /^(?:for|if|while)_statement$/.test(parents[0]?.type ?? "")
      ? node
      : undefined,
};

const ARITHMETIC = [
  "arithmetic_expansion",
  "c_style_for_statement",
  "subscript",
  "binary_expression",
  "unary_expression",
  "postfix_expression",
  "ternary_expression",
  "parenthesized_expression",
];
const QUOTING = ["string", "heredoc_body", ...ARITHMETIC];

function isExpansion(mask: Mask, { node }: Leaf): boolean {
  return node.type === "expansion" && node.end === mask.end;
}

/** Other rules hold for quotes in a here-document, and for parentheses in arithmetic; backticks end each other. */
function isClearWithin(parents: readonly SyntaxNode[], mask: Mask, source: string): boolean {
  const text = source.slice(mask.start, mask.end);
  if (isInside(parents, ["heredoc_body", "command_substitution"]) && /[`\\"']/.test(text)) {
    const inBackticks = parents.some(
      ({ type, text: around }) => type === "command_substitution" && around.trim().startsWith("`"),
    );
    if (inBackticks || isInside(parents, ["heredoc_body"])) return false;
  }
  const isGroup = parents.some(
    (one) => one.type === "compound_statement" && one.text.startsWith("(("),
  );
  const calculates = isGroup || isInside(parents, ARITHMETIC);
  return !calculates || !/[`\\"'()]/.test(text.slice(2));
}

function isInside(parents: readonly SyntaxNode[], types: readonly string[]): boolean {
  return parents.some(({ type }) => types.includes(type));
}

/**
 * Not where a command begins: there `!(ls)` may also be a negation and a subshell. Not in an array either: without
 * extglob that is a mistake, after which bash goes on with the next line, wherever a quote or here-document ends.
 */
function isArgument(parents: readonly SyntaxNode[]): boolean {
  const [parent, next] = parents;
  const around = parent?.type === "concatenation" ? next : parent;
  return /^(?:command|for_statement|file_redirect)$/.test(around?.type ?? "");
}

/** A comment, or a keyword before a group: the tree has nothing there, and a group next. */
function isGap({ kind, start, end }: Mask, leaves: readonly Leaf[]): boolean {
  if (kind !== "comment" && kind !== "prefix") return false;
  const isFree = !leaves.some(({ node }) => node.start < end && node.end > start);
  if (kind === "comment") return isFree;
  const next = leaves.find(({ node }) => node.start >= end);
  const [group, around] = next?.parents ?? [];
  return (
    isFree &&
    /^(?:compound_statement|subshell)$/.test(group?.type ?? "") &&
    group?.start === next?.node.start &&
    !/^(?:command|function_definition)$/.test(around?.type ?? "")
  );
}

function textOf({ start, end }: SyntaxNode, { source }: Unmasked): string {
  return source.slice(start, end);
}

function withParts(
  node: SyntaxNode,
  parts: readonly Part[],
  unmasked: Unmasked,
): SyntaxNode | undefined {
  const children: SyntaxNode[] = [];
  for (const part of parts) {
    const child = nodeOf(part, unmasked);
    if (!child) return undefined;
    children.push(child);
  }
  return { ...node, children };
}

const TYPES = {
  expansion: "expansion",
  name: "simple_expansion",
  arithmetic: "arithmetic_expansion",
  backticks: "command_substitution",
  command: "command_substitution",
} as const;

function nodeOf(part: Part, unmasked: Unmasked): SyntaxNode | undefined {
  const { kind, start, end } = part;
  const text = unmasked.source.slice(start, end);
  const node = { type: TYPES[kind], field: undefined, start, end, text, children: [] };
  if (kind !== "command") return withParts(node, part.parts, unmasked);
  const command = text.slice(2, -1).trimStart();
  const inner = unmasked.readInner(command);
  const by = end - 1 - command.length;
  return inner && { ...node, children: inner.children.map((child) => moved(child, by)) };
}

function moved(node: SyntaxNode, by: number): SyntaxNode {
  return {
    ...node,
    start: node.start + by,
    end: node.end + by,
    children: node.children.map((child) => moved(child, by)),
  };
}
