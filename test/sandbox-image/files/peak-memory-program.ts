// Makes the calls given as JSON at the same time and prints by how many bytes the process grew at its peak.

import { fileHandlers } from "../../../sandbox-image/server/files/handlers.ts";
import { imageSettings } from "../../../sandbox-image/server/settings.ts";
import { serve } from "../../../sandbox-image/server/tools.ts";
import { fileOperations } from "../../../src/contract/tools/file-operations.ts";

const [workspaceDir = "", calls = "[]"] = process.argv.slice(2);
const served = serve(fileOperations, fileHandlers({ ...imageSettings(), workspaceDir }));
const call = (params: Record<string, unknown>) =>
  served.prepare(params).run({
    callId: "1",
    conversation: "main",
    signal: new AbortController().signal,
    progress: () => {},
  });
const peakBytes = () => process.resourceUsage().maxRSS * 1024;

await call({ operation: "read_file", filePath: "small" });
const before = peakBytes();
const results = await Promise.all(JSON.parse(calls).map(call));
const grownBytes = peakBytes() - before;
const failures = results.filter(({ success }) => !success).map(({ message }) => message);
process.stdout.write(JSON.stringify({ grownBytes, failures }));
