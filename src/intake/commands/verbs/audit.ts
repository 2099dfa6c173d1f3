import type { AuditRecord } from "../../../contract/audit.ts";
import { count } from "../../../contract/display.ts";
import { shownOutput } from "../../../conversation/shown/shown-output.ts";
import { namesIn } from "../names.ts";
import { saying, type Verb } from "../verb.ts";

/** Those who did something, the latest first. */
function peopleIn(records: readonly AuditRecord[]): string[] {
  return records.map(({ entry }) => entry.actor).toReversed();
}

export const audit: Verb = {
  name: "audit",
  forms: [
    {
      usage: "audit [number]",
      summary: "the last calls and decisions of this thread, with the people behind them",
      takes: { number: /^[1-9]\d{0,2}$/ },
      act: "readThread",
      run: async (deps, { conversation }, { number = "20" }) => {
        const limit = Number(number);
        const records = await deps.audit.forConversation(conversation, { limit });
        if (records.length === 0) return saying("This thread has no audit records yet.");
        const nameOf = await namesIn(deps, conversation, peopleIn(records));
        const text = records
          .map((record) => deps.describeRecord(record, nameOf))
          .map(({ time, actor, what, result }) => `${time}  ${actor}  ${what}  ${result}`.trimEnd())
          .join("\n");
        const title = `Audit, the last ${count(records.length, "record")}`;
        return shownOutput(deps.redactor, text, { title, file: "audit.txt" });
      },
    },
  ],
};
