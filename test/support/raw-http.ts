import { connect, type Socket } from "node:net";

/** One request written byte by byte, for what no HTTP client sends. Resolves with the whole response. */
export async function rawRequest(port: number, text: string | Uint8Array): Promise<string> {
  using line = await RawConnection.open(port);
  line.socket.write(text);
  await line.closed;
  return line.received;
}

export function statusOf(response: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1] ?? 0);
}

/** A TCP connection that keeps what it receives. */
export class RawConnection implements Disposable {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  received = "";
  isClosed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      this.received += text;
    });
    socket.on("error", () => undefined); // a reset is one of the outcomes under test
    this.closed = new Promise((resolve) => {
      socket.on("close", () => {
        this.isClosed = true;
        resolve();
      });
    });
  }

  static async open(port: number, localAddress = "127.0.0.1"): Promise<RawConnection> {
    const socket = connect({ port, host: "127.0.0.1", localAddress });
    const connection = new RawConnection(socket);
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    return connection;
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}
