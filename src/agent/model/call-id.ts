import { randomBytes } from "node:crypto";

/** Never the server's own: some number their calls from 0 in every step, and a repeated id would adopt an old result. */
export function newCallId(): string {
  return `call_${randomBytes(12).toString("hex")}`;
}
