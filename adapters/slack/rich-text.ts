/** A block of Slack's, as its API takes it. */
export type Block = Readonly<Record<string, unknown>> & { readonly type: string };

const FENCE = /```([a-z]*)\n([\s\S]*?)\n```/;
const CODE = /`([^`\n]+)`/;

const MOST_PIECES = 500;

/**
 * Text with fences and code in it, as Slack's rich text. Nothing else in it means anything there: nobody can be called
 * and nothing linked by it, whatever its words are.
 */
export function richText(text: string): Block {
  const parts = text.split(FENCE);
  const elements: Block[] = [];
  // Three pieces for each fence: what stands before it, its language, and what it holds.
  for (let at = 0; at < parts.length; at += 3) {
    elements.push(...section(parts[at] ?? ""));
    const code = parts[at + 2];
    if (code !== undefined) elements.push(preformatted(code));
  }
  return { type: "rich_text", elements: elements.length > 0 ? elements : section("…") };
}

export function preformatted(code: string): Block {
  return { type: "rich_text_preformatted", elements: [{ type: "text", text: code || " " }] };
}

function section(text: string): Block[] {
  const trimmed = text.replace(/^\n|\n$/g, "");
  if (trimmed === "") return [];
  const pieces = trimmed
    .split(CODE)
    .map((piece, index) =>
      index % 2 === 1
        ? { type: "text", text: piece, style: { code: true } }
        : { type: "text", text: piece },
    )
    .filter((piece) => piece.text !== "");
  return Array.from({ length: Math.ceil(pieces.length / MOST_PIECES) }, (_, index) => ({
    type: "rich_text_section",
    elements: pieces.slice(index * MOST_PIECES, (index + 1) * MOST_PIECES),
  }));
}
