import { setTimeout as sleep } from "node:timers/promises";
import { DockerExec } from "./docker-exec.ts";
import { type BenchOptions, interleaved, median, quantile, rounded, timed } from "./figures.ts";
import { call, command, openLab } from "./lab.ts";

const TURNS = { full: 20, brief: 12 };
const TURN = 10;
const WARM_UP = 20;
const LONE_ROUNDS = { full: 60, brief: 20 };
/** Long enough for everybody on the way to fall asleep, and for the engine to tidy up after an exec. */
const SILENCE_MS = 50;

/**
 * A read of a 1 KB file through the whole workspace path, against `cat` by an exec of its own, in turns of ten each.
 * `alone` is the same one by one, each after a silence: then waking the machine is the larger part of a call.
 */
export async function benchCall({ effort }: BenchOptions) {
  await using lab = await openLab({ poolSize: 0 });
  const workspace = await lab.open();
  await command(workspace, "head -c 1024 /dev/zero | tr '\\0' x > one-kb");
  const rival = await DockerExec.in(workspace.id);
  const read = () =>
    call(workspace, "file_operations", { operation: "read_file", filePath: "one-kb" });
  const exec = () => rival.run(["cat", "/workspace/one-kb"]);
  for (let count = 0; count < WARM_UP; count += 1) await Promise.all([read(), exec()]);

  const turns = await interleaved(TURNS[effort], {
    deckhand: () => inARow(read),
    exec: () => inARow(exec),
  });
  const times = { deckhand: turns.deckhand.flat(), exec: turns.exec.flat() };
  const alone = await interleaved(LONE_ROUNDS[effort], {
    deckhand: () => afterSilence(read),
    exec: () => afterSilence(exec),
  });

  const ratio = median(times.exec) / median(times.deckhand);
  const ratioP95 = quantile(times.exec, 0.95) / quantile(times.deckhand, 0.95);
  return {
    ratio: rounded(ratio),
    ratioP95: rounded(ratioP95),
    alone: rounded(median(alone.exec) / median(alone.deckhand)),
    medianMs: rounded(median(times.deckhand)),
    p95Ms: rounded(quantile(times.deckhand, 0.95)),
    execMedianMs: rounded(median(times.exec)),
    aloneMs: rounded(median(alone.deckhand)),
    ok: ratio >= 45 && ratioP95 >= 15,
  };
}

async function inARow(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < TURN; count += 1) times.push(await timed(work));
  return times;
}

async function afterSilence(work: () => Promise<unknown>): Promise<number> {
  await sleep(SILENCE_MS);
  return timed(work);
}
