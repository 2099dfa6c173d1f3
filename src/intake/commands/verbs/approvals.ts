import { isSubagent, subagentId } from "../../../contract/subagent.ts";
import { brief } from "../brief.ts";
import { saying, type Verb } from "../verb.ts";

const SHOWN_CHARS = 120;

export const approvals: Verb = {
  name: "approvals",
  forms: [
    {
      usage: "approvals",
      summary: "what waits for people in this thread, for whom and since when",
      act: "readThread",
      run: async (deps, { conversation }) => {
        const places = [conversation, ...(await deps.subagents.live(conversation))];
        const waiting = (
          await Promise.all(places.map((one) => deps.approvals.waiting(one)))
        ).flat();
        const questions = (
          await Promise.all(places.map((one) => deps.questions.waiting(one)))
        ).flat();
        const lines = [
          ...waiting.map(({ approval: { call, risk, effect, votes, askedAt } }) => {
            const what = effect.command ?? effect.paths.map(({ path }) => path).join(", ");
            const behind = [call.requester, ...(call.contributors ?? [])];
            const whom =
              behind.filter((one) => one !== undefined).join(", ") || "nobody in particular";
            const given =
              votes.length === 0 ? "" : `, approved by ${votes.map(({ by }) => by).join(", ")}`;
            const through = isSubagent(call.conversation)
              ? `, through the subagent \`${subagentId(call.conversation)}\``
              : "";
            return `- ${risk}: \`${call.operation}\` ${brief(deps, what, SHOWN_CHARS)} for ${whom}${through}, since ${askedAt}${given}`;
          }),
          ...questions.map(
            ({ prompt, requester, askedAt }) =>
              `- question: ${brief(deps, prompt, SHOWN_CHARS)} for ${requester ?? "anybody"}, since ${askedAt}`,
          ),
        ];
        if (lines.length === 0) return saying("Nothing waits for anybody in this thread.");
        return saying(`${lines.join("\n")}\nTheir cards are in the thread.`);
      },
    },
  ],
};
