import { nameFrom } from "../file-names.ts";

/** Anchored at one space, so that a name of nothing but spaces costs no more than any other. */
const TIMESTAMP = / \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,9})?( [+-]\d{4})?$/;

/** The name in a `---` or `+++` line, without its timestamp; null stands for "no such file". */
export function headerName(rest: string): string | null {
  if (rest.startsWith('"')) return unquoted(rest);
  const [name = "", stamp = ""] = rest.split("\t", 2);
  // diff -N writes the beginning of time for a file that is not there.
  if (name === "/dev/null" || /^(1970-01-01|1969-12-31) /.test(stamp)) return null;
  return name.replace(TIMESTAMP, "").trimEnd();
}

/** The two names of `diff --git`, where both are the same but for their prefixes; otherwise other lines tell them. */
export function gitNames(rest: string): [string, string] | undefined {
  if (rest.startsWith('"')) {
    const end = closingQuote(rest);
    return [unquoted(rest.slice(0, end + 1)), anyName(rest.slice(end + 2))];
  }
  const middle = (rest.length - 1) / 2;
  if (rest[middle] === " ") return [rest.slice(0, middle), rest.slice(middle + 1)];
  const quote = rest.indexOf(' "');
  return quote < 0 ? undefined : [rest.slice(0, quote), anyName(rest.slice(quote + 1))];
}

const PREFIXES = ["a/b", "i/w", "c/i", "c/w", "o/w", "1/2", "b/a", "w/i"];

/** Takes `a/` and `b/` away, but only as a pair: a directory may really be called a. */
export function withoutPrefixes(
  oldName: string | null,
  newName: string | null,
): [string | null, string | null] {
  const pair = PREFIXES.some(
    (prefix) =>
      (oldName === null || oldName.startsWith(`${prefix[0]}/`)) &&
      (newName === null || newName.startsWith(`${prefix[2]}/`)),
  );
  return pair ? [oldName?.slice(2) ?? null, newName?.slice(2) ?? null] : [oldName, newName];
}

function anyName(text: string): string {
  return text.startsWith('"') ? unquoted(text) : text;
}

function closingQuote(text: string): number {
  for (let index = 1; index < text.length; index++) {
    if (text[index] === "\\") index += 1;
    else if (text[index] === '"') return index;
  }
  return text.length - 1;
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
};

/** Undoes git's quoting: C escapes, with bytes beyond ASCII in octal. */
function unquoted(text: string): string {
  const inner = text.slice(1, closingQuote(text));
  const bytes: Buffer[] = [];
  const pattern = /\\([0-7]{3}|.)|[^\\]+/gsu;
  for (const [whole, escaped] of inner.matchAll(pattern)) {
    if (escaped === undefined) bytes.push(Buffer.from(whole));
    else if (escaped.length === 3) bytes.push(Buffer.of(Number.parseInt(escaped, 8) & 0xff));
    else bytes.push(Buffer.from(ESCAPES[escaped] ?? escaped));
  }
  return nameFrom(Buffer.concat(bytes));
}
