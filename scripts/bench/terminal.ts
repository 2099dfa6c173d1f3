import type { Workspace } from "../../src/contract/workspace/workspace.ts";
import { type BenchOptions, interleaved, median, rounded, timed } from "./figures.ts";
import { command, docker, drain, openLab } from "./lab.ts";

const ROUNDS = { full: 3, brief: 2 };
const MEGABYTES = 200;
const BYTES = MEGABYTES * 1024 * 1024;
const FILE = "/workspace/flood";

/** 200 MB of terminal output until all of it has been read, against `docker exec -t cat`. */
export async function benchTerminal({ effort }: BenchOptions) {
  await using lab = await openLab({ poolSize: 0 });
  const workspace = await lab.open();
  await command(
    workspace,
    `yes 'a line of output as a build prints it, neither short nor long' | head -c ${BYTES} > ${FILE}`,
  );
  const container = await containerOf(workspace);

  const times = await interleaved(ROUNDS[effort], {
    deckhand: () => timed(() => readAll(workspace)),
    exec: () => timed(() => readByExec(container)),
  });
  const ratio = median(times.exec) / median(times.deckhand);
  const perSecond = (ms: number) => rounded((MEGABYTES * 1000) / ms);
  return {
    ratio: rounded(ratio),
    megabytesPerSecond: perSecond(median(times.deckhand)),
    execMegabytesPerSecond: perSecond(median(times.exec)),
    ok: ratio >= 0.8,
  };
}

async function readAll(workspace: Workspace): Promise<void> {
  const [terminal] = await workspace.terminals();
  if (!terminal) throw new Error("no terminal is open");
  const stop = new AbortController();
  let read = 0;
  const following = workspace.follow(terminal.session_id, {
    fromIndex: terminal.end_index,
    signal: stop.signal,
    onOutput: (piece) => {
      read += piece.output.length;
      if (read >= BYTES) stop.abort();
    },
  });
  await Promise.all([following, command(workspace, `cat ${FILE}`)]);
  if (read < BYTES) throw new Error(`only ${read} of ${BYTES} characters arrived`);
}

async function readByExec(container: string): Promise<void> {
  const bytes = await drain("docker", ["exec", "-t", container, "cat", FILE]);
  if (bytes < BYTES) throw new Error(`only ${bytes} of ${BYTES} bytes arrived`);
}

async function containerOf(workspace: Workspace): Promise<string> {
  const found = await docker("ps", "-q", "--filter", `label=deckhand.workspace=${workspace.id}`);
  return found.trim();
}
