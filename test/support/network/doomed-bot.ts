import { createWorkspaces } from "../../../src/workspace/workspaces.ts";
import { command, optionsOf } from "../engine.ts";
import { egressFor } from "./networked-engine.ts";

// A bot with a workspace whose program downloads for ever; the test kills it: doomed-bot DATA_DIR THREAD URL
const [dataDir = "", thread = "", url = ""] = process.argv.slice(2);
const workspaces = await createWorkspaces({ ...optionsOf(dataDir), network: egressFor() });
const workspace = await workspaces.open(thread, { fence: 1 });
await command(workspace, `curl -sSp -o /dev/null ${url}; echo "code $?" > /workspace/ended`);
