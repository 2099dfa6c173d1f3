import type { Duplex } from "node:stream";

/** Carries bytes both ways. An end of one direction is passed on; when either side is lost, so is the other. */
export function joinStreams(one: Duplex, other: Duplex): void {
  carry(one, other);
  carry(other, one);
}

// Not `pipe`: it looks at more states for each piece, and every call of the bot takes this way.
function carry(from: Duplex, to: Duplex): void {
  from.on("data", (piece: Buffer) => {
    if (to.write(piece)) return;
    from.pause();
    to.once("drain", () => from.resume());
  });
  from.on("end", () => to.end());
  from.on("error", () => to.destroy());
  from.on("close", () => {
    if (!from.readableEnded) to.destroy();
  });
  // It was paused where the body before the stream came in pieces; a listener alone would leave it so.
  from.resume();
}
