import { count } from "../../../contract/display.ts";
import type { Workspace } from "../../../contract/workspace/workspace.ts";
import { shownOutput } from "../../../conversation/shown/shown-output.ts";
import { directResult } from "../../../conversation/turn/direct-result.ts";
import type { CommandDeps } from "../deps.ts";
import { keepSelection } from "../selection.ts";
import { readTerminalHistory } from "../terminal-history.ts";
import {
  type Answer,
  type Asked,
  button,
  CommandRefusedError,
  saying,
  type Verb,
} from "../verb.ts";
import { callNow, existingWorkspace, knownWorkspace } from "../workspace-access.ts";

const PAGE_LINES = 40;
const MOST_LINES = 1_000;
const NUMBER = /^[1-9]\d{0,5}$/;

export const terminal: Verb = {
  name: "terminal",
  forms: [
    {
      usage: "terminal",
      summary: "the terminal: commands and their output",
      act: "readThread",
      run: (deps, asked) => historyPage(deps, asked, 1),
    },
    {
      usage: "terminal history [page]",
      summary: "its whole history, newest page first, and as a file",
      takes: { page: NUMBER },
      act: "readThread",
      run: (deps, asked, { page = "1" }) => historyPage(deps, asked, Number(page)),
    },
    {
      usage: "terminal tail [lines]",
      summary: "its last lines",
      takes: { lines: NUMBER },
      act: "readThread",
      run: tail,
    },
    {
      usage: "terminal send <text…>",
      summary: "type a line into a program that waits for input",
      act: "command",
      run: (deps, asked, { text = "" }) =>
        callOrTurn(deps, asked, "send_input", { input: `${text.replaceAll("\r\n", "\n")}\r` }),
    },
    {
      usage: "terminal resize <rows> <columns>",
      summary: "set its size, for example `terminal resize 40 120`",
      takes: { rows: NUMBER, columns: NUMBER },
      act: "command",
      run: resize,
    },
    {
      usage: "terminal kill",
      summary: "kill everything that runs in the workspace",
      act: "stop",
      run: kill,
    },
    {
      usage: "terminal close",
      summary: "close it and what runs in it; the next command opens a new one",
      act: "command",
      run: (deps, asked) => callOrTurn(deps, asked, "close_session", {}),
    },
    {
      usage: "terminal select <lines>",
      summary: "show lines of the history to the agent, for example `terminal select 10-20`",
      takes: { lines: /^\d{1,6}-\d{1,6}$/ },
      act: "talk",
      run: select,
    },
  ],
};

async function historyPage(deps: CommandDeps, asked: Asked, page: number): Promise<Answer> {
  const { text: history, state } = await historyOf(deps, asked);
  const lines = history.split("\n");
  const pages = Math.ceil(lines.length / PAGE_LINES);
  if (page > pages) throw new CommandRefusedError(`The history has ${count(pages, "page")}.`);
  const end = lines.length - (page - 1) * PAGE_LINES;
  const start = Math.max(0, end - PAGE_LINES);
  const buttons = [
    ...(page < pages ? [button("Older", ["terminal", "history", String(page + 1)])] : []),
    ...(page > 1 ? [button("Newer", ["terminal", "history", String(page - 1)])] : []),
  ];
  const shown = shownOutput(deps.redactor, lines.slice(start, end).join("\n"), {
    title: `Terminal${state}, lines ${start + 1}-${end} of ${lines.length}`,
    file: "terminal-page.txt",
    lines: PAGE_LINES,
    buttons,
  });
  if (page > 1 || pages === 1) return shown;
  // Whoever opens the history gets the whole once; the other pages are for leafing through.
  const whole = shownOutput(deps.redactor, history, {
    title: `Terminal history${state}`,
    file: "terminal.txt",
  });
  return { views: shown.views, files: whole.files };
}

async function tail(
  deps: CommandDeps,
  asked: Asked,
  { lines = "20" }: Readonly<Record<string, string>>,
): Promise<Answer> {
  const wanted = Math.min(Number(lines), MOST_LINES);
  const history = await historyOf(deps, asked);
  const all = history.text.split("\n");
  const text = all.slice(-wanted).join("\n");
  const lastLines = count(Math.min(wanted, all.length), "line");
  const title = `Terminal${history.state}, the last ${lastLines} of ${all.length}`;
  return shownOutput(deps.redactor, text, {
    title,
    file: "terminal-tail.txt",
    buttons: [button("Refresh", ["terminal", "tail", String(wanted)])],
  });
}

async function resize(
  deps: CommandDeps,
  asked: Asked,
  { rows, columns }: Readonly<Record<string, string>>,
): Promise<Answer> {
  const size = { rows: Number(rows), cols: Number(columns) };
  if (size.rows > MOST_LINES || size.cols > MOST_LINES) {
    throw new CommandRefusedError(`A terminal has at most ${MOST_LINES} rows and columns.`);
  }
  const workspace = await withTerminal(deps, asked);
  await workspace.resize(asked.conversation, size);
  return saying(
    `The terminal has ${count(size.rows, "row")} and ${count(size.cols, "column")} now.`,
  );
}

async function kill(deps: CommandDeps, asked: Asked): Promise<Answer> {
  const workspace = await existingWorkspace(deps, asked);
  const { processes } = await workspace.killAll();
  if (processes.length === 0) return saying("Everything in the workspace was stopped.");
  const left = processes.map(({ pid, command }) => `${pid} ${command}`).join("\n");
  throw new CommandRefusedError(
    `These are still running:\n\`\`\`\n${left}\n\`\`\`\nSay \`reset\` to remove the workspace.`,
  );
}

async function select(
  deps: CommandDeps,
  asked: Asked,
  { lines = "" }: Readonly<Record<string, string>>,
): Promise<Answer> {
  const [first = 0, last = 0] = lines.split("-").map(Number);
  const history = (await historyOf(deps, asked)).text.split("\n");
  if (first < 1 || last < first || first > history.length) {
    throw new CommandRefusedError(
      `Choose lines from 1 to ${history.length}, e.g. \`terminal select 1-5\`.`,
    );
  }
  const text = history.slice(first - 1, last).join("\n");
  await keepSelection(deps, asked, text);
  return shownOutput(deps.redactor, text, {
    title: `Selected, lines ${first}-${Math.min(last, history.length)}; the agent can read them now`,
    file: "selection.txt",
  });
}

/** At once, since a program may wait for it; where a human has to be asked, in a turn of its own. */
async function callOrTurn(
  deps: CommandDeps,
  asked: Asked,
  operation: string,
  args: Readonly<Record<string, string>>,
): Promise<Answer> {
  await withTerminal(deps, asked);
  const call = {
    name: `terminal_operations.${operation}`,
    arguments: { session_id: asked.conversation, ...args },
  };
  const result = await callNow(deps, asked, call);
  return result ? directResult(deps.redactor, call, result) : { calls: [call] };
}

interface ShownHistory {
  readonly text: string;
  /** For titles. */
  readonly state: "" | " (asleep)";
}

async function historyOf(deps: CommandDeps, asked: Asked): Promise<ShownHistory> {
  const { text, isOpen, isAsleep } = await readTerminalHistory(deps, asked, asked.conversation);
  if (text !== "") return { text, state: isAsleep ? " (asleep)" : "" };
  throw new CommandRefusedError(isOpen ? "Nothing has been run in the terminal yet." : NO_TERMINAL);
}

const NO_TERMINAL = "No terminal is open in this thread. A command opens one: `$ pwd`.";

/** A workspace that sleeps has no open terminal, and is not woken to find that out. */
async function withTerminal(deps: CommandDeps, asked: Asked): Promise<Workspace> {
  const { summary } = await knownWorkspace(deps, asked);
  if (summary.state !== "running") throw new CommandRefusedError(NO_TERMINAL);
  const workspace = await existingWorkspace(deps, asked);
  const open = await workspace.terminals();
  if (open.some(({ session_id }) => session_id === asked.conversation)) return workspace;
  throw new CommandRefusedError(NO_TERMINAL);
}
