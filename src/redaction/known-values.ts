import { encodingsOf } from "./encodings.ts";
import type { Finding } from "./finding.ts";
import { fingerprintsOf, PRINT_CODES } from "./fingerprints.ts";
import type { Prints } from "./glance.ts";
import { lazily } from "./lazily.ts";
import { createViewer, type View, type Viewer, type ViewName, type Views } from "./views.ts";

/** Shorter values are not looked for: they would stand in ordinary words and mask those. */
export const SHORTEST_SECRET = PRINT_CODES;

interface Beginning {
  readonly at: number;
  /** How many characters of it are there, in its encoding. */
  readonly length: number;
}

/** Looks for values that are known, in whatever encoding they are written. */
export interface KnownValues {
  find(views: Views): Finding[];
  /** Where at the end of the text something begins that may become a known value, at least `least` long already. */
  beginning(views: Views, least: number): Beginning | undefined;
  /** The length of the longest pattern. */
  readonly longest: number;
  /** Where none of them is in a text, there is nothing to find. */
  readonly prints: Prints;
}

const VIEW_NAMES: readonly ViewName[] = ["raw", "visible", "unescaped", "base64", "hex"];

export type Secret = readonly [label: string, value: string];

export function createKnownValues(secrets: readonly Secret[]): KnownValues {
  const viewer = createViewer();
  const searches = VIEW_NAMES.map((name) => {
    const patterns = secrets.flatMap((secret) => patternsOf(secret, name, viewer));
    return { name, patterns, ...createSearch(patterns) };
  });
  const prints = Object.fromEntries(
    searches.map(({ name, patterns }) => [
      name,
      fingerprintsOf(patterns.map(({ codes }) => codes)),
    ]),
  );
  return {
    prints: prints as Prints,
    find: (views) => searches.flatMap(({ name, find }) => find(views[name])),
    beginning: (views, least) =>
      searches
        .map(({ name, beginning }) => beginning(views[name], least))
        .reduce((one, other) => (other && (!one || other.at < one.at) ? other : one), undefined),
    longest: Math.max(...searches.map(({ longest }) => longest)),
  };
}

interface Pattern {
  readonly codes: Uint16Array;
  readonly label: string;
}

/** A secret is found where its own view stands in the same view of a text. */
function patternsOf([label, value]: Secret, name: ViewName, viewer: Viewer): Pattern[] {
  const seen = (text: string, view: ViewName) => {
    const { codes, length } = viewer(text)[view] ?? viewer(text).visible;
    return codes.slice(0, length);
  };
  const unescaped = encodingsOf(value, "unescaped").map((one) => seen(one, "unescaped"));
  const isFoundUnescaped = (encoded: string) =>
    unescaped.some(
      (one) => one.length >= SHORTEST_SECRET && isEqual(one, seen(encoded, "unescaped")),
    );
  return encodingsOf(value, name)
    .filter((encoded) => name !== "visible" || !isFoundUnescaped(encoded))
    .map((encoded) => ({ label, codes: seen(encoded, name) }))
    .filter(({ codes }) => codes.length >= SHORTEST_SECRET);
}

function isEqual(one: Uint16Array, other: Uint16Array): boolean {
  return one.length === other.length && one.every((code, at) => code === other[at]);
}

interface Search {
  find(view: View | undefined): Finding[];
  beginning(view: View | undefined, least: number): Beginning | undefined;
  readonly longest: number;
}

const BASE = 0x01000193;
/** BASE to the power of the window's length, by which the code that leaves it has been multiplied. */
const LEAVING = Array.from({ length: SHORTEST_SECRET }).reduce<number>(
  (power) => Math.imul(power, BASE),
  1,
);

/**
 * Finds every place of every pattern in one pass, however many patterns there are: a hash of the last eight
 * codes moves over the text, and only where a pattern begins with that hash the two are compared.
 */
function createSearch(patterns: readonly Pattern[]): Search {
  const byHash = Map.groupBy(patterns, ({ codes }) => hashOf(codes, SHORTEST_SECRET));
  const maybe = new Uint8Array(0x10000);
  for (const hash of byHash.keys()) maybe[fold(hash)] = 1;
  const longest = Math.max(0, ...patterns.map(({ codes }) => codes.length));
  const beginnings = lazily(() => hashesOfBeginnings(patterns));

  function find(view: View | undefined): Finding[] {
    if (!view || patterns.length === 0) return [];
    const findings: Finding[] = [];
    const { codes, length } = view;
    let hash = hashOf(codes, SHORTEST_SECRET - 1);
    for (let start = 0; start + SHORTEST_SECRET <= length; start += 1) {
      const left = codes[start - 1] ?? 0;
      const entering = codes[start + SHORTEST_SECRET - 1] ?? 0;
      hash = (Math.imul(hash, BASE) + entering - Math.imul(left, LEAVING)) | 0;
      if (maybe[fold(hash)] !== 0) findings.push(...patternsAt(view, start, hash));
    }
    return findings;
  }

  function patternsAt(view: View, start: number, hash: number): Finding[] {
    const candidates = byHash.get(hash) ?? [];
    return candidates
      .filter(({ codes }) => standsAt(view, start, codes))
      .map(({ codes, label }) => findingAt(view, start, start + codes.length - 1, label));
  }

  return {
    longest,
    find,
    beginning: (view, least) => {
      const length = view ? longestBeginning(view, beginnings(), longest) : 0;
      if (!view || length < least) return undefined;
      return { at: view.span(view.length - length, view.length - 1)[0], length };
    },
  };
}

/** The longest end of the view with which a pattern begins. */
function longestBeginning(view: View, beginnings: ReadonlySet<number>, longest: number): number {
  let found = 0;
  let hash = 0;
  let power = 1;
  for (let length = 1; length <= Math.min(view.length, longest - 1); length += 1) {
    hash = (hash + Math.imul(view.codes[view.length - length] ?? 0, power)) | 0;
    power = Math.imul(power, BASE);
    if (beginnings.has(beginningKey(hash, length))) found = length;
  }
  return found;
}

function hashesOfBeginnings(patterns: readonly Pattern[]): ReadonlySet<number> {
  const keys = new Set<number>();
  for (const { codes } of patterns)
    for (let length = 1; length < codes.length; length += 1)
      keys.add(beginningKey(hashOf(codes, length), length));
  return keys;
}

/** Two beginnings that share a key by chance only make a stream wait a little longer. */
function beginningKey(hash: number, length: number): number {
  return Math.imul(hash, 31) ^ length;
}

function hashOf(codes: Uint16Array, length: number): number {
  let hash = 0;
  for (let at = 0; at < length; at += 1) hash = (Math.imul(hash, BASE) + (codes[at] ?? 0)) | 0;
  return hash;
}

function fold(hash: number): number {
  return (hash ^ (hash >>> 16)) & 0xffff;
}

function standsAt(view: View, start: number, codes: Uint16Array): boolean {
  if (start + codes.length > view.length) return false;
  for (let at = 0; at < codes.length; at += 1)
    if (view.codes[start + at] !== codes[at]) return false;
  return true;
}

function findingAt(view: View, first: number, last: number, label: string): Finding {
  const [start, end] = view.span(first, last);
  return { start, end, label, isKnown: true };
}
