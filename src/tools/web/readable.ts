/** Elements whose contents nobody reads; the title has been told before. */
const UNREAD = new Set(["script", "style", "noscript", "template", "svg", "iframe", "title"]);
/** Elements that stand on lines of their own. */
const BLOCKS = new Set(
  (
    "address article aside blockquote br dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr " +
    "li main nav ol p pre section table td th tr ul"
  ).split(" "),
);
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  copy: "©",
};

/**
 * What a person would read of an HTML page, roughly. Goes through the page once: a page that was made to be slow is not
 * slower than any other.
 */
export function readableText(html: string): string {
  const pieces: string[] = [titleOf(html)];
  let position = 0;
  while (position < html.length) {
    const open = html.indexOf("<", position);
    pieces.push(html.slice(position, open < 0 ? html.length : open));
    if (open < 0) break;
    const { end, text } = markupAt(html, open);
    pieces.push(text);
    position = end;
  }
  return tidy(decodeEntities(pieces.join("")));
}

/** Where the markup that begins here ends, and what stands in its place. */
function markupAt(html: string, open: number): { end: number; text: string } {
  if (html.startsWith("<!--", open)) return { end: after(html, "-->", open), text: "" };
  const name = /^\/?([a-z][a-z0-9]*)/i.exec(html.slice(open + 1, open + 32));
  if (!name?.[1]) {
    const isMarkup = /[!?/]/.test(html[open + 1] ?? "");
    return isMarkup ? { end: after(html, ">", open), text: "" } : { end: open + 1, text: "<" };
  }
  const element = name[1].toLowerCase();
  const end = after(html, ">", open);
  const isClosing = html[open + 1] === "/";
  if (UNREAD.has(element) && !isClosing)
    return { end: afterElement(html, element, end), text: "\n" };
  if (element === "li" && !isClosing) return { end, text: "\n- " };
  return { end, text: BLOCKS.has(element) ? "\n" : "" };
}

function after(html: string, sign: string, from: number): number {
  const found = html.indexOf(sign, from);
  return found < 0 ? html.length : found + sign.length;
}

/** Without an end it goes to the end of the page, as browsers have it: so no text is looked through twice. */
function afterElement(html: string, element: string, from: number): number {
  const closing = new RegExp(`</${element}\\b`, "gi");
  closing.lastIndex = from;
  const found = closing.exec(html);
  return found ? after(html, ">", found.index) : html.length;
}

function titleOf(html: string): string {
  const title = /<title[^>]{0,200}>([^<]{0,500})/i.exec(html.slice(0, 100_000));
  return title?.[1] ? `${title[1].trim()}\n\n` : "";
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (whole, ...groups) => {
    const [decimal, hexadecimal, name] = groups as (string | undefined)[];
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : "";
  });
}

function tidy(text: string): string {
  const lines = text.split("\n").map((line) => line.replace(/\s+/g, " ").trim());
  const kept = lines.filter((line, index) => line !== "" || lines[index - 1] !== "");
  return kept.join("\n").trim();
}
