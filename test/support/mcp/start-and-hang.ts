import { McpLab } from "../../src/mcp/lab.ts";

/** Starts the MCP servers of a data directory, and ends as if it were killed. */
const [directory = ""] = process.argv.slice(2);
await McpLab.start({ directory });
process.kill(process.pid, "SIGKILL");
