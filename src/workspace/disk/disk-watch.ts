import { randomUUID } from "node:crypto";
import {
  checkpointOperations,
  evictionText,
  TrimReport,
} from "../../contract/workspace/checkpoints.ts";
import { Demux } from "../channel/demux.ts";
import type { Engine } from "../docker/docker.ts";
import { MEASURE } from "../docker/exec-commands.ts";
import type { LiveWorkspace } from "../live-workspace.ts";
import { stateDiskBytes } from "./disk-limit.ts";

const OVERFULL =
  "The workspace is over its disk limit, so everything that ran in it was stopped. " +
  "Delete files to continue.";

/** What the watch needs of a live workspace. */
export interface Watched extends Pick<LiveWorkspace, "tell" | "use" | "callUnseen"> {
  readonly container: { readonly name: string };
  readonly link: { readonly isOpen: boolean };
  channel(): Promise<{ request(name: "killAll", params: object): Promise<unknown> }>;
}

/**
 * Where the kernel does not hold the disk limit: removes the oldest checkpoints of a store that is over its limit, as one
 * of an older version may be, and ends what runs in a workspace that is over its own.
 */
export async function watchDisk(engine: Engine, live: Watched, limitBytes: number): Promise<void> {
  if (!live.link.isOpen) return;
  const used = await measure(engine, live.container.name);
  const files = (used.get("/workspace") ?? 0) + (used.get("/home/agent") ?? 0);
  const state = used.get("/var/lib/deckhand") ?? 0;
  const isStateOver = state > stateDiskBytes(limitBytes);
  const evicted = isStateOver ? await live.use(() => trimCheckpoints(live, limitBytes)) : 0;
  if (evicted > 0) live.tell(evictionText(evicted));
  if (files <= limitBytes && (!isStateOver || evicted > 0)) return;
  live.tell(OVERFULL);
  await (await live.channel()).request("killAll", {});
}

async function trimCheckpoints(live: Watched, limitBytes: number): Promise<number> {
  const id = randomUUID();
  const args = { operation: "trim", store_limit_bytes: limitBytes };
  const call = { id, tool: checkpointOperations.name, args, as: "root" } as const;
  const report = await live.callUnseen(call, { meta: { "deckhand/call": id } });
  return TrimReport.safeParse(report).data?.evicted ?? 0;
}

async function measure(engine: Engine, container: string): Promise<Map<string, number>> {
  const exec = await engine.exec(container, MEASURE);
  if (typeof exec === "string") return new Map();
  let text = "";
  const demux = new Demux(
    (piece) => {
      text = (text + piece.toString("utf8")).slice(-1000);
    },
    () => {},
  );
  exec.stream.on("data", (chunk: Buffer) => demux.push(chunk));
  await new Promise((resolve) => {
    exec.stream.on("close", resolve);
    exec.stream.on("end", resolve);
    exec.stream.on("error", resolve);
  });
  const lines = [...text.matchAll(/^(\d+)\t(\S+)$/gm)];
  return new Map(lines.map(([, kib, path]) => [path ?? "", Number(kib) * 1024]));
}
