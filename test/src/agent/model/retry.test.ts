import { describe, expect, it } from "vitest";
import { Retries, retryAfterMs } from "../../../../src/agent/model/retry.ts";
import { ModelError, type ModelErrorKind } from "../../../../src/contract/model.ts";

const patience = { retries: 6, retryBaseMs: 500, retryMaxMs: 8000 };
const error = (kind: ModelErrorKind, waitMs?: number) =>
  new ModelError(kind, "no", waitMs === undefined ? {} : { retryAfterMs: waitMs });

function waits(random: number): (number | undefined)[] {
  const retries = new Retries(patience, () => random);
  return Array.from({ length: 7 }, () => retries.next(error("unavailable"), false));
}

describe("the waits between tries", () => {
  it("double up to the operator's limit, half of each being chance, and come to an end", () => {
    expect(waits(1)).toEqual([500, 1000, 2000, 4000, 8000, 8000, undefined]);
    expect(waits(0)).toEqual([250, 500, 1000, 2000, 4000, 4000, undefined]);
  });

  it("are the server's where it says how long, unless that is too long", () => {
    const retries = new Retries(patience, () => 1);
    expect(retries.next(error("rateLimited", 7), false)).toBe(7);
    expect(retries.next(error("rateLimited", 8001), false)).toBeUndefined();
  });

  it("are granted once to a reply that people have seen the beginning of", () => {
    const retries = new Retries(patience, () => 1);
    expect(retries.next(error("cutStream"), true)).toBe(500);
    expect(retries.next(error("unavailable"), false)).toBe(1000);
    expect(retries.next(error("unavailable"), true)).toBeUndefined();
  });

  it.each<ModelErrorKind>([
    "refusedKey",
    "unknownModel",
    "wrongAddress",
    "outOfQuota",
    "contextTooLong",
    "badRequest",
  ])("are not granted to what time does not heal: %s", (kind) => {
    expect(new Retries(patience, () => 1).next(error(kind), false)).toBeUndefined();
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-11-16T12:00:00Z");
  it.each<[Record<string, string>, number | undefined]>([
    [{ "retry-after": "2" }, 2000],
    [{ "retry-after": "1.5" }, 1500],
    [{ "retry-after": "Mon, 16 Nov 2026 12:00:30 GMT" }, 30_000],
    [{ "retry-after": "Mon, 16 Nov 2026 11:00:00 GMT" }, 0],
    [{ "retry-after": "2", "retry-after-ms": "120" }, 120],
    [{ "retry-after": "soon" }, undefined],
    [{}, undefined],
  ])("%j is %s ms", (headers, ms) => {
    expect(retryAfterMs(new Headers(headers), now)).toBe(ms);
  });
});
