import type { Backend } from "../backend.ts";
import { keyvOver } from "../keyv.ts";
import { Connection } from "./connection.ts";
import { inboxOnSqlite } from "./inbox.ts";
import { journalOnSqlite } from "./journal.ts";
import { documentKeys, keyvOnSqlite } from "./keyv-adapter.ts";

/** Everything in one file. Several processes of one machine may have it open. */
export async function openSqlite(file: string): Promise<Backend> {
  const connection = await Connection.open(file);
  return {
    name: `The database ${file}`,
    keyv: keyvOver(keyvOnSqlite(connection)),
    keys: (prefix) => documentKeys(connection, prefix),
    ...journalOnSqlite(connection),
    inbox: inboxOnSqlite(connection),
    close: () => connection.close(),
  };
}
