import { buildAndVersionControl } from "../../src/contract/tools/build-and-version-control.ts";
import { fileOperations } from "../../src/contract/tools/file-operations.ts";
import { terminalOperations } from "../../src/contract/tools/terminal-operations.ts";
import { approvedCode } from "../../src/contract/workspace/approved-run.ts";
import { checkpointOperations } from "../../src/contract/workspace/checkpoints.ts";
import { approvedCodeHandlers } from "./approved/handlers.ts";
import { rootBuildHandlers } from "./build/handlers.ts";
import { Calls } from "./calls.ts";
import { checkpointHandlers } from "./checkpoints/handlers.ts";
import { fileHandlers } from "./files/handlers.ts";
import { LatchLedger } from "./latch-ledger.ts";
import { listen } from "./listen.ts";
import { rootMethods } from "./methods.ts";
import { approvedTerminalHandlers, rootTerminalHandlers } from "./root.ts";
import { imageSettings, rootSettings } from "./settings.ts";
import { serve, Tools } from "./tools.ts";

const ROOT_CALLS = "/var/lib/deckhand/root-calls";

export function serveRootCall(): void {
  const settings = rootSettings();
  serveOneCall(
    new Tools([
      serve(fileOperations, fileHandlers(settings)),
      serve(terminalOperations, rootTerminalHandlers(settings)),
      serve(buildAndVersionControl, rootBuildHandlers(settings)),
      serve(checkpointOperations, checkpointHandlers(settings)),
      serve(approvedCode, approvedCodeHandlers(settings)),
    ]),
  );
}

/** The server is root, its command is not: it can do nothing but start that command. */
export function serveApprovedCall(): void {
  const settings = { ...imageSettings(), exactPaths: true };
  serveOneCall(new Tools([serve(terminalOperations, approvedTerminalHandlers(settings))]));
}

/** Ends when its client has gone and the call is over. */
function serveOneCall(tools: Tools): void {
  const calls = new Calls(tools, new LatchLedger(ROOT_CALLS));
  process.on("SIGTERM", () => {
    for (const id of calls.running) void calls.cancel(id);
  });
  // Standard input has ended: a running call keeps the process alive, and nothing else does.
  listen({ tools, methods: rootMethods(calls), onLine: () => {}, onEnd: () => {} });
}
