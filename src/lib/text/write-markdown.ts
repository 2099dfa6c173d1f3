import { readMarkdown } from "./markdown.ts";
import { visible } from "./neutral.ts";

/** Text that means nothing but itself: back quotes are escaped, adapters escape the rest in their platform's own way. */
export function plain(text: string): string {
  return visible(text).replace(/(?<!\\)(\\*)`/g, "$1$1\\`");
}

/** The same on one line. */
export function plainLine(text: string): string {
  return plain(text).replace(/\s+/g, " ").trim();
}

/** What `plain` was given. */
export function literal(text: string): string {
  return text.replace(
    /(?<!\\)(\\+)`/g,
    (_, slashes: string) => `${"\\".repeat(slashes.length >> 1)}\``,
  );
}

/** Markdown of others, after which no code is left open. */
export function closedMarkdown(markdown: string): string {
  return readMarkdown(markdown)
    .map((piece) => {
      if (piece.kind === "span") return codeSpan(piece.code);
      return piece.kind === "fence" ? codeBlock(piece.code, piece.language) : quoted(piece.text);
    })
    .map((text, index, all) => (isBlock(text) || isBlock(all[index - 1]) ? `\n${text}` : text))
    .join("")
    .replace(/^\n/, "");
}

/** Back quotes that belong to no code are escaped, so that they begin none where other text follows. */
export function quoted(words: string): string {
  return words.replace(/(?<!\\)(\\*)`/g, (all, slashes: string) =>
    slashes.length % 2 === 1 ? all : `${slashes}\\\``,
  );
}

function isBlock(text: string | undefined): boolean {
  return text !== undefined && /^`{3,}[\w+#.-]*\n/.test(text);
}

/** Code within a line. */
export function codeSpan(code: string): string {
  const line = visible(code).replace(/\s*\n\s*/g, " ");
  if (line.trim() === "") return plain(line);
  const quotes = "`".repeat(freeRun(line, 1));
  const blank = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${quotes}${blank}${line}${blank}${quotes}`;
}

/** Code between fences that are longer than any in it. */
export function codeBlock(code: string, language = ""): string {
  const shown = visible(code).replace(/\n$/, "");
  const fence = "`".repeat(Math.max(3, longestRun(shown) + 1));
  return `${fence}${language}\n${shown}\n${fence}`;
}

/** The least number of back quotes that do not stand together in the text. */
function freeRun(text: string, least: number): number {
  const lengths = new Set((text.match(/`+/g) ?? []).map((run) => run.length));
  let free = least;
  while (lengths.has(free)) free += 1;
  return free;
}

function longestRun(text: string): number {
  const runs = (text.match(/`{3,}/g) ?? []).map((run) => run.length);
  return runs.reduce((longest, length) => Math.max(longest, length), 2);
}
