import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { WebConfig } from "../config.ts";

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];
const OTHER_SITE = "Requests from other sites are refused. Open Deckhand's own page.";

type Request = Pick<IncomingMessage, "headers" | "rawHeaders" | "url" | "method">;

/** The reason to refuse a request before anything else looks at it; undefined to let it pass. */
export type Guard = (request: Request, port: number) => string | undefined;

/**
 * Refuses requests that another site caused. DNS rebinding shows in Host, scripts and forms in Origin, and everything
 * a current browser sends in Sec-Fetch-Site; older browsers leave only Referer.
 */
export function createGuard({ host, origins }: WebConfig): Guard {
  const names = [...LOOPBACK, isIP(host) === 6 ? `[${host}]` : host];
  const named = new Set(origins);
  return (request, port) => {
    const { headers } = request;
    if (hasTwoHosts(request)) return "The request must have exactly one Host header.";
    const own = new Set([...names.flatMap((name) => asOrigins(name, port)), ...named]);
    const requested = headers.host?.toLowerCase();
    if (!own.has(`http://${requested}`) && !own.has(`https://${requested}`)) {
      return "Deckhand does not know this address. Open the one printed at startup, or add this one to WEB_ORIGINS.";
    }
    if (headers.origin !== undefined && !own.has(headers.origin)) return OTHER_SITE;
    if (isOpenedByLink(request)) return undefined;
    const site = headers["sec-fetch-site"];
    if (site !== undefined) {
      return site === "same-origin" || site === "none" ? undefined : OTHER_SITE;
    }
    return isForeignReferer(headers.referer, own) ? OTHER_SITE : undefined;
  };
}

/** Node keeps the first, and a proxy before it may have gone by the last. */
function hasTwoHosts({ rawHeaders }: Request): boolean {
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  return names.filter((name) => name.toLowerCase() === "host").length > 1;
}

/** A link elsewhere may open the page itself in a tab. The page then has no token unless the link carries one. */
function isOpenedByLink({ headers, url, method }: Request): boolean {
  if (method !== "GET" || url?.split("?", 1)[0] !== "/") return false;
  const { "sec-fetch-mode": mode, "sec-fetch-dest": dest } = headers;
  return (mode ?? "navigate") === "navigate" && (dest ?? "document") === "document";
}

function isForeignReferer(referer: string | undefined, own: ReadonlySet<string>): boolean {
  if (referer === undefined || referer === "") return false;
  return !URL.canParse(referer) || !own.has(new URL(referer).origin);
}

function asOrigins(name: string, port: number): string[] {
  return port === 80 ? [`http://${name}`, `http://${name}:80`] : [`http://${name}:${port}`];
}
