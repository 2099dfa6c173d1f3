import { constants, openSync } from "node:fs";
import { join } from "node:path";
import { FileLedger } from "../../../sandbox-image/server/ledger.ts";

/** Opens the two files of a ledger, as the image's init does for a server that is started anew. */
export function openLedger(directory: string): FileLedger {
  const flags = constants.O_RDWR | constants.O_CREAT;
  const fds = ["ledger.a", "ledger.b"].map((name) => openSync(join(directory, name), flags));
  return new FileLedger(fds as [number, number]);
}
