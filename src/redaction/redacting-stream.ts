import type { RedactingStream } from "../contract/redactor.ts";
import type { Finder } from "./finder.ts";
import type { Finding } from "./finding.ts";
import { masked } from "./masks.ts";

/** Longer than any token that is known by its look, except for private keys, which have a rule of their own. */
const LEAST_CONTEXT = 4096;
/** A private key of the longest kind that people use. */
const LONGEST_BLOCK = 32_768;
/** Wrapping and colours make an encoded secret longer. */
const STRETCH = 4;
export const BEGINNING = "beginning of a secret";
/** Less of a known secret is shown when nothing follows: else prompts would wait that end like one begins. */
const TELLING = 4;
/** So much of a known secret at the very end is masked although the rest never came. */
const WORTH_MASKING = 8;

const INCOMPLETE_ESCAPE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with one
  /(?:\x1b(?:\[[0-?]*|\][^\x07\x1b\n]{0,300}\x1b?)?|\\(?:u\{?[0-9a-f]{0,5}|x[0-9a-f]?|[0-3][0-7]?)?|%[0-9a-f]?|&#?\w{0,6}|0)?$/i;

/**
 * Text waits as long as it may be the beginning of a secret: always the last word, and more where a known value
 * has begun. What was shown stays in view for a while, so that a secret whose first characters were shown is
 * found all the same, and its rest is masked.
 */
export function createRedactingStream(
  finder: Finder,
  { after = "" }: { readonly after?: string } = {},
): RedactingStream {
  const context = Math.max(LEAST_CONTEXT, finder.longest * STRETCH);
  let window: Window = { shown: after.slice(-context), waiting: "", withinMask: false };

  /** Shows up to `count` characters of what waits, without a known secret that has begun `least` characters ago. */
  function showSafely(count: number, least: number): string {
    const text = window.shown + window.waiting;
    const begun = beginningIn(text, least);
    const wanted = Math.min(window.shown.length + Math.max(count, 0), begun);
    const cut = Math.max(wanted, text.length - context, window.shown.length);
    return cut > window.shown.length ? showUpTo(wholeFinding(cut, text), text) : "";
  }

  /** Where a known secret may have begun, also when the last of it is half of an escape. */
  function beginningIn(text: string, least: number): number {
    const from = Math.max(0, text.length - context);
    const end = text.slice(from);
    const complete = end.slice(0, end.search(INCOMPLETE_ESCAPE));
    const places = [end, complete].map((part) => finder.beginning(part, least)?.at);
    return from + Math.min(...places.map((place) => place ?? end.length));
  }

  /** A finding that is there as a whole is shown as a whole; one that reaches the end may still grow. */
  function wholeFinding(cut: number, text: string): { cut: number; findings: Finding[] } {
    const findings = finder.findAll(text);
    const across = findings.find(({ start, end }) => start < cut && end > cut && end < text.length);
    return { cut: across?.end ?? cut, findings };
  }

  function showUpTo(to: { cut: number; findings: readonly Finding[] }, text: string): string {
    const { cut } = to;
    const from = window.shown.length;
    const relevant = to.findings.filter(({ start, end }) => end > from && start < cut);
    const last = relevant.at(-1);
    const open = last && last.end >= cut ? last : undefined;
    const output = masked(text.slice(from, cut), clip(relevant, from, cut));
    const goesOn = window.withinMask && (relevant[0]?.start ?? from) < from;
    window = {
      shown: text.slice(keepFrom(cut, open), cut),
      waiting: text.slice(cut),
      withinMask: open !== undefined,
    };
    return goesOn ? output.slice(output.indexOf("]") + 1) : output;
  }

  /** A mask that goes on keeps its beginning in view: without it the rest would not be known for what it is. */
  function keepFrom(cut: number, open: Finding | undefined): number {
    const usual = Math.max(0, cut - context);
    return open ? Math.max(Math.min(usual, open.start), cut - LONGEST_BLOCK) : usual;
  }

  return {
    get waiting() {
      return window.waiting.length;
    },
    write(chunk) {
      window = { ...window, waiting: window.waiting + chunk };
      return showSafely(lastWord(window.waiting), 1);
    },
    flush: () => showSafely(window.waiting.length, TELLING),
    end() {
      const text = window.shown + window.waiting;
      const begun = finder.beginning(text, WORTH_MASKING);
      const findings = finder.findAll(text);
      if (begun && !findings.some(({ end }) => end > begun.at))
        findings.push({ start: begun.at, end: text.length, label: BEGINNING });
      return showUpTo({ cut: text.length, findings }, text);
    },
  };
}

interface Window {
  /** The end of what was shown, as it came. */
  readonly shown: string;
  readonly waiting: string;
  /** Whether what was shown last is a mask that may go on. */
  readonly withinMask: boolean;
}

/** The findings as they stand in the part between `from` and `to`. */
function clip(findings: readonly Finding[], from: number, to: number): Finding[] {
  return findings.map(({ start, end, label }) => ({
    label,
    start: Math.max(start, from) - from,
    end: Math.min(end, to) - from,
  }));
}

/** Where the last word begins: everything before is complete. */
function lastWord(text: string): number {
  let at = text.length;
  while (at > 0 && !/\s/.test(text.charAt(at - 1))) at -= 1;
  return at;
}
