import { escapeTokens } from "./template-tokens.ts";

/** The elements of a request that only we may speak in. */
const OUTER = ["system-reminder", "chat-message", "quoted-message", "tool-output"] as const;

/** Those that stand within our own words alone. Code that people write is full of such names. */
const INNER = [
  "todoList",
  "miniPromptReminder",
  "recentlyStoredMemories",
  "mini-prompts",
  "channel-notes",
] as const;

export type OwnElement = (typeof OUTER | typeof INNER)[number];

const OUTSIDE = OUTER.map((name) => name.toLowerCase());
const WITHIN = [...OUTER, ...INNER].map((name) => name.toLowerCase());

export function element(name: OwnElement, text: string, attributes = ""): string {
  return `<${name}${attributes}>\n${text}\n</${name}>`;
}

/**
 * Other people's text as it may stand in a request: what could be taken for one of our elements or for a chat-template
 * token is escaped, everything else stays as it is. `isWithin`: it stands in words of ours, where our inner elements count as well.
 */
export function foreign(text: string, { isWithin = false } = {}): string {
  const names = isWithin ? WITHIN : OUTSIDE;
  let result = "";
  let from = 0;
  const given = escapeTokens(text.toWellFormed());
  const readings = TAGS.test(given) ? [false, true] : [false];
  for (const { 0: opener, index } of given.matchAll(OPENER)) {
    const start = index + opener.length;
    if (!readings.some((readsTags) => beginsWithName(given, { start, readsTags }, names))) continue;
    const isEntity = opener.startsWith("&");
    result += given.slice(from, index) + (isEntity ? "&amp;" : "&lt;");
    from = isEntity ? index + 1 : start;
  }
  return result + given.slice(from);
}

/** The beginning of a text on one line, where each line is one thing. */
export function oneLine(text: string, mostChars: number): string {
  const line = text
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
  const characters = Array.from(line.slice(0, 2 * mostChars + 2));
  return characters.length > mostChars ? `${characters.slice(0, mostChars).join("")}…` : line;
}

/** Takes the signs that a tag could begin with out of a text that stands within one of ours. */
export function withoutOpenings(text: string): string {
  return text.replace(OPENINGS, "&lt;");
}

/** What a reader takes for the beginning of a tag: also when it is wide, small, invisible or another bracket. */
const OPENING = "<＜﹤‹〈\u3008⟨❬❮❰⧼˂ᐸ\u{e003c}";
const OPENINGS = new RegExp(`[${OPENING}]`, "gu");
/** Escaped once already counts as well: otherwise nobody could tell it from what we have escaped. */
const OPENER = new RegExp(
  `[${OPENING}]|&(?:amp;)*(?:lt|#0*(?:60|65308|65124)|#x0*(?:3c|ff1c|fe64))\\b;?`,
  "giu",
);
/** A second, invisible alphabet. People see none of it and some models read it, so it may be letters or nothing. */
const TAGS = /[\u{e0020}-\u{e007e}]/u;
const TAGS_BEGIN = 0xe0000;
const ENTITY = /&(?:#x0*([0-9a-f]{1,6})|#0*([0-9]{1,7})|[a-z][a-z0-9]{0,30});?/iy;
/** Nobody sees them, and they do not keep anybody from reading the name. */
const UNSEEN = /[\s\p{Cc}\p{Cf}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]/u;
const DASH = /[\p{Pd}_\u2212\u00b7]/u;

/** Stops at the first sign that fits none of the names, so that hostile text takes no longer to read than other text. */
function beginsWithName(text: string, place: Place, names: readonly string[]): boolean {
  let read = "";
  for (const sign of signsFrom(text, place)) {
    if (read === "" && (sign === "/" || sign === "\\")) continue;
    if (sign === "-" && read.endsWith("-")) continue;
    read += sign;
    if (names.includes(read)) return true;
    if (!names.some((name) => name.startsWith(read))) return false;
  }
  return false;
}

interface Place {
  readonly start: number;
  readonly readsTags: boolean;
}

function* signsFrom(text: string, { start, readsTags }: Place): Generator<string> {
  for (let at = start; at < text.length; ) {
    const { sign, end } = signAt(text, at);
    yield* signsOf(readsTags ? untagged(sign) : sign);
    at = end;
  }
}

function untagged(sign: string): string {
  return TAGS.test(sign) ? String.fromCodePoint((sign.codePointAt(0) ?? 0) - TAGS_BEGIN) : sign;
}

function signAt(text: string, at: number): { readonly sign: string; readonly end: number } {
  ENTITY.lastIndex = at;
  const [entity, hex, decimal] = ENTITY.exec(text) ?? [];
  if (entity === undefined) {
    const sign = String.fromCodePoint(text.codePointAt(at) ?? 0);
    return { sign, end: at + sign.length };
  }
  const code = Number.parseInt(hex ?? decimal ?? "", hex === undefined ? 10 : 16);
  // The others have names of their own, none of which is a letter.
  const sign = code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
  return { sign, end: at + entity.length };
}

/** What a reader takes a sign for: without case, width and the alphabet that it was borrowed from. */
function signsOf(sign: string): string[] {
  const folded = sign.normalize("NFKD").toLowerCase();
  return Array.from(folded).flatMap((one) => {
    if (DASH.test(one)) return ["-"];
    return UNSEEN.test(one) ? [] : [LOOKALIKES.get(one) ?? one];
  });
}

/** Where alphabets begin whose letters stand in circles, in squares or for flags: case folding passes them over. */
const ENCLOSED = [0x1f150, 0x1f170, 0x1f1e6];

/** Letters of other alphabets that look like those of our names. */
const LOOKALIKES = new Map([
  ...Object.entries({
    a: "аαᴀ",
    c: "сϲᴄ",
    d: "ԁᴅ",
    e: "еεҽᴇ",
    g: "ɡցɢ",
    h: "һհʜ",
    i: "іιıɩɪ",
    l: "ӏⅼʟ",
    m: "мⅿᴍ",
    n: "пոηɴ",
    o: "оοօᴏ",
    p: "рρᴘ",
    q: "ԛ",
    r: "гᴦꭇʀ",
    s: "ѕꜱ",
    t: "тτᴛ",
    u: "υսᴜ",
    y: "уүγʏ",
  }).flatMap(([letter, others]) => Array.from(others, (other) => [other, letter] as const)),
  ...ENCLOSED.flatMap((first) =>
    Array.from(
      "abcdefghijklmnopqrstuvwxyz",
      (letter, index) => [String.fromCodePoint(first + index), letter] as const,
    ),
  ),
]);
