import { whileBusy } from "./connection.ts";
import { openFile } from "./database-file.ts";
import { sqliteProblem } from "./problems.ts";

/** Writes the file anew without what was deleted from it. False: a process that reads it keeps the old pages in its log. */
export async function rewriteFile(file: string): Promise<boolean> {
  try {
    const database = await whileBusy(() => openFile(file));
    try {
      await whileBusy(() => database.exec("VACUUM"));
      return database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
    } finally {
      database.close();
    }
  } catch (error) {
    throw sqliteProblem(file, error);
  }
}
