import { describe, expect, it } from "vitest";
import type { Approval } from "../../src/contract/permission/approval.ts";
import { approvalView } from "../../src/reply/cards.ts";
import { ON_PLATFORMS } from "../support/on-platforms.ts";

const choices = [
  ["once", "Approve once"],
  ["timed", "Approve 5 min"],
  ["thread", "Approve for this thread"],
  ["deny", "Deny"],
] as const;

/** As `HostQuestions` asks it, with what a workload could have chosen to confuse people. */
const approval: Approval = {
  id: "1f0c",
  callId: "host:files.example.com:443",
  askedAt: "2030-01-02T12:00:00.000Z",
  digest: "d",
  risk: "click",
  reason: "A process in the workspace tried to connect to this host.",
  opens: ["files.example.com:443"],
  origin: { callId: "c1", name: "terminal_operations", arguments: { command: "bash job.sh" } },
  call: {
    operation: "network.open",
    params: { host: "files.example.com", port: 443 },
    workingDirectory: null,
    identity: "agent",
    paths: [],
    contents: [],
    schema: "",
    conversation: "c",
    requester: "slack:T1:U1",
    policy: "p",
  },
  effect: {
    operation: "network.open",
    risk: "click",
    reasons: ["A process in the workspace tried to connect to this host."],
    runsAs: "agent",
    paths: [],
    diffs: [],
    params: [
      { name: "Host", value: "files.example.com" },
      { name: "Port", value: "443" },
      { name: "Command that ran", value: "bash job.sh" },
      { name: "Program, by its own word", value: "<!channel> @everyone *trusted*" },
    ],
    notes: ["Deckhand cannot verify which command or program wanted it."],
    approversNeeded: 1,
    buttons: choices.map(([choice, label]) => ({ choice, label, asksReason: false })),
  },
  votes: [],
  wrongPhrases: {},
};

describe.each(Object.entries(ON_PLATFORMS))("a host's card on %s", (_name, render) => {
  it("P-S4 shows the host, the command and four buttons, and nothing in it pings anyone", () => {
    const { text, alarms, raw } = render(approvalView(approval, { requester: "Ada" }));
    expect(text).toContain("files.example.com");
    expect(text).toContain("bash job.sh");
    expect(text).toContain("cannot verify");
    expect(alarms).toEqual([]);
    for (const [choice, label] of choices) {
      expect(JSON.stringify(raw)).toContain(label);
      expect(JSON.stringify(raw)).toContain(`approve:1f0c:${choice}`);
    }
  });

  it("P-S4 offers to run the command again once it is approved, and not after that", () => {
    const decision = {
      choice: "thread" as const,
      by: ["slack:T1:U1"],
      names: ["Ada"],
      at: approval.askedAt,
    };
    const decided = approvalView({ ...approval, decision }, { requester: "Ada" });
    const { text, raw } = render(decided);
    expect(text).toContain("Approved for this thread by Ada");
    expect(JSON.stringify(raw)).toContain("verb:net:rerun:1f0c");
    const rerun = { by: "slack:T1:U1", at: approval.askedAt, event: "e" };
    const over = approvalView({ ...approval, decision, rerun }, { requester: "Ada" });
    expect(JSON.stringify(render(over).raw)).not.toContain("verb:net");
  });
});
