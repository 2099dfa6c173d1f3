import { isSubagent, subagentId } from "../../../contract/conversation/subagent.ts";
import type { Approval } from "../../../contract/permission/approval.ts";
import { localTimeAgo } from "../../../lib/text/times.ts";
import { codeSpan, plainLine } from "../../../lib/text/write-markdown.ts";
import { brief } from "../brief.ts";
import type { CommandDeps } from "../deps.ts";
import { namesIn } from "../names.ts";
import { saying, type Verb } from "../verb.ts";

const SHOWN_CHARS = 120;

export const approvals: Verb = {
  name: "approvals",
  forms: [
    {
      usage: "approvals",
      summary: "open approvals and questions of this thread",
      act: "readThread",
      run: async (deps, { conversation }) => {
        const places = [conversation, ...(await deps.subagents.live(conversation))];
        const waiting = (
          await Promise.all(places.map((one) => deps.approvals.waiting(one)))
        ).flat();
        const questions = (
          await Promise.all(places.map((one) => deps.questions.waiting(one)))
        ).flat();
        const concerned = [
          ...waiting.flatMap(({ approval: { call, votes } }) => [
            ...(call.requester === null ? [] : [call.requester]),
            ...votes.map(({ by }) => by),
          ]),
          ...questions.flatMap(({ requester }) => (requester ? [requester] : [])),
        ];
        const nameOf = await namesIn(deps, conversation, concerned);
        const now = deps.now();
        const lines = [
          ...waiting.map(({ approval }) => approvalLine(deps, approval, nameOf, now)),
          ...questions.map(({ prompt, requester, askedAt }) => {
            const whom = requester ? nameOf(requester) : "anyone here";
            return `- Question for ${plainLine(whom)}, asked ${localTimeAgo(askedAt, now)}: ${brief(deps, prompt, SHOWN_CHARS)}`;
          }),
        ];
        if (lines.length === 0) return saying("Nothing is waiting for a decision in this thread.");
        return saying(`${lines.join("\n")}\n\nTheir cards are in the thread.`);
      },
    },
  ],
};

function approvalLine(
  deps: CommandDeps,
  { call, effect, votes, askedAt }: Approval,
  nameOf: (key: string) => string,
  now: Date,
): string {
  const what =
    effect.command ?? [call.operation, ...effect.paths.map(({ path }) => path)].join(" ");
  const people = (keys: readonly string[]) =>
    keys.map((key) => plainLine(nameOf(key))).join(" and ");
  const behind = [
    ...(call.requester === null ? [] : [call.requester]),
    ...(call.contributors ?? []),
  ];
  const asked = behind.length === 0 ? ", asked" : `, asked by ${people(behind)}`;
  const through = isSubagent(call.conversation)
    ? ` through the subagent \`${subagentId(call.conversation)}\``
    : "";
  const given = votes.length === 0 ? "" : `, approved by ${people(votes.map(({ by }) => by))}`;
  const command = codeSpan(cutLine(deps.redactor.redact(what)));
  const whom = effect.approvers ? `, waiting for ${plainLine(effect.approvers)}` : "";
  return `- ${command}${asked}${through} ${localTimeAgo(askedAt, now)}${given}${whom}`;
}

function cutLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= SHOWN_CHARS ? line : `${line.slice(0, SHOWN_CHARS).toWellFormed()}…`;
}
