import { describe, expect, it } from "vitest";
import {
  grantSeconds,
  parseDuration,
  sayDuration,
} from "../../../../src/authorization/grants/durations.ts";
import { AuthorizationSettings } from "../../../../src/authorization/settings.ts";

describe("durations", () => {
  it.each([
    ["30s", 30],
    ["5m", 300],
    ["1h", 3600],
    ["90m", 5400],
    [" 5m ", 300],
  ])("4.21 %s is %i seconds", (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each(["", "5", "m", "5 m", "5M", "-5m", "1.5h", "1h30m", "5d", "５m"])(
    "4.21 %j is no duration",
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  it("4.22 takes five minutes for a setting that is no duration, and says so", () => {
    const warnings: string[] = [];
    expect(grantSeconds("abc", (message) => warnings.push(message))).toBe(300);
    expect(warnings).toEqual([expect.stringContaining('"abc"')]);
  });

  it("4.22 takes a good setting without a word", () => {
    expect(
      grantSeconds("10m", (message) => {
        throw new Error(message);
      }),
    ).toBe(600);
  });

  it.each(["0s", "0m", "25h", "86401s"])("4.22 refuses %s as a setting", (text) => {
    expect(() => grantSeconds(text, () => {})).toThrow(text);
    expect(AuthorizationSettings.safeParse({ grantDuration: text }).success).toBe(false);
  });

  it("4.22 starts with five minutes when nothing is set", () => {
    expect(AuthorizationSettings.parse({}).grantDuration).toBe("5m");
    expect(AuthorizationSettings.parse({ grantDuration: "24h" }).grantDuration).toBe("24h");
  });

  it("says durations as a button does", () => {
    expect([300, 3600, 90, 5400].map(sayDuration)).toEqual(["5 min", "1 h", "90 s", "90 min"]);
  });
});
