import { describe, expect, it } from "vitest";
import { DiscordLab, type GatewayClient } from "./test-lab.ts";

const CODES = "topics/opcodes-and-status-codes#gateway-gateway-close-event-codes";
const GATEWAY = "events/gateway";

interface Ending {
  readonly what: string;
  readonly page: string;
  readonly code: number;
  readonly query?: string;
  readonly act: (client: GatewayClient, lab: DiscordLab) => void | Promise<void>;
}

const identify =
  (more: Record<string, unknown> = {}) =>
  (client: GatewayClient, lab: DiscordLab) =>
    client.send(2, lab.identity(more));

const ENDINGS: readonly Ending[] = [
  {
    what: "an opcode that does not exist",
    page: CODES,
    code: 4001,
    act: (one) => one.send(99, {}),
  },
  { what: "what is no JSON", page: CODES, code: 4002, act: (one) => one.sendRaw("{") },
  {
    what: "more than 4,096 bytes at once",
    page: `${GATEWAY}#sending-events`,
    code: 4002,
    act: identify({ padding: "x".repeat(4_100) }),
  },
  {
    what: "an identification without properties",
    page: "events/gateway-events#identify",
    code: 4002,
    act: identify({ properties: undefined }),
  },
  {
    what: "a presence before anything else",
    page: CODES,
    code: 4003,
    act: (one) => one.send(3, {}),
  },
  { what: "another token", page: CODES, code: 4004, act: identify({ token: "wrong" }) },
  {
    what: "a second identification",
    page: CODES,
    code: 4005,
    act: async (client, lab) => {
      client.send(2, lab.identity());
      await client.event("READY");
      client.send(2, lab.identity());
    },
  },
  {
    what: "a return to what was never said",
    page: `${GATEWAY}#resuming`,
    code: 4007,
    act: async (client, lab) => {
      using other = await lab.identified();
      const { session_id } = await other.event("READY");
      client.send(6, { token: lab.discord.app.token, session_id, seq: 1_000 });
      await client.closed();
    },
  },
  {
    what: "121 events within a minute",
    page: `${GATEWAY}#rate-limiting`,
    code: 4008,
    act: (client) => {
      for (let beat = 0; beat < 121; beat += 1) client.send(1, null);
    },
  },
  {
    what: "a shard beyond the last",
    page: `${GATEWAY}#sharding`,
    code: 4010,
    act: identify({ shard: [1, 1] }),
  },
  { what: "version 5", page: CODES, code: 4012, query: "v=5&encoding=json", act: () => undefined },
  {
    what: "an intent that does not exist",
    page: CODES,
    code: 4013,
    act: identify({ intents: 1 << 30 }),
  },
  {
    what: "an intent that is not switched on for the app",
    page: `${GATEWAY}#privileged-intents`,
    code: 4014,
    act: identify({ intents: 1 << 1 }),
  },
];

describe("the gateway", () => {
  it.each(ENDINGS)("ends a connection after $what: $code ($page)", async ({ code, query, act }) => {
    await using lab = await DiscordLab.start();
    using client = await lab.connect(query);
    await act(client, lab);
    expect(await client.closed()).toBe(code);
  });

  it("greets, tells who is there, and answers heartbeats", async () => {
    await using lab = await DiscordLab.start();
    using client = await lab.identified();
    expect(client.heard[0]).toMatchObject({ op: 10, d: { heartbeat_interval: 41_250 } });
    const ready = await client.event("READY");
    expect(ready).toMatchObject({ user: { id: lab.discord.app.user.id, bot: true } });
    const guild = await client.event("GUILD_CREATE");
    expect(guild).toMatchObject({ id: lab.discord.guild.id, channels: [{ id: lab.channel.id }] });
    client.send(1, 2);
    expect(await client.op(11)).toEqual({ op: 11 });
  });

  it("ends a connection whose heart does not beat", async () => {
    await using lab = await DiscordLab.start({ heartbeatMs: 40 });
    using client = await lab.identified();
    expect(await client.closed()).toBe(4_000);
  });

  it("keeps what is said while somebody is away, and tells it in order when they come back", async () => {
    await using lab = await DiscordLab.start();
    const first = await lab.identified();
    const { session_id } = await first.event("READY");
    lab.ada.says(lab.channel, "heard");
    await first.event("MESSAGE_CREATE");
    const seq = first.heard.at(-1)?.s;
    first[Symbol.dispose]();
    await first.closed();
    lab.ada.says(lab.channel, "one");
    lab.ada.says(lab.channel, "two");
    using second = await lab.connect();
    second.send(6, { token: lab.discord.app.token, session_id, seq });
    await second.event("RESUMED");
    expect(second.events("MESSAGE_CREATE").map(({ content }) => content)).toEqual(["one", "two"]);
  });

  it.each([1_000, 1_001])("forgets a session that was closed with %d", async (code) => {
    await using lab = await DiscordLab.start();
    using first = await lab.identified();
    const { session_id } = await first.event("READY");
    first.close(code);
    await first.closed();
    using second = await lab.connect();
    second.send(6, { token: lab.discord.app.token, session_id, seq: 1 });
    expect(await second.op(9)).toMatchObject({ d: false });
  });

  it("asks to reconnect, and takes sessions away", async () => {
    await using lab = await DiscordLab.start();
    using client = await lab.identified();
    lab.discord.gateway.askToReconnect();
    expect(await client.op(7)).toMatchObject({ op: 7 });
    lab.discord.gateway.invalidate({ isResumable: true });
    expect(await client.op(9)).toMatchObject({ d: true });
    lab.discord.gateway.invalidate();
    lab.ada.says(lab.channel, "lost");
    expect(client.events("MESSAGE_CREATE")).toEqual([]);
  });
});
