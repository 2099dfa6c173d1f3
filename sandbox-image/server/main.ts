import { startupSnapshot } from "node:v8";
import { serveApprovedCall, serveRootCall } from "./one-call-server.ts";
import { serveSupervisor } from "./supervisor.ts";
import { serveWorker } from "./worker/serve-worker.ts";

// The image starts the server from a snapshot of its heap, taken when all modules had been loaded.
if (startupSnapshot.isBuildingSnapshot()) startupSnapshot.setDeserializeMainFunction(main);
else main();

function main(): void {
  const role = process.argv.at(-1);
  if (role === "root") serveRootCall();
  else if (role === "approved") serveApprovedCall();
  else if (role === "worker") serveWorker();
  else serveSupervisor();
}
