import { setImmediate as tick } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { Connections } from "../../sandbox-image/server/connection.ts";

interface Reply {
  readonly id?: unknown;
  readonly result?: { readonly [key: string]: unknown };
  readonly error?: { readonly code: number };
}

/** A server whose `tools/list` answers when told, on a bus that remembers what was sent. */
function bus() {
  const sent: Reply[] = [];
  const waiting: ((name: string) => void)[] = [];
  const connections = new Connections({ send: (message) => sent.push(message as Reply) }, () => {
    const server = new Server({ name: "probe", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", async () => {
      const name = await new Promise<string>((resolve) => waiting.push(resolve));
      return { tools: [{ name, inputSchema: { type: "object" } }] };
    });
    return server;
  });
  const receive = (message: unknown) => connections.receive(JSON.stringify(message));
  const initialize = (id: number | string) =>
    receive({
      jsonrpc: "2.0",
      id,
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "c", version: "1" },
      },
    });
  return { sent, waiting, connections, receive, initialize };
}

const list = (id: number | string) => ({ jsonrpc: "2.0", id, method: "tools/list", params: {} });
const settled = () => tick();

describe("connections", () => {
  it("answers each initialize, one client after another", async () => {
    const { sent, initialize } = bus();
    initialize(0);
    await settled();
    initialize(0);
    await settled();
    expect(sent.map((reply) => reply.id)).toEqual([0, 0]);
    expect(sent.every((reply) => reply.result?.serverInfo)).toBe(true);
  });

  it("drops the late answer to a dead client, whose id the new client uses too", async () => {
    const { sent, waiting, initialize, receive } = bus();
    initialize(0);
    receive(list(1));
    await settled();
    initialize(0);
    receive(list(1));
    await settled();
    sent.length = 0;
    waiting[0]?.("for the dead client");
    await settled();
    expect(sent).toEqual([]);
    waiting[1]?.("for the living client");
    await settled();
    expect(JSON.stringify(sent)).toContain("for the living client");
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['{"jsonrpc":"2.0","id":7,"method":"tools/li', -32_700],
    ['{"jsonrpc":"2.0","id":1,"me{"jsonrpc":"2.0","id":2,"method":"ping"}', -32_700],
    ["[]", -32_600],
    ['{"hello":"world"}', -32_600],
    ["\u0000\u0001", -32_700],
  ])("says that it could not read %j and reads on", async (line, code) => {
    const { sent, connections, initialize } = bus();
    connections.receive(line);
    initialize("next");
    await settled();
    expect(sent[0]).toMatchObject({ id: null, error: { code } });
    expect(sent[1]?.id).toBe("next");
  });

  it("stays silent about the empty line that every attach begins with", async () => {
    const { sent, connections } = bus();
    connections.receive("");
    connections.receive("  ");
    await settled();
    expect(sent).toEqual([]);
  });
});
