import { describe, expect, it } from "vitest";
import type { AuditRecord } from "../../../src/contract/audit.ts";
import { call, say } from "../../support/model-server/replies.ts";
import { Talk } from "../../support/talk.ts";
import { single } from "../tools/support/lab.ts";

const statesOf = (records: readonly AuditRecord[]) =>
  records.flatMap(({ entry }) => (entry.kind === "call" ? entry.states : []));

describe("a call of the whole bot", () => {
  it("P-D3 P-X5 begins once the journal and the audit have it, and its end is on record before the next", async () => {
    const seen: { lines: string[]; states: string[] }[] = [];
    const look = single("launch", async () => {
      const records = await talk.bot.audit.forConversation(talk.thread, { limit: 100 });
      seen.push({ lines: await talk.lines(), states: statesOf(records) });
      return { text: "launched" };
    });
    await using talk = await Talk.start({ tools: [look] });
    talk.model.script([call("launch", {}), call("launch", {}), say("Both are launched.")]);
    await talk.say("launch two");
    await talk.sees("Both are launched.");
    const [first, second] = seen;
    expect(first?.lines.at(-1)).toBe("call.started");
    expect(first?.states.at(-1)).toBe("Executing");
    expect(second?.states.filter((state) => state === "Executing")).toHaveLength(2);
    expect(second?.states).toContain("AddEvents");
  });

  it("leaves a chain whose end is noted when the bot has ended", async () => {
    await using talk = await Talk.start();
    talk.model.script([call("think", { thoughts: "hm" }), say("Thought.")]);
    await talk.say("consider it");
    await talk.sees("Thought.");
    await talk.rests();
    await talk.bot[Symbol.asyncDispose]();
    const [last] = await talk.bot.audit.tail(1);
    const noted = await talk.store.documents("audit").get("head");
    expect(noted).toEqual({ number: last?.number, hash: last?.hash });
    await talk.startBot();
  });
});
