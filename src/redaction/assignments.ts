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
    const tight = groups.sign === "=" && groups.before === "" && groups.after === "";
    const isSecret = groups.quoted ? looksRandom(value) : looksLikeSetting(value, tight);
    return span && isSecret ? [{ start: span[0], end: span[1] }] : [];
  });
}

/** Whether what a setting of this name holds is to be masked. */
export function isSecretSetting(name: string, value: string): boolean {
  return SECRET_NAME.test(name) && VALUE.test(value) && looksRandom(value);
}

const NAME =
  "(?:pass(?:word|wd|phrase)|pwd|secret|token|(?:api|access|private|secret|signing|encryption|auth)[_-]?key|credentials?)";
export const ASSIGNMENT_SIGNS = ["ssw", "ssp", "pwd", "ecr", "tok", "key", "ede"];
const SECRET_NAME = new RegExp(`${NAME}$`, "i");
const VALUE = /^[^"\s]{8,512}$/;

/**
 * Begins at the sign and looks back for the name, since there are fewer signs than letters. A value begins on the line of
 * its name: on the next one it could be a command, which nobody must be kept from seeing.
 */
const ASSIGNMENT = new RegExp(
  [
    String.raw`(?<sign>=>|[:=])(?<=${NAME}["']?(?<before>[ \t]{0,2})(?:=>|[:=]))(?<after>[ \t]{0,2})`,
    String.raw`(?:"(?<quoted>[^"\s]{8,512})"|'(?<quoted>[^'\s]{8,512})'`,
    String.raw`|(?<bare>[^\s"'\x60,;<>(){}[\]|&]{8,512})(?=[\s"'&]|$))`,
  ].join(""),
  "dgi",
);

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
