import { NAMELESS } from "../../../src/contract/platform/nameless.ts";
import type { PersonInfo } from "../protocol.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
// Made once: a long thread shows thousands of times, and making one is slow.
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

export function clock(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? "" : CLOCK.format(date);
}

export function dayAndClock(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "";
  if (date.toDateString() === new Date().toDateString()) return clock(at);
  return `${DAY.format(date)}, ${clock(at)}`;
}

const AGO = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long before now it was, when the page drew it. */
export function ago(at: string): string {
  const passedMs = Date.now() - Date.parse(at);
  if (passedMs < HOUR_MS) return AGO.format(-Math.floor(passedMs / MINUTE_MS), "minute");
  return passedMs < DAY_MS ? AGO.format(-Math.floor(passedMs / HOUR_MS), "hour") : dayAndClock(at);
}

export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  if (count < 1024 * 1024) return `${(count / 1024).toFixed(1)} KB`;
  return `${(count / 1024 / 1024).toFixed(1)} MB`;
}

export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** A person by key (`web:owner`), as this reader knows them; the core also sends names, which stay as they are. */
export function nameOf(key: string, me: PersonInfo, people: readonly PersonInfo[]): string {
  if (!key.startsWith("web:")) return key;
  const id = key.slice("web:".length);
  if (id === me.id) return "you";
  return people.find((person) => person.id === id)?.name ?? NAMELESS;
}
