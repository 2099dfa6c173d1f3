// Runs one call as the user that this process has, for the tests of what that user may not do.

import { fileHandlers } from "../../../sandbox-image/server/files/handlers.ts";
import { imageSettings } from "../../../sandbox-image/server/settings.ts";
import { serve } from "../../../sandbox-image/server/tools.ts";
import { fileOperations } from "../../../src/contract/tools/file-operations.ts";

const [workspaceDir = "", call = "{}"] = process.argv.slice(2);
const settings = { ...imageSettings(), workspaceDir };
const result = await serve(fileOperations, fileHandlers(settings))
  .prepare(JSON.parse(call))
  .run({
    callId: "1",
    conversation: "main",
    signal: new AbortController().signal,
    progress: () => {},
  });
process.stdout.write(JSON.stringify(result));
