import { subagentTerminal } from "../../../contract/conversation/subagent.ts";
import { count } from "../../../contract/display.ts";
import { shownOutput } from "../../../conversation/shown/shown-output.ts";
import type { SubagentEntry } from "../../../conversation/subagents/report.ts";
import { clockTime } from "../../../lib/text/times.ts";
import { brief } from "../brief.ts";
import type { CommandDeps } from "../deps.ts";
import { readTerminalHistory } from "../terminal-history.ts";
import {
  type Answer,
  type Asked,
  button,
  CommandRefusedError,
  saying,
  type Verb,
} from "../verb.ts";

const SHOWN = 20;
const TASK_CHARS = 80;
const ID = /^[0-9a-f]{12}$/;

export const subagents: Verb = {
  name: "subagents",
  forms: [
    {
      usage: "subagents",
      summary: "subagents of this thread and their progress",
      act: "readThread",
      run: list,
    },
    {
      usage: "subagents <id>",
      summary: "one subagent's task and report",
      takes: { id: ID },
      act: "readThread",
      run: report,
    },
    {
      usage: "subagents terminal <id>",
      summary: "one subagent's terminal",
      takes: { id: ID },
      act: "readThread",
      run: terminal,
    },
  ],
};

async function list(deps: CommandDeps, { conversation }: Asked): Promise<Answer> {
  const all = await deps.subagents.list(conversation);
  if (all.length === 0) return saying("This thread has had no subagents yet.");
  const lines = all.slice(-SHOWN).map((entry) => {
    const { id, task, isNested } = entry;
    const whose = isNested ? " (for another subagent)" : "";
    return `- \`${id}\` ${brief(deps, task, TASK_CHARS)}${whose}: ${standing(entry)}`;
  });
  const last = all.at(-1)?.id ?? "";
  return saying(lines.join("\n"), button("The last one's report", ["subagents", last]));
}

async function report(
  deps: CommandDeps,
  { conversation }: Asked,
  { id = "" }: Readonly<Record<string, string>>,
): Promise<Answer> {
  const entry = await named(deps, conversation, id);
  const { task, instructions, model, askedAt, text } = entry;
  const lines = [
    `Task: ${task}`,
    `Asked: ${clockTime(askedAt, deps.now())}`,
    ...(model === undefined ? [] : [`Model: ${model}`]),
    `Status: ${standing(entry)}`,
    "",
    "Instructions:",
    instructions,
    "",
    "Report:",
    text || "(nothing yet)",
  ];
  return shownOutput(deps.redactor, lines.join("\n"), {
    title: `Subagent ${id}`,
    file: `subagent-${id}.txt`,
    buttons: [button("Its terminal", ["subagents", "terminal", id])],
  });
}

async function terminal(
  deps: CommandDeps,
  asked: Asked,
  { id = "" }: Readonly<Record<string, string>>,
): Promise<Answer> {
  await named(deps, asked.conversation, id);
  const { text, isAsleep } = await readTerminalHistory(deps, asked, subagentTerminal(id));
  if (text === "") {
    throw new CommandRefusedError("This subagent has not run anything in a terminal.");
  }
  return shownOutput(deps.redactor, text, {
    title: `Terminal of the subagent ${id}${isAsleep ? " (asleep)" : ""}`,
    file: `subagent-${id}-terminal.txt`,
  });
}

async function named(deps: CommandDeps, thread: string, id: string): Promise<SubagentEntry> {
  const found = (await deps.subagents.list(thread)).find((entry) => entry.id === id);
  if (found) return found;
  throw new CommandRefusedError(
    `There is no subagent ${id} in this thread. Say \`subagents\` to see them.`,
  );
}

const STANDINGS: Readonly<Record<SubagentEntry["status"], string>> = {
  completed: "completed",
  outOfSteps: "ran out of steps",
  failed: "failed",
  stopped: "stopped",
  working: "works",
  waiting: "waiting for an answer",
  notBegun: "not started",
};

function standing({ status, steps, maximum, reason }: SubagentEntry): string {
  const how = reason === undefined ? "" : ` (${reason})`;
  return `${STANDINGS[status]}${how}, ${steps} of ${count(maximum, "step")}`;
}
