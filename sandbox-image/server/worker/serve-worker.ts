import { Socket } from "node:net";
import { buildAndVersionControl } from "../../../src/contract/tools/build-and-version-control.ts";
import { fileOperations } from "../../../src/contract/tools/file-operations.ts";
import { terminalOperations } from "../../../src/contract/tools/terminal-operations.ts";
import { setBugReporter } from "../bugs.ts";
import { buildHandlers } from "../build/handlers.ts";
import { TaskRuns } from "../build/tasks/task-runs.ts";
import { settleExchanges } from "../files/exchange-log.ts";
import { fileHandlers } from "../files/handlers.ts";
import { imageSettings } from "../settings.ts";
import { createTerminals, type Terminals } from "../terminal/terminals.ts";
import { serve, Tools } from "../tools.ts";
import type { Activity, AskName, Asks } from "./messages.ts";
import { SupervisorLink } from "./supervisor-link.ts";

const LONGEST_LOG = 4000;

/** The part of the workspace's server that acts: file operations, terminals and commands, as the workload's user. */
export function serveWorker(): void {
  const settings = imageSettings();
  const link = new SupervisorLink(new Socket({ fd: 0, readable: true, writable: true }));
  setBugReporter((text) => link.send({ kind: "log", text: text.slice(0, LONGEST_LOG) }));
  const terminals = createTerminals(settings);
  const runs = new TaskRuns(settings, { background: terminals.background });
  const lastOutput = (conversation: string) => runs.lastOutput(conversation);
  const tools = new Tools([
    serve(fileOperations, fileHandlers(settings, { lastOutput, exchangeLog: link })),
    serve(terminalOperations, terminals.handlers),
    serve(buildAndVersionControl, buildHandlers(settings, { runs })),
  ]);
  const answers = answersOf(terminals, link);
  link.serve({
    run: ([tool, operation, params], context) => tools.get(tool).run(operation, params, context),
    answer: async (name, params) => (answers[name] as (params: unknown) => unknown)(params),
    acknowledge: (sessionId, upToIndex) => terminals.ack(sessionId, upToIndex),
  });
  terminals.prewarm().catch(() => {}); // the first command opens a terminal, or says why it cannot
}

type Answers = { readonly [Name in AskName]: (params: Asks[Name]["params"]) => unknown };

function answersOf(terminals: Terminals, link: SupervisorLink): Answers {
  return {
    terminals: () => ({ terminals: terminals.list() }),
    resize: ({ session_id, ...size }) => terminals.resize(session_id, size),
    prewarm: () => terminals.rehearse(),
    follow: ({ session_id, from_index }) =>
      terminals.follow(session_id, from_index, (piece) => link.send({ kind: "output", piece })),
    unfollow: ({ session_id }) => terminals.unfollow(session_id),
    annotate: ({ conversation, call, text }) => terminals.annotate(conversation, call, text),
    activity: (): Activity => ({
      owners: [...terminals.owners],
      backgroundRunning: terminals.backgroundRunning(),
    }),
    killTerminals: () => terminals.killAll(),
    takeBack: ({ exchanges, isDone }) => settleExchanges(exchanges, isDone),
  };
}
