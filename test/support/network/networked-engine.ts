import type { EgressGate, EgressLimits } from "../../../src/contract/network.ts";
import { Connector, type Resolve } from "../../../src/network/connector.ts";
import { WorkspaceEgress } from "../../../src/network/egress.ts";
import { docker, type EngineChanges, startEngine, type TestEngine } from "../engine.ts";
import { LOOPBACK_GATE, memoryDocuments, NO_LIMITS } from "./local-tunnel.ts";

export interface NetworkedEngine extends TestEngine {
  readonly egress: WorkspaceEgress;
}

interface NetworkOptions {
  readonly gate?: EgressGate;
  readonly resolve?: Resolve;
  readonly limits?: Partial<EgressLimits>;
}

/** Names lead to this machine, unless a test has others. */
const LOOPBACK: Resolve = async () => [{ address: "127.0.0.1", family: 4 }];

export function egressFor({ gate, resolve, limits }: NetworkOptions = {}): WorkspaceEgress {
  return new WorkspaceEgress({
    gate: gate ?? LOOPBACK_GATE,
    connector: new Connector({ resolve: resolve ?? LOOPBACK }),
    limits: { ...NO_LIMITS, ...limits },
    documents: memoryDocuments(),
    log: () => {},
  });
}

/** Workspaces whose tunnels this process serves. */
export async function startNetworkedEngine(
  options: NetworkOptions = {},
  changes: EngineChanges = {},
): Promise<NetworkedEngine> {
  const egress = egressFor(options);
  const engine = await startEngine({ network: egress, ...changes });
  return {
    ...engine,
    egress,
    [Symbol.asyncDispose]: async () => {
      await egress[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
    },
  };
}

/** A shell command as root from outside, by the engine. */
export function asRoot(container: string, script: string): Promise<string> {
  return docker("exec", "-u", "0", container, "sh", "-c", script);
}

/** Pids of the tunnel's program. */
export async function tunnelPids(container: string): Promise<string[]> {
  const listed = await asRoot(container, "pgrep -f '^/opt/deckhand/node .*tunnel.js' || true");
  return listed.split("\n").filter((pid) => pid !== "");
}
