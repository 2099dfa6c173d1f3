import { setTimeout as sleep } from "node:timers/promises";
import type { Workspace } from "../../src/contract/workspace/workspace.ts";
import { DockerExec } from "./docker-exec.ts";
import { median, rounded, timed } from "./figures.ts";
import { call, command, openLab } from "./lab.ts";

const ROUNDS = 30;
const EDITS_A_ROUND = 2;
const SEDS_A_ROUND = 1;
const BYTES = 5_000_000;
/** What an exec leaves to tidy up for the engine must not fall on the next edit. */
const SETTLE_MS = 100;
/** One line of a hundred thousand, and what it is to become. */
const LINE = '  settings.set("option_050000", { value: 50000, unit: "ms" });';
const OTHER_LINE = '  settings.set("option_050000", { value: 7, unit: "minutes" });';

/** replace_string in a 5 MB file, there and back, against `sed -i` by an exec of its own. */
export async function benchEdit() {
  await using lab = await openLab({ poolSize: 0 });
  const workspace = await lab.open();
  const container = await DockerExec.in(workspace.id);
  const format = '  settings.set("option_%06g", { value: %.0f, unit: "ms" });';
  await command(
    workspace,
    `seq 1 100000 | awk '{ printf "${format.replaceAll('"', '\\"')}\\n", $1, $1 }' | head -c ${BYTES} > ours; cp ours theirs; sync`,
  );
  const edit = thereAndBack((from, to) => replace(workspace, from, to));
  const sed = thereAndBack((from, to) =>
    container.run(["sed", "-i", `s/${from}/${to}/`, "/workspace/theirs"]),
  );
  for (let count = 0; count < SEDS_A_ROUND; count += 1) await Promise.all([edit(), sed()]);

  const times = { deckhand: [] as number[], sed: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let count = 0; count < EDITS_A_ROUND; count += 1) times.deckhand.push(await timed(edit));
    for (let count = 0; count < SEDS_A_ROUND; count += 1) times.sed.push(await timed(sed));
    await sleep(SETTLE_MS);
  }
  await command(workspace, "cmp ours theirs");
  const ratio = median(times.sed) / median(times.deckhand);
  return {
    ratio: rounded(ratio),
    medianMs: rounded(median(times.deckhand)),
    sedMedianMs: rounded(median(times.sed)),
    ok: ratio >= 10,
  };
}

function thereAndBack(edit: (from: string, to: string) => Promise<unknown>) {
  let [from, to] = [LINE, OTHER_LINE];
  return async () => {
    await edit(from, to);
    [from, to] = [to, from];
  };
}

function replace(workspace: Workspace, oldString: string, newString: string) {
  return call(workspace, "file_operations", {
    operation: "replace_string",
    filePath: "ours",
    oldString,
    newString,
    expectedReplacements: 1,
  });
}
