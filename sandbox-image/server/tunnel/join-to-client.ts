import type { ClientHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { joinDuplexes } from "../../../src/lib/join-duplexes.ts";

/** Carries bytes between a program's socket and its stream to the bot. A broken stream resets the program's connection. */
export function joinToClient(stream: ClientHttp2Stream, socket: Socket): Promise<unknown> {
  return joinDuplexes(
    {
      stream,
      abort: (error) => stream.destroy(error),
      // Without an error code in it, a reset stream looks like one that has ended.
      truncation: () => (stream.rstCode ? new Error("The connection was reset.") : undefined),
    },
    { stream: socket, abort: () => socket.resetAndDestroy() },
  );
}
