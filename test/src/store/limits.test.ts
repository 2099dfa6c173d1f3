import { describe, expect, it } from "vitest";
import {
  checkCount,
  checkDuration,
  checkName,
  checkTime,
  toText,
} from "../../../src/store/limits.ts";

const MOST_CHARS = 16 * 1024 * 1024;

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

describe("what the store takes", () => {
  it.each<[string, (chars: number) => unknown]>([
    ["a text", (chars) => "x".repeat(chars - '""'.length)],
    ["a list", (chars) => ["x".repeat(chars - '[""]'.length)]],
    ["an object", (chars) => ({ key: "x".repeat(chars - '{"key":""}'.length) })],
    ["escapes", (chars) => "\n".repeat((chars - '""'.length) / 2)],
  ])("%s of 16 MB as JSON, and nothing longer", (_, value) => {
    expect(toText("it", value(MOST_CHARS))).toHaveLength(MOST_CHARS);
    expect(() => toText("it", value(MOST_CHARS + 2))).toThrow("larger than 16 MB");
  });

  it("500 levels, and no more", () => {
    expect(toText("it", nested(500))).toHaveLength(1001);
    expect(() => toText("it", nested(501))).toThrow("nested deeper than 500 levels");
  });

  it("one value many times beside itself, and never within itself", () => {
    const shared = { a: 1 };
    expect(toText("it", [shared, shared])).toBe('[{"a":1},{"a":1}]');
    const circle: unknown[] = [];
    circle.push({ circle });
    expect(() => toText("it", circle)).toThrow("(at [0].circle) is a circle");
  });

  it("names of 1 to 4,096 characters", () => {
    expect(checkName("a key", "k".repeat(4_096))).toHaveLength(4_096);
    for (const name of ["", "k".repeat(4_097)]) {
      expect(() => checkName("a key", name)).toThrow("a text of 1 to 4096 characters");
    }
  });

  it("whole numbers from the least on, durations of at least one millisecond, times since 1970", () => {
    expect([checkCount("it", 3, 3), checkDuration("it", 1.9)]).toEqual([3, 1]);
    expect(checkTime("it", "1970-01-01T00:00:00.000Z")).toBe(0);
    for (const count of [2, 3.5, Number.NaN, 2 ** 53]) {
      expect(() => checkCount("it", count, 3)).toThrow("a whole number of at least 3");
    }
    expect(() => checkDuration("it", 0.9)).toThrow("a whole number of at least 1");
    for (const time of ["soon", "1969-12-31T23:59:59.999Z"]) {
      expect(() => checkTime("it", time)).toThrow("must be a time like");
    }
  });
});
