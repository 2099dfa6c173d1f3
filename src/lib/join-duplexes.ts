import type { Duplex } from "node:stream";

/** One end of a joined connection. */
interface JoinedSide {
  readonly stream: Duplex;
  /** Ends it so that its peer sees an error and never a clean end. */
  readonly abort: (error: Error) => void;
  /** Undefined as long as all that was sent has arrived; for streams that end in a way that looks clean and is not. */
  readonly truncation?: () => Error | undefined;
  /** Told of each piece that came from it. What it returns is how long to wait, in ms, before the next one is read. */
  readonly onBytes?: (bytes: number) => number;
}

/**
 * Carries bytes both ways until both sides have ended; each side may end its own direction first. An error on one side is
 * an error on the other. Resolves with what went wrong.
 */
export function joinDuplexes(left: JoinedSide, right: JoinedSide): Promise<Error | undefined> {
  const { promise, resolve } = Promise.withResolvers<Error | undefined>();
  let open = 2;
  let failure: Error | undefined;
  const fail = (error: Error) => {
    if (failure) return;
    failure = error;
    left.abort(error);
    right.abort(error);
  };
  for (const [from, to] of [
    [left, right],
    [right, left],
  ] as const) {
    const { stream } = from;
    stream.on("error", fail);
    stream.once("close", () => {
      if (!stream.readableEnded || !stream.writableFinished)
        fail(new Error("The connection was cut."));
      open -= 1;
      if (open === 0) resolve(failure);
    });
    carry(from, to, fail);
    if (stream.destroyed) fail(new Error("The connection was cut."));
  }
  return promise;
}

function carry(from: JoinedSide, to: JoinedSide, fail: (error: Error) => void): void {
  const { stream: source, onBytes } = from;
  const { stream: target } = to;
  let holds = 0;
  const release = () => {
    holds -= 1;
    if (holds === 0) source.resume();
  };
  source.on("data", (chunk: Buffer) => {
    if (target.destroyed) return;
    const waitMs = onBytes?.(chunk.length) ?? 0;
    const isFull = !target.write(chunk);
    if (waitMs < 1 && !isFull) return;
    source.pause();
    if (isFull) {
      holds += 1;
      target.once("drain", release);
    }
    if (waitMs >= 1) {
      holds += 1;
      setTimeout(release, waitMs);
    }
  });
  source.once("end", () => {
    const truncation = from.truncation?.();
    if (truncation) fail(truncation);
    else target.end();
  });
  source.resume();
}
