import { startupSnapshot } from "node:v8";
import { buildAndVersionControl } from "../../src/contract/build-and-version-control.ts";
import { LINE_LIMIT_BYTES } from "../../src/contract/channel.ts";
import { checkpointOperations } from "../../src/contract/checkpoints.ts";
import { fileOperations } from "../../src/contract/file-operations.ts";
import { LineSplitter } from "../../src/contract/lines.ts";
import { terminalOperations } from "../../src/contract/terminal-operations.ts";
import { buildHandlers, rootBuildHandlers } from "./build/handlers.ts";
import { TaskRuns } from "./build/tasks/task-runs.ts";
import { Calls } from "./calls.ts";
import { checkpointHandlers } from "./checkpoints/handlers.ts";
import { Connections } from "./connection.ts";
import { watchForSilence } from "./deadman.ts";
import type { DirectMethods } from "./direct.ts";
import { fileHandlers } from "./files/handlers.ts";
import { LatchLedger } from "./latch-ledger.ts";
import { FileLedger } from "./ledger.ts";
import { directMethods, rootMethods } from "./methods.ts";
import { rootTerminalHandlers } from "./root.ts";
import { makeServer } from "./server.ts";
import { imageSettings, rootSettings } from "./settings.ts";
import { createTerminals } from "./terminal/terminals.ts";
import { serve, Tools } from "./tools.ts";
import { openStdout } from "./wire.ts";

/** Opened as root by the image's init, before it gave its privileges up. */
const LEDGER_FILES = [3, 4] as const;
const ROOT_CALLS = "/var/lib/deckhand/root-calls";

// The image starts the server from a snapshot of its heap, taken when all modules had been loaded.
if (startupSnapshot.isBuildingSnapshot()) startupSnapshot.setDeserializeMainFunction(main);
else main();

function main(): void {
  if (process.argv.at(-1) === "root") serveOneRootCall();
  else serveWorkspace();
}

/** The workspace's server: lives as long as its container, for one client after another. */
function serveWorkspace(): void {
  const settings = imageSettings();
  const ledger = new FileLedger(LEDGER_FILES);
  ledger.takeBackCutExchanges();
  const terminals = createTerminals(settings);
  terminals.prewarm().catch(() => {}); // the first command opens a terminal, or says why it cannot
  const runs = new TaskRuns(settings, { background: terminals.background });
  const lastOutput = (conversation: string) => runs.lastOutput(conversation);
  const tools = new Tools([
    serve(fileOperations, fileHandlers(settings, { lastOutput, exchangeLog: ledger })),
    serve(terminalOperations, terminals.handlers),
    serve(buildAndVersionControl, buildHandlers(settings, { runs })),
  ]);
  const calls = new Calls(tools, ledger);
  const heard = watchForSilence(
    () => calls.running.length > 0 || terminals.backgroundRunning() > 0,
  );
  const methods = directMethods({ calls, terminals, settings });
  listen({ tools, methods }, { onLine: heard, onEnd: () => process.exit(0) });
}

/** A server for one approved call: ends when its client has gone and the call is over. */
function serveOneRootCall(): void {
  const settings = rootSettings();
  const tools = new Tools([
    serve(fileOperations, fileHandlers(settings)),
    serve(terminalOperations, rootTerminalHandlers(settings)),
    serve(buildAndVersionControl, rootBuildHandlers(settings)),
    serve(checkpointOperations, checkpointHandlers(settings)),
  ]);
  const calls = new Calls(tools, new LatchLedger(ROOT_CALLS));
  process.on("SIGTERM", () => {
    for (const id of calls.running) void calls.cancel(id);
  });
  // Standard input has ended: a running call keeps the process alive, and nothing else does.
  listen({ tools, methods: rootMethods(calls) }, { onLine: () => {}, onEnd: () => {} });
}

function listen(
  { tools, methods }: { tools: Tools; methods: DirectMethods },
  on: { onLine: () => void; onEnd: () => void },
): void {
  const wire = openStdout(() => {}); // a client that has gone: the ledger keeps the result for the next
  const connections = new Connections(wire, () => makeServer(tools), methods);
  const lines = new LineSplitter(
    {
      line: (line) => {
        on.onLine();
        connections.receive(line);
      },
      overlong: () => connections.refuse("longer than the limit"),
    },
    LINE_LIMIT_BYTES,
  );
  process.stdin.on("data", (chunk: Buffer) => lines.push(chunk));
  process.stdin.on("end", on.onEnd);
}
