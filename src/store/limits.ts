import { StoreError } from "../contract/store.ts";

const MAX_TEXT_CHARS = 16 * 1024 * 1024;
const MAX_NAME_CHARS = 4_096;
const MAX_DEPTH = 500;

/**
 * A value as JSON text that will be read back as the same value. What JSON would quietly change or drop is refused:
 * a fact that comes back different is worse than one that was never written.
 */
export function toText(what: string, value: unknown): string {
  checkJson({ what, ancestors: new Set(), charsLeft: MAX_TEXT_CHARS }, value, "");
  const text = JSON.stringify(value);
  if (text.length > MAX_TEXT_CHARS) throw tooLarge(what);
  return text;
}

interface Walk {
  readonly what: string;
  /** Arrays and objects around the current one, so that a circle is found. */
  readonly ancestors: Set<object>;
  /** Bounds the walk too: what is shared a thousand times is written a thousand times. */
  charsLeft: number;
}

function checkJson(walk: Walk, value: unknown, path: string): void {
  walk.charsLeft -= typeof value === "string" ? value.length + 2 : 1;
  if (walk.charsLeft < 0) throw tooLarge(walk.what);
  if (value === null || typeof value === "boolean" || typeof value === "string") return;
  if (typeof value === "number" && Number.isFinite(value)) return;
  if (typeof value !== "object") throw refused(walk.what, path, nameOf(value));
  checkMembers(walk, value, path);
}

function checkMembers(walk: Walk, value: object, path: string): void {
  if (walk.ancestors.has(value)) throw refused(walk.what, path, "a circle");
  if (walk.ancestors.size >= MAX_DEPTH) {
    throw refused(walk.what, "", `nested deeper than ${MAX_DEPTH} levels`);
  }
  walk.ancestors.add(value);
  if (Array.isArray(value)) {
    // Not forEach: that skips holes, which JSON turns into null.
    for (let index = 0; index < value.length; index += 1) {
      checkJson(walk, value[index], `${path}[${index}]`);
    }
  } else {
    checkObject(walk, value, path);
  }
  walk.ancestors.delete(value);
}

function checkObject(walk: Walk, value: object, path: string): void {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw refused(walk.what, path, `a ${value.constructor.name}`);
  }
  if (Object.hasOwn(value, "toJSON")) throw refused(walk.what, path, "an object with toJSON");
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key === "symbol") throw refused(walk.what, path, "an object with a symbol");
    walk.charsLeft -= key.length + 3;
    checkJson(walk, Reflect.get(value, key), `${path}.${key}`);
  }
}

function nameOf(value: unknown): string {
  return typeof value === "number" || value === undefined ? String(value) : `a ${typeof value}`;
}

function refused(what: string, path: string, found: string): StoreError {
  const where = path === "" ? what : `${what} (at ${path.slice(0, 200)})`;
  return new StoreError(`${where} is ${found}, which JSON cannot represent. Nothing was written.`);
}

function tooLarge(what: string): StoreError {
  return new StoreError(
    `${what} is larger than 16 MB as JSON, so nothing was written. Store large content in a file and refer to it.`,
  );
}

/** Names of conversations, claims, keys and workers: text that both databases keep and order alike. */
export function checkName(what: string, name: string): string {
  if (typeof name !== "string" || name === "" || name.length > MAX_NAME_CHARS) {
    throw new StoreError(`${what} must be a text of 1 to ${MAX_NAME_CHARS} characters.`);
  }
  // The last code point marks the end of a range of keys. Lone surrogates have no UTF-8.
  if (!name.isWellFormed() || name.includes("\0") || name.includes("\u{10FFFF}")) {
    throw new StoreError(`${what} contains characters that cannot be stored.`);
  }
  return name;
}

/** The namespace ends at the first colon of a key. */
export function checkNamespace(namespace: string): string {
  if (/^[a-z][a-z0-9._-]{0,63}$/i.test(namespace)) return namespace;
  throw new StoreError(
    `"${namespace.slice(0, 80)}" cannot be a namespace: use letters, digits, ".", "_" and "-".`,
  );
}

export function checkCount(what: string, count: number, least: number): number {
  if (Number.isSafeInteger(count) && count >= least) return count;
  throw new StoreError(`${what} must be a whole number of at least ${least}, not ${count}.`);
}

/** A number of ms in whole ms, never more than was asked for. */
export function checkDuration(what: string, ms: number): number {
  return checkCount(what, Math.floor(ms), 1);
}

export function checkTime(what: string, iso: string): number {
  const time = Date.parse(iso);
  if (Number.isSafeInteger(time) && time >= 0) return time;
  throw new StoreError(`${what} must be a time like 2030-01-31T12:00:00.000Z.`);
}
