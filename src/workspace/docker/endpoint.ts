import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DockerOptions } from "dockerode";
import { EngineError } from "../errors.ts";

export interface Endpoint {
  readonly dockerHost: string;
  readonly dockerCertDir?: string | undefined;
  readonly sshAgent?: string | undefined;
}

/** What dockerode needs to reach an engine. Every field is named: it would fill gaps from the environment. */
export function connectionOptions(endpoint: Endpoint): DockerOptions {
  const { dockerHost } = endpoint;
  if (dockerHost.startsWith("unix://")) return local(dockerHost.slice("unix://".length));
  const url = URL.canParse(dockerHost) ? new URL(dockerHost) : undefined;
  switch (url?.protocol) {
    case "ssh:":
      return overSsh(url, endpoint.sshAgent);
    case "tcp:":
    case "http:":
    case "https:":
      return overTcp(url, endpoint.dockerCertDir);
    default:
      throw new EngineError(
        `"${dockerHost}" is not a Docker endpoint. Use unix:///path, tcp://host:port or ssh://user@host.`,
        { trouble: "refused" },
      );
  }
}

/** True where the engine runs on this machine and its files are ours to see. */
export function isLocal(endpoint: Endpoint): boolean {
  return endpoint.dockerHost.startsWith("unix://");
}

// The types forbid an undefined host, but only that keeps DOCKER_HOST out.
const NO_HOST = { host: undefined } as unknown as { host: string };

function local(socketPath: string): DockerOptions {
  return { ...NO_HOST, protocol: "http", socketPath };
}

function overSsh(url: URL, agent: string | undefined): DockerOptions {
  return {
    protocol: "ssh",
    host: url.hostname,
    port: url.port || 22,
    username: decodeURIComponent(url.username) || "root",
    ...(agent === undefined ? {} : { sshOptions: { agent } }),
  };
}

function overTcp(url: URL, certDir: string | undefined): DockerOptions {
  const secure = url.protocol === "https:" || url.port === "2376" || certDir !== undefined;
  const pem = (name: string) =>
    certDir ? { [name]: readFileSync(join(certDir, `${name}.pem`)) } : {};
  return {
    protocol: secure ? "https" : "http",
    host: url.hostname,
    port: url.port || (secure ? 2376 : 2375),
    ...pem("ca"),
    ...pem("cert"),
    ...pem("key"),
  };
}
