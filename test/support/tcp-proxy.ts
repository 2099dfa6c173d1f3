import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** What the way to a server can do to what goes over it. */
interface Trouble {
  /** Each piece comes this much later. */
  readonly delayMs?: number;
  /** Nothing comes through, and nobody is told. */
  readonly isSilent?: boolean;
}

/** A TCP address on loopback that leads to a server's socket, over a line of doubtful quality. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  trouble: Trouble;
  /** Resets every connection there is. */
  cut(): void;
}

export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const connections = new Set<Socket>();
  const server = createServer((near) => {
    const far = createConnection(target).on("error", () => near.destroy());
    connections.add(near.on("error", () => far.destroy()));
    near.on("close", () => connections.delete(near));
    void carry(near, far, () => proxy.trouble);
    void carry(far, near, () => proxy.trouble);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    trouble: {},
    cut() {
      for (const connection of connections) connection.resetAndDestroy();
    },
    async [Symbol.asyncDispose]() {
      proxy.cut();
      server.close();
      await once(server, "close");
    },
  };
  return proxy;
}

async function carry(from: Socket, to: Socket, trouble: () => Trouble): Promise<void> {
  try {
    for await (const piece of from) {
      const { delayMs = 0, isSilent = false } = trouble();
      if (isSilent) continue;
      if (delayMs > 0) await sleep(delayMs);
      to.write(piece);
    }
  } catch {
    // A cut connection ends both sides below.
  }
  to.destroy();
}
