import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { dayAndClock } from "../../../adapters/web/page/words.ts";

/** The reader's own noon, wherever that is. */
beforeEach(() => vi.useFakeTimers({ now: new Date(2026, 10, 16, 12), toFake: ["Date"] }));
afterEach(() => vi.useRealTimers());

const CASES: readonly (readonly [string, Date, boolean])[] = [
  ["this morning", new Date(2026, 10, 16, 0, 1), false],
  ["this evening", new Date(2026, 10, 16, 23, 59), false],
  ["last night", new Date(2026, 10, 15, 23, 59), true],
  ["tomorrow morning", new Date(2026, 10, 17, 0, 1), true],
  ["last week", new Date(2026, 10, 9, 12), true],
  ["the same day of last month", new Date(2026, 9, 16, 12), true],
];

it.each(CASES)("%s is shown with its day where that is not today", (_, date, hasDay) => {
  const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" }).format(date);
  expect(dayAndClock(date.toISOString()).startsWith(day)).toBe(hasDay);
});
