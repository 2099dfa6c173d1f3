import type { Server, Socket } from "node:net";
import { createProxy } from "./proxy.ts";
import { BotSession } from "./session.ts";

/** Handed over by init: the proxy's port, which nothing else in the container can take, and the tie to who keeps it. */
const LISTENER = 3;

/** The program inside a workspace that carries its connections to the bot, as a user of its own. Ends with the bot. */
export function serveTunnel(): void {
  const clients = new Set<Socket>();
  // Reset and not closed: no program may take the tunnel's end for the end of its data.
  const end = () => {
    for (const client of clients) client.resetAndDestroy();
    process.exit(0);
  };
  const session = new BotSession(end);
  const proxy: Server = createProxy(session);
  proxy.on("connection", (socket: Socket) => {
    clients.add(socket);
    socket.once("close", () => clients.delete(socket));
  });
  process.on("SIGTERM", end);
  proxy.listen({ fd: LISTENER });
}
