// A bot's side of six workspaces whose servers are hostile, in a process of its own: prints how much memory it still
// holds after a flood and after one twice as long.
import { setImmediate as turn } from "node:timers/promises";
import { Channel } from "../../src/workspace/channel/channel.ts";
import { followTerminal } from "../../src/workspace/channel/follow.ts";
import { ChannelLostError } from "../../src/workspace/errors.ts";
import { type Asked, Bus, playServer } from "./bus.ts";
import { caseCount } from "./thorough.ts";

const MB = 1024 * 1024;
const WORKSPACES = 6;
const [kind = "", mode = ""] = process.argv.slice(2);
const isCareless = mode === "careless";

interface Peer {
  readonly bus: Bus;
  readonly channel: Channel;
  readonly asked: Asked[];
}

/** What a careless client keeps: everything that it hears. */
const kept: unknown[] = [];

async function connect(): Promise<Peer> {
  const bus = new Bus();
  const asked: Asked[] = [];
  playServer(bus, (one) => {
    asked.push(one);
    return one.method === "deckhand/follow" ? { from_index: 0, dropped: 0 } : undefined;
  });
  const stream = bus.attach();
  if (isCareless) stream.on("data", (chunk: Buffer) => kept.push(Buffer.from(chunk)));
  const channel = await Channel.open(stream, {
    onStderr: (text) => {
      if (isCareless) kept.push(text);
    },
  });
  return { bus, channel, asked };
}

/** Frames of one byte each, in chunks of many. */
function crumbs(count: number): Buffer {
  const frames = Buffer.alloc(9 * count);
  for (let at = 0; at < frames.length; at += 9) {
    frames.writeUInt8(1, at);
    frames.writeUInt32BE(1, at + 4);
    frames.writeUInt8(0x78, at + 8);
  }
  return frames;
}

const text = "x".repeat(256 * 1024);
const never = new Promise<void>(() => {});

/** Made once for each workspace, so that the flood itself leaves no garbage in this process. */
const floods: Record<string, (peer: Peer) => Buffer> = {
  crumbs: () => crumbs(20_000),
  stderr: () => frame(text, 2),
  "foreign results": () => said({ id: "elsewhere", result: { text: text.repeat(12) } }),
  // Longer than any answer may be.
  "overlong lines": () => said({ id: "elsewhere", result: { text: text.repeat(40) } }),
  notifications: () => said({ method: "deckhand/noise", params: { text } }),
  progress: ({ asked }) => {
    const progressToken = asked[0]?.params?._meta?.progressToken;
    const params = { progressToken, progress: 1, message: text };
    return said({ method: "notifications/progress", params });
  },
  terminal: () =>
    said({
      method: "deckhand/output",
      params: { session_id: "main", from_index: 0, output: text },
    }),
};

function said(message: object): Buffer {
  return frame(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`, 1);
}

function frame(content: string, stream: 1 | 2): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt8(stream, 0);
  header.writeUInt32BE(Buffer.byteLength(content), 4);
  return Buffer.concat([header, Buffer.from(content)]);
}

/** What the bot does meanwhile: a call that waits, and a reader of the terminal who does not read. */
function use({ channel }: Peer): void {
  const onProgress = (message: string) => void (isCareless && kept.push(message));
  channel.call({ tool: "t", args: {}, meta: {}, onProgress }).catch(expectLost);
  const options = { fromIndex: 0, signal: new AbortController().signal, onOutput: () => never };
  followTerminal(async () => channel, "main", options).catch(expectLost);
}

function expectLost(error: unknown): void {
  const isFlood = error instanceof Error && error.message.includes("more terminal output");
  if (!isFlood && !(error instanceof ChannelLostError)) throw error;
}

/** Held: objects and buffers that are still reachable. The resident size also has pages that the allocator keeps. */
async function settled(): Promise<{ held: number; resident: number }> {
  for (let count = 0; count < 5; count += 1) {
    globalThis.gc?.();
    await turn();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { held: (heapUsed + external) / MB, resident: rss / MB };
}

async function floodFor(rounds: number) {
  for (let round = 0; round < rounds; round += 1) {
    for (const { peer, bytes } of made) peer.bus.raw(bytes);
    await turn();
  }
  return settled();
}

const peers = await Promise.all(Array.from({ length: WORKSPACES }, connect));
for (const peer of peers) use(peer);
await turn();
const flood = floods[kind];
if (!flood) throw new Error(`Say which flood: ${Object.keys(floods).join(", ")}.`);
const made = peers.map((peer) => ({ peer, bytes: flood(peer) }));
const before = await settled();
/** Fewer of those that carry more. */
const most = { crumbs: 30, "foreign results": 30, "overlong lines": 5 }[kind] ?? 120;
const rounds = caseCount({ perChange: Math.ceil(most / 2), all: most });
const after = await floodFor(rounds);
const afterLong = await floodFor(rounds);
const figures = {
  heldMb: after.held - before.held,
  heldLongMb: afterLong.held - before.held,
  ratio: after.resident / before.resident,
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
process.exit(0);
