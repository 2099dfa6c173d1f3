import { count } from "../../../contract/display.ts";
import type { ConversationState, OpenTurn } from "../../../journal/conversation/state.ts";
import { sizeInWords } from "../../../lib/text/sizes.ts";
import { localTimeAgo } from "../../../lib/text/times.ts";
import { plainLine } from "../../../lib/text/write-markdown.ts";
import type { CommandDeps } from "../deps.ts";
import { type Asked, button, saying, type Verb } from "../verb.ts";
import { topicName } from "./topic.ts";

export const status: Verb = {
  name: "status",
  forms: [
    {
      usage: "status",
      summary: "what is running, waiting and set up in this thread",
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

type Line = readonly [what: string, how: string];

/** Only what there is to tell: a line that says "none" helps no one. */
async function statusLines(deps: CommandDeps, asked: Asked): Promise<Line[]> {
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
  const lines: readonly (Line | undefined)[] = [
    ["Turn", turnText(state, deps.now())],
    children.length > 0
      ? ["Subagents", `${children.length} at work; say \`subagents\``]
      : undefined,
    state.asked.length > 0 ? ["Queue", count(state.asked.length, "message")] : undefined,
    waitLine(waiting.length, questions.length),
    list ? ["Todos", `${completed} of ${list.items.length} completed`] : undefined,
    await workspaceLine(deps, conversation),
    ["Model", deps.model?.name ?? "none; only direct commands"],
    chosen.shell === undefined ? undefined : ["Shell", chosen.shell],
    chosen.topic === undefined ? undefined : ["Topic", topicName(chosen.topic)],
    chosen.systemPrompt === undefined ? undefined : ["Prompt", chosen.systemPrompt],
    await networkLine(deps, conversation),
    grants.length > 0 ? ["Permissions", `${grants.length}; say \`auth\``] : undefined,
    (await deps.autoApprove.isOn(conversation)) ? ["Auto-approve", "on"] : undefined,
  ];
  return lines.filter((line) => line !== undefined);
}

function turnText({ open, last }: ConversationState, now: Date): string {
  if (open)
    return `${openText(open)}, asked by ${plainLine(open.name)} ${localTimeAgo(open.startedAt, now)}`;
  return last
    ? `none; the last one ${ENDED[last.outcome]} ${localTimeAgo(last.endedAt, now)}`
    : "none so far";
}

const ENDED = {
  done: "finished",
  stopped: "was stopped",
  failed: "failed",
  limit: "ran out of steps",
};

function openText({ calls, mode, steps, maximum }: OpenTurn): string {
  if (calls.some(({ waits, result }) => waits && !result)) return "waiting for a person";
  return mode === "direct"
    ? "running a direct command"
    : `working, step ${steps + 1} of ${maximum}`;
}

function waitLine(approvals: number, questions: number): Line | undefined {
  const parts = [
    ...(approvals > 0 ? [count(approvals, "approval")] : []),
    ...(questions > 0 ? [count(questions, "question")] : []),
  ];
  return parts.length > 0 ? ["Waiting for people", parts.join(", ")] : undefined;
}

/** Nothing where no host was ever open here. */
async function networkLine(
  { network }: CommandDeps,
  conversation: string,
): Promise<Line | undefined> {
  if (!network) return undefined;
  const { opened, denied, lists } = await network.rules(conversation);
  const usage = await network.usage(conversation);
  const refused = network.refusals(conversation).length;
  const listed = lists.some(({ allow }) => allow.length > 0);
  if (opened.length + denied.length + usage.length + refused === 0 && !listed) return undefined;
  const up = usage.reduce((sum, { bytesUp }) => sum + bytesUp, 0);
  const down = usage.reduce((sum, { bytesDown }) => sum + bytesDown, 0);
  const parts = [
    `${count(opened.length, "host")} opened here`,
    ...(denied.length > 0 ? [`${denied.length} denied`] : []),
    ...(usage.length > 0 ? [`${sizeInWords(up)} sent and ${sizeInWords(down)} received`] : []),
    ...(refused > 0 ? [`${count(refused, "connection")} refused`] : []),
  ];
  return ["Network", `${parts.join(", ")}; say \`net\``];
}

const UNHEALTHY = " but unhealthy (the next use restarts it if it does not answer; files are kept)";
const STATES = { running: "running", stopped: "asleep; the next command wakes it", absent: "gone" };

async function workspaceLine(
  { workspaces, now }: CommandDeps,
  conversation: string,
): Promise<Line | undefined> {
  if (!workspaces) return ["Workspace", "none; this bot has no Docker"];
  const found = (await workspaces.list()).find((one) => one.conversation === conversation);
  if (!found) return undefined;
  const unwell = found.isUnhealthy ? UNHEALTHY : "";
  const kept = found.keep ? ", kept" : "";
  return [
    "Workspace",
    `${STATES[found.state]}${unwell}, last used ${localTimeAgo(found.lastUsedAt, now())}${kept}`,
  ];
}
