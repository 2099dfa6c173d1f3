import type { StoreSettings } from "./settings.ts";
import { rewriteFile } from "./sqlite/rewrite-file.ts";

/** Removes from the disk what was deleted from the store. False: some of it stays until the bot has been restarted. */
export async function rewriteStore(settings: StoreSettings): Promise<boolean> {
  if (settings.kind === "sqlite") return rewriteFile(settings.file);
  const { RedisConnection } = await import("./redis/connection.ts");
  const connection = await RedisConnection.open(settings);
  try {
    await connection.ask((client) => client.bgRewriteAof());
    return true;
  } finally {
    await connection.close();
  }
}
