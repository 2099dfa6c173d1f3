import { expect, it } from "vitest";
import { ThreadId } from "../../../src/contract/platform/incoming.ts";
import type { ThreadNames } from "./rig.ts";

export function threadNames<Place>({ places, encode, decode }: ThreadNames<Place>): void {
  it("round-trip", () => {
    for (const place of places) expect(decode(encode(place))).toEqual(place);
  });

  it("are thread ids", () => {
    for (const place of places) expect(() => ThreadId.parse(encode(place))).not.toThrow();
  });

  it("are different for different places", () => {
    expect(places.length).toBeGreaterThan(2);
    expect(new Set(places.map(encode)).size).toBe(places.length);
  });

  it.each(["", "memory", "other:C1:1", "slack:", "a:b:c:d:e:f:g", "x: y", "../x"])(
    "%j of somebody else is refused",
    (foreign) => {
      expect(() => decode(foreign)).toThrow();
    },
  );
}
