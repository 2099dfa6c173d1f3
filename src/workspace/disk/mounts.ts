import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

const SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin";
const TOOL_TIMEOUT_MS = 30_000;

/** Every place that something is mounted on, as this process sees it. */
export async function mountPoints(): Promise<Set<string>> {
  const table = await readFile("/proc/self/mountinfo", "utf8").catch(() => "");
  return new Set(table.split("\n").map((line) => decoded(line.split(" ")[4] ?? "")));
}

/** Also where another process unmounts the same place meanwhile: it only matters that nothing is mounted there. */
export async function unmount(point: string): Promise<void> {
  try {
    await systemTool("umount", ["--lazy", point]);
  } catch (error) {
    if ((await mountPoints()).has(point)) throw error;
  }
}

export async function systemTool(
  name: string,
  args: string[],
  { timeoutMs = TOOL_TIMEOUT_MS } = {},
): Promise<void> {
  await run(name, args, { timeout: timeoutMs, env: { PATH: SYSTEM_PATH } });
}

/** The kernel writes spaces, tabs, line ends and backslashes as three octal digits. */
function decoded(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
