import { appendFileSync } from "node:fs";
import { startupSnapshot } from "node:v8";
import type { RanFunction } from "./coverage.ts";

const EVERY_MS = 5;

/** In place of the server's own start: notes all functions that run, as long as the program lives. */
export function start(main: () => void): void {
  const traced = () => {
    note();
    main();
  };
  if (startupSnapshot.isBuildingSnapshot()) startupSnapshot.setDeserializeMainFunction(traced);
  else traced();
}

function note(): void {
  // Not imported: the heap of a snapshot cannot hold the inspector.
  const { Session } = process.getBuiltinModule("node:inspector");
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const write = () =>
    session.post("Profiler.takePreciseCoverage", (_error, taken) => {
      const ran: RanFunction[] = taken.result.flatMap(({ url, functions }) =>
        functions
          .filter(({ ranges: [range] }) => range && range.count > 0 && range.startOffset > 0)
          .map(({ functionName: name, ranges: [range] }) => {
            return { url, name, offset: range?.startOffset ?? 0 };
          }),
      );
      const own = ran.filter(({ url }) => url.startsWith("file:///opt/deckhand/"));
      const line = `${JSON.stringify({ atMs: Date.now(), ran: own })}\n`;
      if (own.length > 0) appendFileSync(`/tmp/walk-${process.pid}`, line);
    });
  setInterval(write, EVERY_MS).unref();
  process.on("exit", write);
}
