import { appendFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../sandbox-image/server/checkpoints/limits.ts";
import { Pace } from "../../../sandbox-image/server/checkpoints/pace.ts";
import { scan } from "../../../sandbox-image/server/checkpoints/scan.ts";
import { makeLab } from "./lab.ts";

const SEVERAL_PIECES = Buffer.alloc(4_000_000);

/** Makes way after every piece, and lets somebody else at the files meanwhile. */
class MakingWay extends Pace {
  readonly #meanwhile: () => void;

  constructor(meanwhile: () => void) {
    super();
    this.#meanwhile = meanwhile;
  }

  override get isDue(): boolean {
    return true;
  }

  override async rest(): Promise<void> {
    await super.rest();
    this.#meanwhile();
  }
}

describe("looking at a workspace in which somebody writes", () => {
  it("does not claim a file that is being written all the time", async () => {
    using lab = makeLab();
    const busy = lab.write("busy.log", SEVERAL_PIECES);
    lab.write("calm", "1");
    const pace = new MakingWay(() => appendFileSync(busy, "line\n"));
    const { entries } = await scan(lab.root, { limits: DEFAULT_LIMITS, pace });
    const seen = Object.fromEntries(entries.map((entry) => [entry.path, entry]));
    expect(seen["busy.log"]).toMatchObject({
      content: "",
      why: "it kept changing while being read",
    });
    expect(seen.calm).toMatchObject({ why: "", content: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it("reads a file again that was written to once", async () => {
    using lab = makeLab();
    const path = lab.write("written.log", SEVERAL_PIECES);
    let writes = 0;
    const pace = new MakingWay(() => {
      if (++writes === 2) appendFileSync(path, "line\n");
    });
    const { entries } = await scan(lab.root, { limits: DEFAULT_LIMITS, pace });
    const expected = await scan(lab.root, { limits: DEFAULT_LIMITS, pace: new Pace() });
    expect(writes).toBeGreaterThan(2);
    expect(entries).toEqual(expected.entries);
    expect(entries).toContainEqual(
      expect.objectContaining({ path: "written.log", why: "", size: SEVERAL_PIECES.length + 5 }),
    );
  });
});
