import { randomUUID } from "node:crypto";
import { type BenchOptions, median, rounded, timed } from "./figures.ts";
import { command, openLab } from "./lab.ts";
import { plantTree } from "./tree.ts";

const ROUNDS = { full: 3, brief: 1 };
const FILES = 10_000;
const CHANGED = 10;

/** A checkpoint of 10,000 files after 10 of them changed, against the first one, each with its server's start. */
export async function benchCheckpoint({ effort }: BenchOptions) {
  const rounds: { first: number; second: number }[] = [];
  for (let round = 0; round < ROUNDS[effort]; round += 1) rounds.push(await measured());
  const first = median(rounds.map((one) => one.first));
  const second = median(rounds.map((one) => one.second));
  const again = second / first;
  return {
    again: rounded(again),
    firstMs: rounded(first),
    secondMs: rounded(second),
    ok: again <= 0.1,
  };
}

/** In a workspace of its own: only one checkpoint can be the first. */
async function measured(): Promise<{ first: number; second: number }> {
  await using lab = await openLab({ poolSize: 0 });
  const workspace = await lab.open();
  await plantTree(workspace, { files: FILES, linesPerFile: 30, word: "needle" });
  const keep = () => workspace.checkpoints.create({ callId: randomUUID(), label: "bench" });
  const first = await timed(keep);
  await command(
    workspace,
    `for n in $(seq 1 1000 ${FILES}); do echo changed >> project/part-$((n / 100))/source-$n.ts; done`,
  );
  const second = await timed(keep);
  const { checkpoints } = await workspace.checkpoints.list();
  const [newest, oldest] = checkpoints;
  const { changed } = await workspace.checkpoints.diff(oldest?.checkpoint ?? "", {
    against: newest?.checkpoint ?? "",
  });
  if (changed !== CHANGED) throw new Error(`${changed} instead of ${CHANGED} files changed`);
  return { first, second };
}
