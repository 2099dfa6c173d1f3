import { describe, expect, it } from "vitest";
import type { HostAccess } from "../../../src/contract/permission/hosts.ts";
import { permissionLab } from "../../support/permission-lab.ts";

/** One open host, one that is denied, one that only an operator can open; people may be asked about all others. */
const HOSTS: HostAccess = {
  view: async () => ({
    isAnyOpen: true,
    stateOf: (host, port) => {
      const place = { host, port };
      if (host === "open.example.com") return { state: "open", place };
      if (host === "denied.example.com")
        return { state: "denied", place, reason: `${host} is denied.` };
      if (host === "db.internal") return { state: "closed", place, reason: "private" };
      return { state: "unknown", place };
    },
  }),
};

const RUN = "terminal_operations.run_command";

async function judged(key: string, params: object) {
  await using lab = await permissionLab();
  return await lab.checkBy(lab.again({ hosts: HOSTS }), key, params);
}

describe("the guard where some hosts are open", () => {
  it.each([
    ["curl https://open.example.com/a", "allowed"],
    ["curl https://other.example.com/a", "ask"],
    ["curl -d a=b https://open.example.com/a", "ask"],
    ["curl https://denied.example.com/a", "denied"],
    ["curl https://open.example.com/a https://denied.example.com/a", "denied"],
    // No card could open it: it runs, and the connection is refused.
    ["curl https://db.internal/a", "allowed"],
    ["git clone https://other.example.com/a.git", "ask"],
    ["npm install", "ask"],
    ["npm test", "allowed"],
  ])("4.10 P-S4 says of %s: %s", async (command, outcome) => {
    expect((await judged(RUN, { command })).outcome).toBe(outcome);
  });

  it("P-S4 names on the card what an approval opens, and to whom", async () => {
    const verdict = await judged(RUN, { command: "curl https://other.example.com/a" });
    if (verdict.outcome !== "ask" || !verdict.question) throw new Error(JSON.stringify(verdict));
    expect(verdict.question.opens).toEqual(["other.example.com:443"]);
    expect(verdict.question.risk).toBe("click");
    const notes = verdict.question.effect.notes.join("\n");
    expect(notes).toContain("Opens other.example.com:443 for this thread");
    expect(notes).toContain("every process in this workspace");
  });

  it.each([
    ["https://open.example.com/page", "allowed"],
    ["https://other.example.com/page", "ask"],
    ["https://denied.example.com/page", "denied"],
    ["http://open.example.com/page", "allowed"],
    [`https://open.example.com/?q=${"x".repeat(200)}`, "ask"],
  ])(
    "P-S4 judges a page that the bot itself reads by the same lists: %s, %s",
    async (url, outcome) => {
      const verdict = await judged("web_operations.fetch", { url });
      expect(verdict.outcome).toBe(outcome);
    },
  );
});
