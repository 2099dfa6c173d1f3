import { Demux } from "./demux.ts";
import { stateDiskBytes } from "./disk-limit.ts";
import type { Engine } from "./docker.ts";

/** As root: the workload cannot hide a directory from it, and the state is root's own. */
const MEASURE = ["du", "-sk", "/workspace", "/home/agent", "/var/lib/deckhand"];
const OVERFULL =
  "The workspace holds more than its disk limit, so everything that ran in it was stopped. " +
  "Delete what is not needed.";

/** What the watch needs of a live workspace. */
export interface Watched {
  readonly container: { readonly name: string };
  readonly link: { readonly isOpen: boolean };
  tell(notice: string): void;
  channel(): Promise<{ request(name: "killAll", params: object): Promise<unknown> }>;
}

/** Where the kernel does not hold the disk limit: ends what runs in a workspace that is over it. */
export async function watchDisk(engine: Engine, live: Watched, limitBytes: number): Promise<void> {
  if (!live.link.isOpen) return;
  const used = await measure(engine, live.container.name);
  const files = (used.get("/workspace") ?? 0) + (used.get("/home/agent") ?? 0);
  const state = used.get("/var/lib/deckhand") ?? 0;
  if (files <= limitBytes && state <= stateDiskBytes(limitBytes)) return;
  live.tell(OVERFULL);
  await (await live.channel()).request("killAll", {});
}

async function measure(engine: Engine, container: string): Promise<Map<string, number>> {
  const exec = await engine.exec(container, { command: MEASURE, user: "0:0" });
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
