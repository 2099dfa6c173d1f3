import { Socket } from "node:net";
import type { NetworkNews } from "../../src/contract/workspace/channel.ts";

type Gate = "kept" | "lost" | "none";
type Tell = (news: NetworkNews) => void;

/** What init's gatekeeper says about the proxy's port, for the client that asked last. */
export class NetworkGate {
  #gate: Gate = "none";
  #tell: Tell | undefined;
  #watcher = "";

  /** The pipe from the gatekeeper; a container with a network of its own has none. */
  constructor(pipe: number | undefined) {
    if (pipe === undefined) return;
    this.#gate = "kept";
    const socket = new Socket({ fd: pipe, readable: true, writable: false });
    socket.on("data", () => this.#report("wanted"));
    socket.on("error", () => {}); // "close" follows
    socket.on("close", () => {
      this.#gate = "lost";
      this.#report("lost");
    });
  }

  watch(watcher: string, tell: Tell): { gate: Gate } {
    this.#watcher = watcher;
    this.#tell = tell;
    return { gate: this.#gate };
  }

  #report(news: NetworkNews["news"]): void {
    this.#tell?.({ watcher: this.#watcher, news });
  }
}
