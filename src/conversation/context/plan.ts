import type { TranscriptItem } from "../../contract/model.ts";
import { textOf } from "./shorten.ts";

/** What is to be taken out of a transcript: see the journal's "archived" line. */
export interface Cut {
  readonly items: number;
  readonly kept: readonly number[];
  readonly shortened: readonly { readonly item: number; readonly chars: number }[];
}

interface Wanted {
  readonly transcript: readonly TranscriptItem[];
  /** What the open turn is about: stays. */
  readonly about: ReadonlySet<TranscriptItem>;
  /** The model has to see what has become of its last step. */
  readonly keepsLastStep: boolean;
  readonly tokensOf: (item: TranscriptItem) => number;
  /** How many tokens of the transcript there is room for, and how many shall be left of it. */
  readonly room: number;
  readonly target: number;
}

/**
 * Decides on one large cut, so that what comes after it stays cached for long. Calls and their results, with the
 * thoughts that led to them, go together. Undefined: there is nothing that could go.
 */
export function planCut({
  transcript,
  tokensOf,
  room,
  target,
  ...wanted
}: Wanted): Cut | undefined {
  const places = transcript.map((item, place) => ({ item, place, tokens: tokensOf(item) }));
  const groups = groupsOf(places);
  const lastStep = wanted.keepsLastStep ? groups.findLast(isStep) : undefined;
  const stays = places.filter((one) => wanted.about.has(one.item) || lastStep?.includes(one));
  const isFree = (one: Place) => !stays.includes(one);

  let left = target - sum(stays);
  let items = transcript.length;
  for (const group of groups.toReversed()) {
    const free = group.filter(isFree);
    left -= sum(free);
    if (left < 0 && free.length > 0) break;
    items = group[0]?.place ?? items;
  }
  const kept = stays.map(({ place }) => place).filter((place) => place < items);
  const shortened = sum(stays) > room ? shortenTo(Math.max(target, room * SHORTENED), stays) : [];
  if (kept.length === items && shortened.length === 0) return undefined;
  return { items, kept, shortened };
}

interface Place {
  readonly item: TranscriptItem;
  readonly place: number;
  readonly tokens: number;
}

/** A step with its results, or what somebody said. */
function groupsOf(places: readonly Place[]): Place[][] {
  const groups: Place[][] = [];
  let isOpen = false;
  for (const one of places) {
    const { type } = one.item;
    const isSaid = type === "assistant" || type === "reasoning" || type === "call";
    const before = groups.at(-1);
    const goesOn =
      type === "result"
        ? isStep(before)
        : isSaid && isOpen && before?.at(-1)?.item.type !== "result";
    if (before && goesOn) before.push(one);
    else groups.push([one]);
    isOpen = isSaid;
  }
  return groups;
}

function isStep(group: readonly Place[] | undefined): boolean {
  const type = group?.[0]?.item.type;
  return type === "assistant" || type === "reasoning" || type === "call" || type === "result";
}

/** What has to be shortened takes so much of the room: it is what the turn is about. */
const SHORTENED = 0.5;
/** What the note in a shortened text takes, and a few words around it. */
const NOTE_TOKENS = 80;
const LEAST_TOKENS = 120;

/** The longest ones lose what is too much, down to a length that all of them may have. */
function shortenTo(target: number, stays: readonly Place[]): Cut["shortened"] {
  const able = stays.filter(({ item }) => textOf(item) !== undefined);
  const most = Math.max(LEAST_TOKENS, levelOf(target - (sum(stays) - sum(able)), able));
  return able.flatMap(({ item, place, tokens }) => {
    const length = textOf(item)?.length ?? 0;
    if (tokens <= most) return [];
    return [{ item: place, chars: Math.floor((length * (most - NOTE_TOKENS)) / tokens) }];
  });
}

/** The length that the longest may have, so that all together have no more than `tokens`. */
function levelOf(tokens: number, places: readonly Place[]): number {
  let left = tokens;
  const sorted = places.toSorted((a, b) => a.tokens - b.tokens);
  for (const [index, one] of sorted.entries()) {
    const share = left / (sorted.length - index);
    if (one.tokens > share) return share;
    left -= one.tokens;
  }
  return Number.POSITIVE_INFINITY;
}

function sum(places: readonly Place[]): number {
  return places.reduce((total, { tokens }) => total + tokens, 0);
}
