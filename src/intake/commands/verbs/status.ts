import { count } from "../../../contract/display.ts";
import type { ConversationState, OpenTurn } from "../../../conversation/state.ts";
import type { CommandDeps } from "../deps.ts";
import { type Asked, button, saying, type Verb } from "../verb.ts";
import { topicName } from "./topic.ts";

export const status: Verb = {
  name: "status",
  forms: [
    {
      usage: "status",
      summary: "what goes on in this thread",
      act: "readThread",
      run: async (deps, asked) => {
        const lines = await statusLines(deps, asked);
        return saying(
          lines.map(([what, how]) => `**${what}**: ${how}`).join("\n"),
          button("Todos", ["todos"]),
          button("Terminal", ["terminal"]),
        );
      },
    },
  ],
};

async function statusLines(deps: CommandDeps, asked: Asked): Promise<[string, string][]> {
  const { conversation } = asked;
  const state = await deps.journal.read(conversation);
  const children = await deps.subagents.live(conversation);
  const places = [conversation, ...children];
  const waiting = (await Promise.all(places.map((one) => deps.approvals.waiting(one)))).flat();
  const questions = (await Promise.all(places.map((one) => deps.questions.waiting(one)))).flat();
  const list = await deps.todos.read(conversation);
  const chosen = await deps.choices.of(conversation);
  const grants = await deps.grants.list(conversation);
  const completed = list?.items.filter((todo) => todo.status === "completed").length;
  return [
    ["Turn", turnText(state, deps.now())],
    ...(children.length === 0
      ? []
      : ([["Subagents", `${children.length} at work; say \`subagents\``]] as [string, string][])),
    ["Queue", state.asked.length === 0 ? "empty" : count(state.asked.length, "message")],
    ["Waits for people", waitText(waiting.length, questions.length)],
    ["Todos", list ? `${completed} of ${list.items.length} completed` : "none"],
    ["Workspace", await workspaceText(deps, conversation)],
    ["Model", deps.model?.name ?? "none; only direct commands"],
    [
      "Topic",
      chosen.topic === undefined ? "none; memory is this thread's own" : topicName(chosen.topic),
    ],
    ["Prompt", chosen.systemPrompt ?? "default"],
    ["Grants", grants.length === 0 ? "none" : count(grants.length, "grant")],
    ["Auto-approve", (await deps.autoApprove.isOn(conversation)) ? "on" : "off"],
  ];
}

function turnText({ open, last }: ConversationState, now: Date): string {
  if (open)
    return `${openText(open)}, for ${secondsSince(open.startedAt, now)} s, asked by ${open.name}`;
  return last ? `none; the last one ended ${last.outcome} at ${last.endedAt}` : "none so far";
}

function openText({ calls, mode, steps, maximum }: OpenTurn): string {
  if (calls.some(({ waits, result }) => waits && !result)) return "waits for an answer";
  return mode === "direct" ? "a direct command runs" : `works, step ${steps} of ${maximum}`;
}

const secondsSince = (at: string, now: Date) =>
  Math.max(0, Math.round((now.getTime() - Date.parse(at)) / 1000));

function waitText(approvals: number, questions: number): string {
  if (approvals + questions === 0) return "nothing";
  return `${count(approvals, "approval")}, ${count(questions, "question")}`;
}

const UNHEALTHY = " but unhealthy (the next use restarts it if it does not answer; files are kept)";

async function workspaceText({ workspaces }: CommandDeps, conversation: string): Promise<string> {
  if (!workspaces) return "none; this bot has no Docker";
  const found = (await workspaces.list()).find((one) => one.conversation === conversation);
  if (!found) return "none yet";
  const unwell = found.isUnhealthy ? UNHEALTHY : "";
  return `${found.state}${unwell}, last used ${found.lastUsedAt}${found.keep ? ", kept" : ""}`;
}
