import { isUtf8 } from "node:buffer";
import type { Socket } from "node:net";
import { joinToClient } from "./join-to-client.ts";
import type { BotSession } from "./session.ts";

// RFC 1928, with hostnames: CONNECT alone. UDP and BIND stay closed.

const VERSION = 5;
const NO_AUTHENTICATION = 0;
const NO_METHOD = 0xff;
const CONNECT = 1;
const REPLY = { done: 0, failed: 1, refused: 2, unreachable: 4, badCommand: 7, badAddress: 8 };
const ADDRESS = { ipv4: 1, name: 3, ipv6: 4 };
const HANDSHAKE_MS = 30_000;

export function isSocks(first: Buffer): boolean {
  return first[0] === VERSION || first[0] === 4;
}

export async function serveSocks(session: BotSession, socket: Socket): Promise<void> {
  const limit = setTimeout(() => socket.destroy(), HANDSHAKE_MS);
  try {
    const authority = await handshake(new Reader(socket), socket);
    if (authority === undefined) return;
    const opened = await session.open({ authority, via: "socks" });
    if (opened.outcome === "refused") return reply(socket, replyFor(opened.status));
    reply(socket, REPLY.done);
    clearTimeout(limit);
    await joinToClient(opened.stream, socket);
  } catch {
    socket.destroy(); // it ended in the middle of the handshake
  } finally {
    clearTimeout(limit);
  }
}

/** Undefined: it has been refused already. */
async function handshake(reader: Reader, socket: Socket): Promise<string | undefined> {
  const [version, count = 0] = await reader.take(2);
  if (version !== VERSION) {
    socket.end(Buffer.from([0, 0x5b, 0, 0, 0, 0, 0, 0])); // SOCKS4 in its own words: rejected
    return undefined;
  }
  const methods = await reader.take(count);
  const accepts = methods.includes(NO_AUTHENTICATION);
  socket.write(Buffer.from([VERSION, accepts ? NO_AUTHENTICATION : NO_METHOD]));
  if (!accepts) {
    socket.end();
    return undefined;
  }
  const [, command, , type] = await reader.take(4);
  const host = await readHost(reader, type);
  const port = (await reader.take(2)).readUInt16BE(0);
  if (command === CONNECT && host !== undefined) return `${host}:${port}`;
  reply(socket, command === CONNECT ? REPLY.badAddress : REPLY.badCommand);
  return undefined;
}

async function readHost(reader: Reader, type: number | undefined): Promise<string | undefined> {
  if (type === ADDRESS.ipv4) return [...(await reader.take(4))].join(".");
  if (type === ADDRESS.ipv6) {
    const bytes = await reader.take(16);
    const words = Array.from({ length: 8 }, (_, index) =>
      bytes.readUInt16BE(2 * index).toString(16),
    );
    return `[${words.join(":")}]`;
  }
  if (type !== ADDRESS.name) return undefined;
  const [length = 0] = await reader.take(1);
  const bytes = await reader.take(length);
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

function reply(socket: Socket, code: number): void {
  const answer = Buffer.from([VERSION, code, 0, ADDRESS.ipv4, 0, 0, 0, 0, 0, 0]);
  if (code === REPLY.done) {
    socket.write(answer);
  } else {
    socket.end(answer);
    socket.resume();
  }
}

function replyFor(status: number): number {
  if (status === 403 || status === 429) return REPLY.refused;
  if (status === 400) return REPLY.badAddress;
  return status === 502 || status === 504 ? REPLY.unreachable : REPLY.failed;
}

/** Exactly so many bytes; the rest stays in the socket. */
class Reader {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  take(count: number): Promise<Buffer> {
    if (count === 0) return Promise.resolve(Buffer.alloc(0));
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const socket = this.#socket;
    const look = () => {
      const bytes: Buffer | null = socket.read(count);
      if (bytes?.length === count) done(() => resolve(bytes));
      else if (bytes !== null || socket.readableEnded) gone();
    };
    const gone = () => done(() => reject(new Error("The connection ended.")));
    const done = (settle: () => void) => {
      socket.off("readable", look);
      socket.off("end", gone);
      socket.off("close", gone);
      settle();
    };
    socket.on("readable", look);
    socket.on("end", gone);
    socket.on("close", gone);
    look();
    return promise;
  }
}
