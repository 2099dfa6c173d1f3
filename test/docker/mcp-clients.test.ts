import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bridge, bridgeTo } from "../support/mcp-bridge.ts";

const run = promisify(execFile);
const SERVER = {
  command: "docker",
  args: ["run", "-i", "--rm", "--network", "none", "deckhand-sandbox"],
};
const me = { name: "a client", version: "1" };
const echo = {
  name: "terminal_operations",
  arguments: { operation: "run_command", command: "echo from the workspace; id -u" },
};

/** The same few questions, whichever generation of the SDK asks them. */
interface AnyClient {
  ping(): Promise<unknown>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: typeof echo): Promise<unknown>;
  close(): Promise<void>;
}

async function v1(): Promise<AnyClient> {
  const client = new ClientV1(me);
  await client.connect(new StdioV1(SERVER));
  return client;
}

function v2(mode: "legacy" | "auto") {
  return async (): Promise<AnyClient> => {
    const client = new ClientV2(me, { versionNegotiation: { mode } });
    await client.connect(new StdioV2(SERVER));
    return client;
  };
}

describe("the image as an ordinary MCP server", () => {
  it.each([
    ["SDK v1", v1],
    ["SDK v2, legacy", v2("legacy")],
    ["SDK v2, auto", v2("auto")],
  ])("answers a client of %s", async (_, connect) => {
    const client = await connect();
    try {
      await client.ping();
      const { tools } = await client.listTools();
      expect(tools.map((tool) => tool.name)).toEqual([
        "file_operations",
        "terminal_operations",
        "build_and_version_control",
      ]);
      const result = await client.callTool(echo);
      expect(result).toMatchObject({
        isError: false,
        structuredContent: { success: true, exit_code: 0, output: "from the workspace\n1000\n" },
      });
      expect(JSON.stringify(result)).toContain('"type":"text"');
    } finally {
      await client.close();
    }
  });

  it("leaves no container behind when its client has gone", async () => {
    const client = await v1();
    const before = await containersOfImage();
    expect(before.length).toBeGreaterThan(0);
    await client.close();
    await expect.poll(containersOfImage).not.toEqual(expect.arrayContaining(before));
  });
});

describe("the MCP conformance suite, over a bridge", () => {
  let bridge: Bridge;
  beforeAll(async () => {
    bridge = await bridgeTo(SERVER.command, SERVER.args);
  });
  afterAll(async () => {
    await bridge[Symbol.asyncDispose]();
  });

  it.each(["server-initialize", "ping", "tools-list", "tools-call-error"])(
    "passes %s",
    async (scenario) => {
      const args = ["server", "--url", bridge.url, "--scenario", scenario];
      const { stdout, stderr } = await run("node_modules/.bin/conformance", args);
      expect(`${stdout}${stderr}`).toMatch(/\b0 failed/);
    },
  );
});

async function containersOfImage(): Promise<string[]> {
  const { stdout } = await run("docker", ["ps", "-q", "--filter", "ancestor=deckhand-sandbox"]);
  return stdout.split("\n").filter(Boolean);
}
