import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../../src/lib/canonical-json.ts";

describe("canonical JSON", () => {
  it("writes keys in order, leaves undefined out and Unicode as it is", () => {
    expect(canonicalJson({ b: 1, a: [true, null, "é\n\u2028😀"], c: undefined })).toBe(
      '{"a":[true,null,"é\\n\u2028😀"],"b":1}',
    );
  });

  it("is read back as the same value, whatever the order of the keys was", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(reversed(JSON.parse(text)))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("tells values apart that JSON would write alike, by refusing one of them", () => {
    const refused = [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      [undefined],
      new Date(0),
      new Map(),
      1n,
      () => 1,
    ];
    for (const value of refused) expect(() => canonicalJson(value)).toThrow(TypeError);
    // biome-ignore lint/suspicious/noSparseArray: a hole is what is tried
    expect(() => canonicalJson([, 1])).toThrow(TypeError);
  });

  it("keeps a key that is called __proto__", () => {
    expect(canonicalJson(JSON.parse('{"__proto__":{"a":1},"a":2}'))).toBe(
      '{"__proto__":{"a":1},"a":2}',
    );
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).reverse();
  const copy = Object.create(null);
  for (const [key, member] of members) copy[key] = reversed(member);
  return copy;
}
