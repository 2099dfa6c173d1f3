/**
 * A bot that dies: opens a conversation's workspace, makes one call and kills itself with SIGKILL at the
 * named point, or that many milliseconds after it. Its last argument is a Fate as JSON.
 */
import { readFileSync } from "node:fs";
import type { WorkspaceCall } from "../../src/contract/workspace/workspace.ts";
import { WorkspaceSettings } from "../../src/workspace/settings.ts";
import { createWorkspaces } from "../../src/workspace/workspaces.ts";

export interface Fate {
  readonly dataDir: string;
  readonly conversation: string;
  readonly fence: number;
  readonly call: WorkspaceCall;
  readonly killAt: string;
  readonly delayMs: number;
}

const fate = JSON.parse(process.argv[2] ?? "") as Fate;
const die = () => process.kill(process.pid, "SIGKILL");

const workspaces = await createWorkspaces({
  settings: WorkspaceSettings.parse({ poolSize: 0 }),
  dataDir: fate.dataDir,
  seccomp: readFileSync(new URL("../../sandbox-image/seccomp.json", import.meta.url), "utf8"),
  log: () => {},
  redact: (text) => text,
  probe: (point) => {
    if (point !== fate.killAt) return;
    if (fate.delayMs > 0) setTimeout(die, fate.delayMs);
    else die();
  },
});
const workspace = await workspaces.open(fate.conversation, { fence: fate.fence });
await workspace.call(fate.call);
await new Promise((resolve) => setTimeout(resolve, fate.delayMs + 1000));
throw new Error(`the point ${fate.killAt} was never reached`);
