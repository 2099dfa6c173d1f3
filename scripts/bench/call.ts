import { setTimeout as sleep } from "node:timers/promises";
import { DockerExec } from "./docker-exec.ts";
import { interleaved, median, quantile, rounded, timed } from "./figures.ts";
import { call, command, openLab } from "./lab.ts";

const ROUNDS = 150;
const WARM_UP = 20;
const BURST = 500;
/** What an exec leaves to tidy up for the engine must not fall on whoever comes next. */
const SETTLE_MS = 50;

/**
 * A read of a 1 KB file through the whole workspace path, against `cat` by an exec of its own, one by one.
 * `burst` is the same for calls that follow each other at once, as those of one step do.
 */
export async function benchCall() {
  await using lab = await openLab({ poolSize: 0 });
  const workspace = await lab.open();
  await command(workspace, "head -c 1024 /dev/zero | tr '\\0' x > one-kb");
  const rival = await DockerExec.in(workspace.id);
  const read = () =>
    call(workspace, "file_operations", { operation: "read_file", filePath: "one-kb" });
  const exec = () => rival.run(["cat", "/workspace/one-kb"]);
  for (let count = 0; count < WARM_UP; count += 1) await Promise.all([read(), exec()]);

  const settled = async (work: () => Promise<unknown>) => {
    await sleep(SETTLE_MS);
    return timed(work);
  };
  const times = await interleaved(ROUNDS, {
    deckhand: () => settled(read),
    exec: () => settled(exec),
  });
  const burst: number[] = [];
  for (let count = 0; count < BURST; count += 1) burst.push(await timed(read));

  const ratio = median(times.exec) / median(times.deckhand);
  const ratioP95 = quantile(times.exec, 0.95) / quantile(times.deckhand, 0.95);
  return {
    ratio: rounded(ratio),
    ratioP95: rounded(ratioP95),
    burst: rounded(median(times.exec) / median(burst)),
    medianMs: rounded(median(times.deckhand)),
    execMedianMs: rounded(median(times.exec)),
    ok: ratio >= 45 && ratioP95 >= 15,
  };
}
