// A process of a bot that opens a workspace for a conversation and is killed at the given point:
// `node claim-program.ts DATA_DIR CONVERSATION POINT`. Its pool takes over what it finds and makes nothing.
import { createWorkspaces } from "../../src/workspace/workspaces.ts";
import { optionsOf } from "./engine.ts";

const [dataDir = "", conversation = "", point = ""] = process.argv.slice(2);
const probe = (reached: string) => {
  if (reached === point) process.kill(process.pid, "SIGKILL");
};
const options = optionsOf(dataDir, { settings: { poolSize: 1 }, probe });
const workspaces = await createWorkspaces(options);
await workspaces.open(conversation, { fence: 1 });
process.exit(0);
