import { readdirSync } from "node:fs";
import { PROXY_URL } from "../../src/contract/workspace/tunnel.ts";

const OWN_HOSTS = "localhost,127.0.0.1,::1";

const VARIABLES: Readonly<Record<string, string>> = {
  HTTP_PROXY: PROXY_URL,
  HTTPS_PROXY: PROXY_URL,
  // Not socks5: several Python programs fail with it unless a further package is installed.
  ALL_PROXY: PROXY_URL,
  NO_PROXY: OWN_HOSTS,
  http_proxy: PROXY_URL,
  https_proxy: PROXY_URL,
  all_proxy: PROXY_URL,
  no_proxy: OWN_HOSTS,
  // Without it, Node's fetch ignores the other variables.
  NODE_USE_ENV_PROXY: "1",
};

/** How programs find the workspace's proxy. Empty in a container that has a network of its own. */
export function proxyEnvironment(): Readonly<Record<string, string>> {
  return hasOwnNetwork() ? {} : VARIABLES;
}

function hasOwnNetwork(): boolean {
  try {
    return readdirSync("/sys/class/net").some((name) => name !== "lo");
  } catch {
    return false; // init takes a container without this directory for one without network too
  }
}
