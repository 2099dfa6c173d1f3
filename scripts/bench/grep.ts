import { DockerExec } from "./docker-exec.ts";
import { interleaved, median, rounded, timed } from "./figures.ts";
import { call, openLab } from "./lab.ts";
import { plantTree } from "./tree.ts";

const ROUNDS = 31;
const FILES = 20_000;
const MATCHES = FILES / 100;
const WORD = "needle";

/** grep_search through the whole workspace path, against `rg` in a shell of the same container that is open already. */
export async function benchGrep() {
  await using lab = await openLab({ poolSize: 0 });
  const workspace = await lab.open();
  await plantTree(workspace, { files: FILES, linesPerFile: 30, word: WORD });
  const container = await DockerExec.in(workspace.id);
  using shell = await container.shell();
  const search = async () => {
    const args = { operation: "grep_search", query: WORD, maxResults: MATCHES };
    const { totalCount } = await call(workspace, "file_operations", args);
    expectMatches(Number(totalCount));
  };
  const rg = async () => {
    const output = await shell.run(`rg --ignore-case --fixed-strings --line-number ${WORD} ./`);
    expectMatches(output.trim().split("\n").length);
  };
  await search();
  await rg();

  const times = await interleaved(ROUNDS, { deckhand: () => timed(search), rg: () => timed(rg) });
  const ratio = median(times.deckhand) / median(times.rg);
  return {
    ratio: rounded(ratio),
    medianMs: rounded(median(times.deckhand)),
    rgMedianMs: rounded(median(times.rg)),
    ok: ratio <= 1.3,
  };
}

function expectMatches(found: number): void {
  if (found !== MATCHES) throw new Error(`${found} instead of ${MATCHES} matches`);
}
