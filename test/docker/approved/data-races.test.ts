import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApprovedRuns, openApprovedRuns } from "../../support/approved-runs.ts";
import { caseCount, sampleOf } from "../../support/thorough.ts";

const RACES = caseCount({ perChange: 3, all: 60 });
const SETUP = `
find /workspace -mindepth 1 -delete; cd /workspace; mkdir app; yes good data | head -n 100000 > app/app.conf
cp app/app.conf /tmp/good.conf; tr g e < /tmp/good.conf > /tmp/evil.conf
`;

/** Rewrites the file in place, replaces it and swaps its directory, all the time; it is good about half of the time. */
const CHANGE_DATA = `
while [ -e /tmp/racing ]; do cat /tmp/evil.conf > app/app.conf; cat /tmp/good.conf > app/app.conf; sleep 0.02
cp /tmp/evil.conf n; mv n app/app.conf; cp /tmp/good.conf n; mv n app/app.conf; sleep 0.02
mv app gone; mkdir app; cp /tmp/evil.conf app/app.conf; rm -r app; mv gone app; sleep 0.02; done`;

const COMMANDS = [
  "sudo cp app/app.conf /etc/raced",
  "sudo install -m 644 app/app.conf /etc/raced",
  "sudo tee /etc/raced < app/app.conf > /dev/null",
  "cat app/app.conf | sudo tee /etc/raced > /dev/null",
  "sudo sh -c 'cat app/app.conf > /etc/raced'",
  // What runs before it cannot write in the workspace, and the copy is like the file.
  "sudo ldconfig && sudo cp -a app/app.conf /etc/raced",
  "sudo rsync -a app/app.conf /etc/raced",
];

describe("data that changes while root reads it", () => {
  let lab: ApprovedRuns;
  beforeAll(async () => {
    lab = await openApprovedRuns("a thread with changing data");
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  it.each(sampleOf(COMMANDS, 4))(
    "never writes other data as root than that of the digest, however fast it changes: %s",
    async (text) => {
      await lab.asAgent(SETUP);
      const approved = (await lab.asAgent("sha256sum < app/app.conf")).trim();
      const question = await lab.card(text);
      expect(question.effect.notes.join()).not.toContain("app.conf may change");
      const outcomes = { good: 0, refused: 0 };
      const goOn = (race: number) => race < RACES || (outcomes.good === 0 && race < 20 * RACES);
      await lab.during(CHANGE_DATA, async () => {
        for (let race = 0; goOn(race); race++) {
          const result = await lab.click(question);
          const written = await lab.asRoot(
            "sha256sum < /etc/raced 2>/dev/null || echo nothing; rm -f /etc/raced",
          );
          expect(written).toBe(result.success ? approved : "nothing");
          if (!result.success) expect(result).toMatchObject({ changedSinceApproval: true });
          outcomes[result.success ? "good" : "refused"] += 1;
        }
      });
      expect(outcomes.good).toBeGreaterThan(0);
    },
    1_200_000,
  );

  it("shows that a careless root, which checks the file and then reads it, writes other data", async () => {
    await lab.asAgent(SETUP);
    const careless = `good=$(sha256sum < /tmp/good.conf); for i in $(seq 3000); do
[ "$(sha256sum < app/app.conf)" = "$good" ] || continue
cp app/app.conf /etc/careless && [ "$(sha256sum < /etc/careless)" = "$good" ] || { echo other data; break; }; done 2>/dev/null`;
    expect(await lab.during(CHANGE_DATA, () => lab.asRoot(careless))).toBe("other data");
  });

  it("copies name, mode, owner and time of data as they are", async () => {
    await lab.asAgent(
      `${SETUP} echo data > app/app.conf; chmod 640 app/app.conf; touch -d 2020-02-02 app/app.conf`,
    );
    const look = "stat -c '%n %a %u:%g %Y %s' app.conf";
    const before = await lab.asAgent(`cd app; ${look}; cd ..`);
    const question = await lab.card(
      "sudo mkdir -p /etc/kept && sudo cp -p app/app.conf /etc/kept/",
    );
    expect(await lab.click(question)).toMatchObject({ success: true });
    expect(await lab.asRoot(`cd /etc/kept; ${look}`)).toBe(before.trim());
    const copies = "find /run/deckhand/code -path '*data-*' 2>/dev/null | grep -c app.conf";
    expect(await lab.asRoot(copies)).not.toBe("0");
    expect((await lab.asAgent(`${copies} || true`)).trim()).toBe("0");
  });
});
