import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { OperatorError } from "../lib/operator-error.ts";
import type { Health } from "./health-monitor.ts";

export interface HealthServerOptions {
  readonly host: string;
  readonly port: number;
  readonly report: () => Health;
}

export interface HealthServer extends AsyncDisposable {
  readonly port: number;
}

/**
 * `/healthz` answers while the process works; `/readyz` with 200 only while everything it needs works, too. Both say
 * nothing about threads, people or settings.
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const { status, body } = answer(request.url, options.report);
    response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
    response.end(`${JSON.stringify(body)}\n`);
  });
  const { host, port } = options;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const message = `The health server cannot listen on ${host}:${port} (${cause.code}). Change HEALTH_HOST or HEALTH_PORT.`;
      reject(new OperatorError(message, { cause }));
    });
    server.listen(port, host, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(url: string | undefined, report: () => Health): { status: number; body: object } {
  if (url === "/healthz") return { status: 200, body: { ok: true } };
  if (url !== "/readyz") return { status: 404, body: { message: "Ask for /healthz or /readyz." } };
  const health = report();
  return { status: health.ready ? 200 : 503, body: health };
}
