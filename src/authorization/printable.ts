/**
 * Shows any text in printable ASCII and line feeds, so that nothing can hide in it, reorder it or call people.
 * Two different texts never look the same: a backslash that could be mistaken for one of ours is written out too.
 */
export function printable(text: string): string {
  return text.replace(HARMFUL, (found) =>
    Array.from(found, (character) => codePoint(character)).join(""),
  );
}

/** What `printable` was given. @internal */
export function unprintable(shown: string): string {
  return shown.replace(/\\u\{([0-9a-f]+)\}/g, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}

/** Case is spelled out: under the flags i and u, U+212A and U+017F count as k and s, and would pass as ASCII. */
const HARMFUL = new RegExp(
  [
    String.raw`\\(?=u\{)`,
    String.raw`[^\n\x20-\x7e]`,
    // A run of these would end the code block that a card shows it in.
    "`{3,}",
    // Chat markup: mentions, channels, links with another text, emoji.
    "<(?=[!@#:]|[A-Za-z][A-Za-z0-9+.-]*:)",
    `@(?=${["everyone", "here", "channel"].map(anyCase).join("|")})`,
  ].join("|"),
  "gu",
);

function anyCase(word: string): string {
  return Array.from(word, (letter) => `[${letter}${letter.toUpperCase()}]`).join("");
}

function codePoint(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** The same for what must stay on one line. */
export function printableLine(text: string): string {
  return printable(text).replaceAll("\n", "\\u{a}");
}
