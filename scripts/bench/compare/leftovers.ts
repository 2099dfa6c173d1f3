import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { z } from "zod";
import { docker } from "../lab.ts";

const run = promisify(execFile);
const Instance = z.object({ instance: z.string() });

/** Removes containers and volumes of every bot that has its data below the directory. */
export async function removeLeftovers(directory: string): Promise<void> {
  for (const file of globSync(`${directory}/**/instance.json`)) {
    const { instance } = Instance.parse(JSON.parse(readFileSync(file, "utf8")));
    const filter = ["--quiet", "--filter", `label=deckhand.instance=${instance}`];
    const containers = wordsOf(await docker("ps", "--all", ...filter));
    if (containers.length > 0) await docker("rm", "--force", ...containers);
    for (const volume of wordsOf(await docker("volume", "ls", ...filter))) await remove(volume);
  }
}

async function remove(volume: string): Promise<void> {
  const data = (await docker("volume", "inspect", "--format", "{{.Mountpoint}}", volume)).trim();
  for (const point of [data, data.replace(/_data$/, "disk")]) {
    await run("umount", ["--lazy", point]).catch(() => undefined); // most have nothing mounted
  }
  await docker("volume", "rm", "--force", volume);
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
