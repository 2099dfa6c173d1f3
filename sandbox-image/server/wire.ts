import { fstatSync } from "node:fs";
import { Socket } from "node:net";

/** The bytes that leave: one JSON line each. */
export interface Wire {
  send(message: unknown): void;
}

/**
 * Standard output as a socket, because `process.stdout` writes to a pipe synchronously: a host that
 * stops reading would stop the whole server with it.
 */
export function openStdout(onError: (error: Error) => void): Wire {
  const out = isPipe(1) ? new Socket({ fd: 1, readable: false, writable: true }) : process.stdout;
  out.on("error", onError);
  return {
    send: (message) => {
      out.write(`${JSON.stringify(message)}\n`);
    },
  };
}

function isPipe(fd: number): boolean {
  const stats = fstatSync(fd);
  return stats.isFIFO() || stats.isSocket();
}
