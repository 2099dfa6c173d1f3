import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { WebConfig } from "./config.ts";

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/** Why a request is not answered at all; undefined where it may go on. */
export type Guard = (request: Pick<IncomingMessage, "headers">, port: number) => string | undefined;

/**
 * Who asks must have come by one of our own addresses. A foreign page that made its name point here (DNS rebinding)
 * says its own Host, and one that sends its visitors' browsers here says its own Origin.
 */
export function createGuard({ host, origins }: WebConfig): Guard {
  const names = [...LOOPBACK, isIP(host) === 6 ? `[${host}]` : host];
  const foreign = new Set(origins);
  return ({ headers }, port) => {
    const own = new Set([...names.flatMap((name) => asOrigins(name, port)), ...foreign]);
    if (!own.has(`http://${headers.host}`) && !own.has(`https://${headers.host}`)) {
      return "This address is not one of Deckhand's own: open it as it was printed at the start, or name it in WEB_ORIGINS.";
    }
    if (headers.origin !== undefined && !own.has(headers.origin)) {
      return "Another site may not talk to Deckhand.";
    }
    const site = headers["sec-fetch-site"];
    if (site === "cross-site" && headers["sec-fetch-mode"] !== "navigate") {
      return "Another site may not talk to Deckhand.";
    }
    return undefined;
  };
}

function asOrigins(name: string, port: number): string[] {
  return port === 80 ? [`http://${name}`, `http://${name}:80`] : [`http://${name}:${port}`];
}
