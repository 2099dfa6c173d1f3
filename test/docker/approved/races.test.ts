import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApprovalQuestion } from "../../../src/contract/permission/approval.ts";
import { type ApprovedRuns, openApprovedRuns } from "../../support/approved-runs.ts";
import { caseCount } from "../../support/thorough.ts";

const RACES = caseCount({ perChange: 12, all: 150 });
const EVIL = "touch /home/agent/evil-$(id -u)";

const SETUP = `
rm -rf /home/agent/evil-*; find /workspace -mindepth 1 -delete; cd /workspace; mkdir app other
printf '#!/bin/bash\\necho good\\n' > app/deploy.sh; printf '#!/bin/bash\\n${EVIL}\\n' > other/deploy.sh
chmod 755 app/deploy.sh other/deploy.sh; cp app/deploy.sh /tmp/good.sh; cp other/deploy.sh /tmp/evil.sh; ln -s /etc link
`;

/** Changes the script in place, replaces it, and replaces its directory. */
const CHANGE_BYTES = `
while [ -e /tmp/racing ]; do cat /tmp/evil.sh > app/deploy.sh; cat /tmp/good.sh > app/deploy.sh; cp /tmp/evil.sh n; mv n app/deploy.sh
mv app gone; mkdir app; cp /tmp/evil.sh app/deploy.sh; rm -r app; mv gone app; cp /tmp/good.sh n; mv n app/deploy.sh; sleep 0.01; done`;

/** Exchanges the directory and a link to /etc atomically, so that the path always leads somewhere. */
const SWAP_DIRECTORY = `python3 -c '
import ctypes, os, time
libc = ctypes.CDLL(None)
while os.path.exists("/tmp/racing"):
    libc.renameat2(-100, b"app", -100, b"link", 2)
    time.sleep(0.002)
'`;

describe("code and directories that change while an approved command starts", () => {
  let lab: ApprovedRuns;
  beforeAll(async () => {
    lab = await openApprovedRuns("a thread with races");
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  /** Every run either does what the card shows or is refused. */
  async function clicks(question: ApprovalQuestion, output: string) {
    const outcomes = { ran: 0, refused: 0, other: [] as unknown[] };
    for (let race = 0; race < RACES; race += 1) {
      const result = await lab.click(question);
      if (result.success && result.output === output) outcomes.ran += 1;
      else if (!result.success && result.changedSinceApproval) outcomes.refused += 1;
      else outcomes.other.push(result);
    }
    return outcomes;
  }

  it("never runs other bytes as root than those of the digest", async ({ annotate }) => {
    await lab.asAgent(SETUP);
    const question = await lab.card("sudo ./app/deploy.sh");
    const outcomes = await lab.during(CHANGE_BYTES, () => clicks(question, "good\n"));
    await annotate(`${RACES} races: ${outcomes.ran} ran as shown, ${outcomes.refused} refused`);
    expect(outcomes.other).toEqual([]);
    expect(await lab.asAgent("ls -d /home/agent/evil-* || true")).toBe("");
  }, 1_200_000);

  it("shows that a careless server, which compares the digest first, loses that race", async () => {
    await lab.asAgent(SETUP);
    const careless = `good=$(sha256sum < /tmp/good.sh); until [ -e /home/agent/evil-0 ]; do
[ "$(sha256sum < app/deploy.sh)" != "$good" ] || bash app/deploy.sh; done 2> /dev/null`;
    await lab.during(CHANGE_BYTES, () => lab.asRoot(careless));
    expect(await lab.asAgent("ls -d /home/agent/evil-*")).toBe("/home/agent/evil-0");
    await lab.asRoot("rm /home/agent/evil-0");
  });

  it("never runs in another directory than the card shows", async ({ annotate }) => {
    await lab.asAgent(SETUP);
    // By its inode: its name changes while the command runs.
    const inode = await lab.asAgent("stat -c %i app");
    const question = await lab.card("sudo stat -c %i .", "/workspace/app");
    expect(question.effect.workingDirectory).toBe("/workspace/app");
    const outcomes = await lab.during(SWAP_DIRECTORY, () => clicks(question, `${inode}\n`));
    await annotate(`${RACES} races: ${outcomes.ran} ran as shown, ${outcomes.refused} refused`);
    expect(outcomes.other).toEqual([]);
    expect(await lab.asAgent("ls -d /etc/marker || true")).toBe("");
  }, 1_200_000);

  it("shows that a careless server, which looks at the directory first, loses that race", async () => {
    await lab.asAgent(SETUP);
    const careless = `until [ -e /etc/marker ]; do
[ -L app ] || (cd app && touch marker); done 2> /dev/null; rm /etc/marker && echo lost`;
    expect(await lab.during(SWAP_DIRECTORY, () => lab.asRoot(careless))).toBe("lost");
  });
});
