import { readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { Socket } from "node:net";
import { buildAndVersionControl } from "../../src/contract/tools/build-and-version-control.ts";
import { fileOperations } from "../../src/contract/tools/file-operations.ts";
import { terminalOperations } from "../../src/contract/tools/terminal-operations.ts";
import { Calls } from "./calls.ts";
import { watchForSilence } from "./deadman.ts";
import { answerHealthChecks } from "./health.ts";
import { FileLedger } from "./ledger.ts";
import { listen } from "./listen.ts";
import { directMethods } from "./methods.ts";
import { NetworkGate } from "./network-gate.ts";
import { imageSettings } from "./settings.ts";
import { relay, Tools } from "./tools.ts";
import { RemoteTerminals } from "./worker/remote-terminals.ts";
import { LINK_TIMES } from "./worker/worker-link.ts";
import { Workers } from "./worker/workers.ts";

/** Opened as root by the image's init, before it gave its privileges up. */
const LEDGER_FILES = [3, 4] as const;
const WORKER_LINK = 5;
const HEALTH_LISTENER = 6;
const GATE_PIPE = 7;
const AGENT_UID = 1000;

/**
 * The part of the workspace's server that the workload cannot touch. It lives as long as its container, for one
 * client after another.
 */
export function serveSupervisor(): void {
  const settings = imageSettings();
  warmThreadPool();
  const ledger = new FileLedger(LEDGER_FILES);
  const terminals = new RemoteTerminals(() => workers, {
    agentUid: AGENT_UID,
    tunnelUid: tunnelUid(),
  });
  const workers: Workers = new Workers({
    first: new Socket({ fd: WORKER_LINK, readable: true, writable: true }),
    ledger,
    times: LINK_TIMES,
    onOutput: (piece) => terminals.passOn(piece),
    onLost: () => terminals.lost(),
    onBroken: (error) => {
      process.stderr.write(`deckhand: failed to start a worker: ${String(error)}\n`);
      process.exit(1); // the container ends; the bot starts it again and reports the calls as unknown
    },
  });
  const tools = new Tools(
    [fileOperations, terminalOperations, buildAndVersionControl].map((tool) =>
      relay(tool, workers.call),
    ),
  );
  const calls = new Calls(tools, ledger);
  const onLine = watchForSilence(
    async () => calls.running.length > 0 || (await terminals.backgroundRunning()) > 0,
  );
  const network = new NetworkGate(gatePipe());
  const methods = directMethods({ calls, ownership: ledger, terminals, settings, network });
  answerHealthChecks(HEALTH_LISTENER);
  listen({ tools, methods, onLine, onEnd: () => process.exit(0) });
}

/** Init says whether there is a gatekeeper. */
function gatePipe(): number | undefined {
  return process.argv.at(-1) === "gate" ? GATE_PIPE : undefined;
}

/** The user of the tunnel and of the gatekeeper, whose processes are not the workload's. */
function tunnelUid(): number {
  return Number(readFileSync("/opt/deckhand/tunnel-uid", "utf8"));
}

/** Its threads start with the first use, and Node aborts when the workload has used up all pids by then. */
function warmThreadPool(): void {
  statfs("/").catch(() => {}); // only the threads matter
}
