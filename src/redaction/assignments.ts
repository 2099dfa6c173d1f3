import { isPlaceholder } from "./placeholder.ts";

/**
 * `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`: something is given to a name that says it is a secret. Code is full
 * of such lines that hold no secret, so the value must look random, and where it has no quotes the line must
 * look like a setting, not like code.
 */
export function findAssignments(text: string): { start: number; end: number }[] {
  return Array.from(text.matchAll(ASSIGNMENT)).flatMap((match) => {
    const groups = match.groups ?? {};
    const span = match.indices?.groups?.quoted ?? match.indices?.groups?.bare;
    const value = groups.quoted ?? groups.bare ?? "";
    const tight = groups.sign === "=";
    const isSecret = groups.quoted ? looksRandom(value) : looksLikeSetting(value, tight);
    return span && isSecret ? [{ start: span[0], end: span[1] }] : [];
  });
}

const ASSIGNMENT =
  /(?:pass(?:word|wd|phrase)|pwd|secret|token|(?:api|access|private|secret|signing|encryption|auth)[_-]?key|credentials?)["']?(?<sign>\s{0,2}(?:=>|[:=])\s{0,2})(?:"(?<quoted>[^"\s]{8,512})"|'(?<quoted>[^'\s]{8,512})'|(?<bare>[^\s"'`,;<>(){}[\]|&]{8,512})(?=[\s"'&]|$))/dgi;

/** A word and a number together, or nothing that reads like words: `hunter22`, not `color-blue-500`. */
function looksRandom(value: string): boolean {
  if (isPlaceholder(value) || !/\d/.test(value) || !/[a-z]/i.test(value)) return false;
  if (/[(){}<>\s]|^\$|^%/.test(value)) return false;
  return value.split(/[-_./:@]+/).some((part) => part.length >= 6 && isMixed(part));
}

/** Letters and digits that take turns: not `v2` or `sha256`, where digits only end a word. */
function isMixed(part: string): boolean {
  const turns = part.match(/[a-z]+|\d+|[^a-z\d]+/gi)?.length ?? 0;
  return turns >= 3 || (turns === 2 && /^[a-z]+\d{2,}$|^\d+[a-z]+$/i.test(part));
}

function looksLikeSetting(value: string, tight: boolean): boolean {
  if (!looksRandom(value)) return false;
  const isIdentifier = /^[A-Za-z_$][\w$]*(?:\??\.[\w$]+)*$/.test(value);
  return (
    tight ||
    !isIdentifier ||
    (value.length >= 20 && value.split(/(?<=\d)(?=\D)|(?<=\D)(?=\d)/).length >= 6)
  );
}
