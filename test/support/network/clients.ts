import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A connection through a proxy: its status line, and the socket as it is after it. */
interface Tunnelled {
  readonly status: number;
  readonly head: string;
  readonly socket: Socket;
}

/** Asks a proxy for a connection by CONNECT. */
export async function connectThrough(port: number, authority: string): Promise<Tunnelled> {
  const socket = await dial(port);
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nUser-Agent: test/1\r\n\r\n`);
  const head = await readHead(socket);
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, socket };
}

/** The whole answer to some bytes. Resolves also when the connection was reset, with what came before. */
export async function exchangeBytes(port: number, bytes: string | Buffer): Promise<Buffer> {
  const socket = await dial(port);
  socket.write(bytes);
  return readAll(socket);
}

export async function dial(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => {}); // a reset is one of the outcomes under test
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  return socket;
}

export async function readAll(socket: Socket): Promise<Buffer> {
  const pieces: Buffer[] = [];
  socket.on("data", (piece: Buffer) => pieces.push(piece));
  await Promise.race([once(socket, "end"), once(socket, "close")]).catch(() => {});
  return Buffer.concat(pieces);
}

/** "clean": the other side ended it. "reset": with an error. */
export async function endOf(socket: Socket): Promise<"clean" | "reset"> {
  const { promise, resolve } = Promise.withResolvers<"clean" | "reset">();
  socket.once("end", () => resolve("clean"));
  socket.once("error", () => resolve("reset"));
  socket.once("close", (hadError) => resolve(hadError ? "reset" : "clean"));
  socket.resume();
  return promise;
}

/** SOCKS5 with a host name. Resolves with the reply's code. */
export async function socksThrough(
  port: number,
  host: string | Buffer,
  hostPort: number,
  command = 1,
): Promise<{ code: number | undefined; socket: Socket }> {
  const socket = await dial(port);
  const name = Buffer.from(host);
  const tail = Buffer.alloc(2);
  tail.writeUInt16BE(hostPort);
  socket.write(Buffer.from([5, 1, 0]));
  await read(socket, 2);
  socket.write(Buffer.concat([Buffer.from([5, command, 0, 3, name.length]), name, tail]));
  const reply = await read(socket, 10);
  return { code: reply?.[1], socket };
}

async function read(socket: Socket, count: number): Promise<Buffer | undefined> {
  for (;;) {
    const bytes: Buffer | null = socket.read(count);
    if (bytes) return bytes;
    if (socket.readableEnded || socket.destroyed) return undefined;
    await Promise.race([once(socket, "readable"), once(socket, "close"), once(socket, "end")]);
  }
}

async function readHead(socket: Socket): Promise<string> {
  let head = "";
  while (!head.includes("\r\n\r\n")) {
    const byte = await read(socket, 1);
    if (!byte) break;
    head += byte.toString("latin1");
  }
  return head;
}
