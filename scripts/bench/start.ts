import { setTimeout as sleep } from "node:timers/promises";
import { type BenchOptions, interleaved, median, rounded, timed } from "./figures.ts";
import { command, docker, IMAGE, type Lab, openLab } from "./lab.ts";

const ROUNDS = { full: 15, brief: 5 };
/** Long enough for the pool to have made the next workspace, which would disturb every measurement. */
const REFILL_MS = 2_500;

/** A workspace until its first command has printed, against a bare `docker run` of the same image. */
export async function benchStart({ effort }: BenchOptions) {
  await using cold = await openLab({ poolSize: 0 });
  await using warm = await openLab({ poolSize: 1 });
  const run = () => docker("run", "--rm", "--network", "none", IMAGE, "true");
  await run();
  await firstCommand(cold);
  await sleep(REFILL_MS);

  const times = await interleaved(ROUNDS[effort], {
    run: () => timed(run),
    cold: () => timed(() => firstCommand(cold)),
    warm: async () => {
      const time = await timed(() => firstCommand(warm));
      await sleep(REFILL_MS);
      return time;
    },
  });
  const rival = median(times.run);
  const figures = { warm: median(times.warm) / rival, cold: median(times.cold) / rival };
  return {
    warm: rounded(figures.warm),
    cold: rounded(figures.cold),
    warmMs: rounded(median(times.warm)),
    coldMs: rounded(median(times.cold)),
    dockerRunMs: rounded(rival),
    ok: figures.warm <= 0.1 && figures.cold <= 1.4,
  };
}

async function firstCommand(lab: Lab): Promise<void> {
  const workspace = await lab.open();
  const { output } = await command(workspace, "echo ready");
  if (!String(output).includes("ready")) throw new Error(`unexpected output: ${String(output)}`);
}
