import type { AskedMessage } from "../../journal/conversation-lines.ts";

/** A use of an operation that somebody has typed. */
export type DirectCall = NonNullable<AskedMessage["call"]>;
type Json = DirectCall["arguments"][string];

/** A command that cannot be read. The message is for whoever typed it. */
export class MalformedCommandError extends Error {
  override readonly name = "MalformedCommandError";
}

/** The type that an operation's schema names for a parameter. Undefined: it names none. */
export type TypeOf = (parameter: string) => string | undefined;

/** More than anybody types, and less than any reader of JSON could stumble over. */
const DEEPEST = 50;

/**
 * `key=value key="quoted value" key=@"two\nlines" list=[1, 2]`, or one JSON object. What is quoted is text; what is not
 * becomes what the parameter's type says. Throws MalformedCommandError.
 */
export function readArguments(given: string, typeOf: TypeOf): Record<string, Json> {
  const source = unfenced(given.trim());
  if (source === "") return {};
  if (source.startsWith("{")) return readObject(source);
  const found = new Map<string, Json>();
  for (let at = 0; at < source.length; ) {
    const { key, valueAt } = keyAt(source, at);
    if (found.has(key)) throw new MalformedCommandError(`${key} is given twice.`);
    const { value, end } = readValue(source, valueAt, key, typeOf(key));
    if (end < source.length && !/\s/.test(source[end] ?? "")) {
      throw new MalformedCommandError(`Add a space after the value of ${key}.`);
    }
    found.set(key, value);
    at = skipSpace(source, end);
  }
  return Object.fromEntries(found);
}

/** The command that is read as exactly these arguments. */
export function writeArguments(args: Readonly<Record<string, Json>>): string {
  return Object.entries(args)
    .map(([key, value]) => `${key}=${written(value)}`)
    .join(" ");
}

function written(value: Json): string {
  if (typeof value !== "string") return JSON.stringify(value);
  const isPlain = /^[A-Za-z_./][\w./:-]*$/.test(value) && !LITERALS.has(value);
  return isPlain ? value : `@${JSON.stringify(value)}`;
}

/** What stands in a block of code, without the block. */
export function unfenced(text: string): string {
  const block = /^```[^\n`]*\n([\s\S]*?)\n?```$/.exec(text) ?? /^```([^\n]*)```$/.exec(text);
  return block?.[1]?.trim() ?? text;
}

interface Read {
  readonly value: Json;
  readonly end: number;
}

function keyAt(source: string, at: number): { readonly key: string; readonly valueAt: number } {
  const pattern = /([A-Za-z_][\w-]*)=/y;
  pattern.lastIndex = at;
  const key = pattern.exec(source)?.[1];
  if (key !== undefined) return { key, valueAt: pattern.lastIndex };
  const word = /\S{0,40}/.exec(source.slice(at))?.[0];
  throw new MalformedCommandError(`"${word}" is not in the form key=value.`);
}

function readValue(source: string, at: number, key: string, type: string | undefined): Read {
  const first = source[at] ?? "";
  if (first === "@" && isQuote(source[at + 1])) return readEscaped(source, at + 1, key);
  if (isQuote(first)) return readQuoted(source, at, key);
  if (first === "[" || first === "{") return readJson(source, at, key);
  const bare = /^\S*/.exec(source.slice(at))?.[0] ?? "";
  return { value: bareValue(bare, type), end: at + bare.length };
}

/** Keyboards of phones and chats make curly quotes out of straight ones. */
const isQuote = (character: string | undefined) =>
  character !== undefined && '"“”'.includes(character);

/** Backslashes are themselves, except before a quote or another one. */
function readQuoted(source: string, at: number, key: string): Read {
  const end = endOfQuoted(source, at, key);
  const value = source.slice(at + 1, end).replace(/\\(["“”\\])/g, "$1");
  return { value, end: end + 1 };
}

/** With the escapes of JSON. Line feeds may also stand there as they are. */
function readEscaped(source: string, at: number, key: string): Read {
  const end = endOfQuoted(source, at, key);
  const body = source
    .slice(at + 1, end)
    .replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
  const value = parsed(`"${body}"`, key);
  return { value, end: end + 1 };
}

function endOfQuoted(source: string, at: number, key: string): number {
  const closes = source[at] === '"' ? '"' : "”“";
  for (let index = at + 1; index < source.length; index += 1) {
    if (source[index] === "\\") index += 1;
    else if (closes.includes(source[index] ?? "")) return index;
  }
  throw new MalformedCommandError(`The quote in ${key} is not closed.`);
}

function readJson(source: string, at: number, key: string): Read {
  const end = endOfJson(source, at, key);
  const text = source.slice(at, end);
  const words = /^\[([^[\]{}"]*)\]$/.exec(text)?.[1];
  return { value: words === undefined ? parsed(text, key) : listOf(words), end };
}

/** A list without quotes: `[a.txt, b.txt]`. */
function listOf(words: string): Json[] {
  if (words.trim() === "") return [];
  return words.split(",").map((word) => bareValue(word.trim(), undefined));
}

/** Brackets within text are text. */
const JSON_TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|[[\]{}]/g;

function endOfJson(source: string, at: number, key: string): number {
  let depth = 0;
  for (const { 0: token, index } of source.slice(at).matchAll(JSON_TOKEN)) {
    if (token === "[" || token === "{") depth += 1;
    if (token === "]" || token === "}") depth -= 1;
    if (depth > DEEPEST) throw new MalformedCommandError(`${key} is nested too deeply.`);
    if (depth === 0) return at + index + 1;
  }
  throw new MalformedCommandError(`A bracket in ${key} is not closed.`);
}

function readObject(source: string): Record<string, Json> {
  if (endOfJson(source, 0, "The JSON") !== source.length) {
    throw new MalformedCommandError("There is text after the JSON.");
  }
  return parsed(source, "The JSON") as Record<string, Json>;
}

function parsed(text: string, key: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new MalformedCommandError(`${key} cannot be read: ${why}.`, { cause });
  }
}

const LITERALS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/** Text stays text, whatever it looks like. */
function bareValue(bare: string, type: string | undefined): Json {
  if (type === "string") return bare;
  const literal = LITERALS.get(bare);
  if (literal !== undefined) return literal;
  // Only what is written as numbers are: 007, 1.0 and ids too long for a number stay as they are.
  const isNumber = /^-?\d/.test(bare) && String(Number(bare)) === bare;
  return isNumber ? Number(bare) : bare;
}

function skipSpace(source: string, at: number): number {
  const space = /\s*/y;
  space.lastIndex = at;
  space.exec(source);
  return space.lastIndex;
}
