import { describe, expect, it } from "vitest";
import { weather } from "../../support/discord/weather.ts";

describe("P-C4 P-C7 a line that drops again and again, a 429 at every third call, and a busy process", () => {
  it("every mention is answered once", async () => {
    const seen = await weather({
      ...{ forMs: 9_000, dropEveryMs: 1_500, sayEveryMs: 1_000, busyMs: 3_000 },
    });
    expect(seen).toMatchObject({ missing: [], doubled: [] });
    expect(seen.drops).toBeGreaterThan(4);
    expect(seen.refused).toBeGreaterThan(5);
  });
});
