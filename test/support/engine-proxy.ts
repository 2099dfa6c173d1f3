import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProxy } from "../../src/engine-proxy/proxy.ts";
import type { WorkspacesOptions } from "../../src/workspace/options.ts";

/** With TEST_ENGINE_PROXY=1 the tests of workspaces reach the engine through a proxy, as under compose. */
const IS_WANTED = process.env.TEST_ENGINE_PROXY === "1";
const SOCKET = "unix://";

/** The same options, where wanted with a proxy of the same settings in front of the engine. */
export async function engineThroughProxy(
  options: WorkspacesOptions,
  proxies: AsyncDisposableStack,
): Promise<WorkspacesOptions> {
  const { settings } = options;
  if (!IS_WANTED || !settings.dockerHost.startsWith(SOCKET)) return options;
  const dockerHost = await startTestProxy(options, proxies);
  return { ...options, settings: { ...settings, dockerHost } };
}

/** The address of a proxy in front of the engine of these options. */
export async function startTestProxy(
  { settings, seccomp, health, dataDir, log }: WorkspacesOptions,
  proxies: AsyncDisposableStack,
  images: readonly string[] = [],
): Promise<string> {
  // Proxies of one bot share the memory of whom they serve.
  const directory = join(tmpdir(), `proxy-${dataDir.split("/").at(-1)}`);
  mkdirSync(directory, { recursive: true });
  proxies.defer(() => rmSync(directory, { recursive: true, force: true }));
  const listenSocket = join(directory, `${randomUUID().slice(0, 8)}.sock`);
  const engineSocket = settings.dockerHost.slice(SOCKET.length);
  const proxy = await startProxy({
    settings: {
      engineSocket,
      listenSocket,
      workspaces: settings,
      images: [settings.image, ...images],
    },
    seccomp,
    log,
    health,
  });
  proxies.use(proxy);
  return `${SOCKET}${listenSocket}`;
}
