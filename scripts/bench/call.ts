import { setTimeout as sleep } from "node:timers/promises";
import { DockerExec } from "./docker-exec.ts";
import { median, quantile, rounded, timed } from "./figures.ts";
import { call, command, openLab } from "./lab.ts";

const ROUNDS = 40;
const CALLS_A_ROUND = 25;
const EXECS_A_ROUND = 5;
/** What an exec leaves to tidy up for the engine must not fall on the next call. */
const SETTLE_MS = 50;

/** A read of a 1 KB file through the whole workspace path, against `cat` by an exec of its own, in turns. */
export async function benchCall() {
  await using lab = await openLab({ poolSize: 0 });
  const workspace = await lab.open();
  await command(workspace, "head -c 1024 /dev/zero | tr '\\0' x > one-kb");
  const rival = await DockerExec.in(workspace.id);
  const read = () =>
    call(workspace, "file_operations", { operation: "read_file", filePath: "one-kb" });
  const exec = () => rival.run(["cat", "/workspace/one-kb"]);
  for (let round = 0; round < 20; round += 1) await Promise.all([read(), exec()]);

  const times = { deckhand: [] as number[], exec: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let count = 0; count < CALLS_A_ROUND; count += 1) times.deckhand.push(await timed(read));
    for (let count = 0; count < EXECS_A_ROUND; count += 1) times.exec.push(await timed(exec));
    await sleep(SETTLE_MS);
  }
  const ratio = median(times.exec) / median(times.deckhand);
  const ratioP95 = quantile(times.exec, 0.95) / quantile(times.deckhand, 0.95);
  return {
    ratio: rounded(ratio),
    ratioP95: rounded(ratioP95),
    medianMs: rounded(median(times.deckhand)),
    execMedianMs: rounded(median(times.exec)),
    ok: ratio >= 45 && ratioP95 >= 15,
  };
}
