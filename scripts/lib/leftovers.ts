import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { z } from "zod";

const run = promisify(execFile);
const Instance = z.object({ instance: z.string() });

/** Removes containers and volumes of every bot that has its data below the directory. */
export async function removeLeftovers(directory: string): Promise<void> {
  for (const file of globSync(`${directory}/**/instance.json`))
    await removeInstance(readInstance(readFileSync(file, "utf8")));
}

/** The label of a bot's containers and volumes, from the content of its instance.json. */
export function readInstance(text: string): string {
  return Instance.parse(JSON.parse(text)).instance;
}

export async function removeInstance(instance: string): Promise<void> {
  const filter = ["--quiet", "--filter", `label=deckhand.instance=${instance}`];
  const containers = await listed("ps", "--all", ...filter);
  if (containers.length > 0) await run("docker", ["rm", "--force", ...containers]);
  for (const volume of await listed("volume", "ls", ...filter)) await removeVolume(volume);
}

async function removeVolume(volume: string): Promise<void> {
  const [data = ""] = await listed("volume", "inspect", "--format", "{{.Mountpoint}}", volume);
  for (const point of [data, data.replace(/_data$/, "disk")]) {
    await run("umount", ["--lazy", point]).catch(() => undefined); // most have nothing mounted
  }
  await run("docker", ["volume", "rm", "--force", volume]);
}

/** The words that docker prints. */
export async function listed(...args: string[]): Promise<string[]> {
  return (await run("docker", args)).stdout.split(/\s+/).filter((word) => word !== "");
}
