import { setTimeout as sleep } from "node:timers/promises";
import { DockerExec } from "./docker-exec.ts";
import { type BenchOptions, median, rounded } from "./figures.ts";
import { command, openLab } from "./lab.ts";

const WORKSPACES = { full: 5, brief: 2 };
const SETTLE_MS = 5_000;

/** Memory of a workspace that has run a command and now waits, by its container's cgroup. */
export async function benchIdle({ effort }: BenchOptions) {
  await using lab = await openLab({ poolSize: 0 });
  const megabytes: number[] = [];
  for (let count = 0; count < WORKSPACES[effort]; count += 1) {
    const workspace = await lab.open();
    await command(workspace, "echo ready");
    await sleep(SETTLE_MS);
    const container = await DockerExec.in(workspace.id);
    megabytes.push((await container.memoryBytes()) / 1024 / 1024);
  }
  const mb = median(megabytes);
  return { mb: rounded(mb), most: rounded(Math.max(...megabytes)), ok: mb <= 45 };
}
