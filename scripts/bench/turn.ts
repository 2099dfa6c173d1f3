import type { Workspace, Workspaces } from "../../src/contract/workspace/workspace.ts";
import { call, say } from "../../test/support/model-server/replies.ts";
import type { SeenRequest } from "../../test/support/model-server/seen.ts";
import { WholeBot } from "../../test/support/whole-bot.ts";
import { median, quantile, rounded } from "./figures.ts";
import { openLab } from "./lab.ts";
import { startModelProcess } from "./model-process.ts";

const TURNS = 6;
const STEPS = 25;
const TURN_MS = 120_000;

/**
 * What the bot itself takes for a step: from the last byte of one answer of the model to the first of the next request,
 * without the time in which the workspace worked on the call. Reading, deciding, writing down and showing are in it.
 */
export async function benchTurn() {
  await using lab = await openLab({ poolSize: 0 });
  await using model = await startModelProcess();
  const worked: Worked[] = [];
  await using bot = await WholeBot.start({
    env: model.env,
    workspaces: timing(lab.workspaces, (one) => worked.push(one)),
  });

  const pauses: Pause[] = [];
  const cpuMs: number[] = [];
  let asked = 0;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const room = await bot.room();
    const marker = `marker-${turn}.`;
    await model.script(marker, replies());
    await room.say(`Read the files, please. ${marker}`);
    await room.sees("Read.", TURN_MS);
    const requests = (await model.requests()).slice(asked);
    asked += requests.length;
    cpuMs.push(cpuPerStep(worked));
    pauses.push(...pausesBetween(requests, worked.splice(0)));
    await lab.workspaces.reset(room.thread);
  }
  // The first steps of a process compile what they run.
  const own = pauses.slice(STEPS).map(({ wholeMs, workedMs }) => wholeMs - workedMs);
  const stepMs = median(own);
  return {
    stepMs: rounded(stepMs),
    stepP95Ms: rounded(quantile(own, 0.95)),
    toolMs: rounded(median(pauses.map(({ workedMs }) => workedMs))),
    cpuMs: rounded(median(cpuMs)),
    steps: own.length,
    ok: stepMs <= 15 && own.length >= 100,
  };
}

/** Half of the steps run a command, half of them read. Each is another one: who repeats himself is stopped. */
function replies() {
  const steps = Array.from({ length: STEPS }, (_, index) =>
    index % 2 === 0
      ? call("terminal_operations", {
          operation: "run_command",
          command: `echo ${index} > ${index}.txt`,
        })
      : call("file_operations", { operation: "read_file", filePath: `${index - 1}.txt` }),
  );
  return [...steps, say("Read.")];
}

/** One call in its workspace, and the processor time that the bot had used by its end. */
interface Worked {
  readonly ms: number;
  readonly cpuMs: number;
}

interface Pause {
  readonly wholeMs: number;
  readonly workedMs: number;
}

function pausesBetween(requests: readonly SeenRequest[], worked: readonly Worked[]): Pause[] {
  if (requests.length !== STEPS + 1 || worked.length !== STEPS) {
    throw new Error(`${requests.length} requests and ${worked.length} calls were made`);
  }
  return worked.map(({ ms: workedMs }, index) => {
    const answered = requests[index]?.answeredAtMs ?? Number.NaN;
    const next = requests[index + 1]?.receivedAtMs ?? Number.NaN;
    return { wholeMs: next - answered, workedMs };
  });
}

/** Between the ends of the first and the last call, when the workspace is there and nothing else goes on. */
function cpuPerStep(worked: readonly Worked[]): number {
  const spent = (worked.at(-1)?.cpuMs ?? Number.NaN) - (worked[0]?.cpuMs ?? Number.NaN);
  return spent / (worked.length - 1);
}

/** Tells how long each call took in its workspace. */
function timing(workspaces: Workspaces, told: (worked: Worked) => void): Workspaces {
  const open = workspaces.open.bind(workspaces);
  return Object.assign(workspaces, {
    open: async (...given: Parameters<Workspaces["open"]>) => {
      const workspace = await open(...given);
      const call = workspace.call.bind(workspace);
      return Object.assign(workspace, {
        call: async (...one: Parameters<Workspace["call"]>) => {
          const from = performance.now();
          const result = await call(...one);
          const { user, system } = process.cpuUsage();
          told({ ms: performance.now() - from, cpuMs: (user + system) / 1000 });
          return result;
        },
      });
    },
  });
}
