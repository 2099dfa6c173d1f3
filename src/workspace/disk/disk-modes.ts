import { chmod, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";

const TEMPLATE = /^(disk|state)-\d+\.ext4$/;
const OWNER_ONLY = { directory: 0o700, file: 0o600 };

/**
 * Keeps everyone but the bot's own user out of the disk images, which hold every file of their workspaces. Versions
 * before made them readable for everyone.
 */
export async function protectImages(
  dataDir: string,
  mountpoints: readonly string[],
): Promise<void> {
  await chmod(dataDir, OWNER_ONLY.directory);
  const templates = (await readdir(dataDir)).filter((name) => TEMPLATE.test(name));
  const images = mountpoints.map((data) => join(dirname(data), "disk.ext4"));
  for (const path of [...templates.map((name) => join(dataDir, name)), ...images]) {
    await chmod(path, OWNER_ONLY.file).catch(unlessAbsent);
  }
}

function unlessAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
