import { Demux } from "./demux.ts";
import type { Engine } from "./docker.ts";

const MEASURE = ["du", "-skx", "--total", "/workspace", "/home/agent"];
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
  if (used === undefined || used <= limitBytes) return;
  live.tell(OVERFULL);
  await (await live.channel()).request("killAll", {});
}

async function measure(engine: Engine, container: string): Promise<number | undefined> {
  const exec = await engine.exec(container, { command: MEASURE, user: "1000:1000" });
  if (typeof exec === "string") return undefined;
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
  const total = /(\d+)\s+total\s*$/.exec(text)?.[1];
  return total === undefined ? undefined : Number(total) * 1024;
}
