import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import {
  type Adapter,
  type AdapterLimits,
  DeliveryError,
} from "../../src/contract/platform/adapter.ts";

type Method = "post" | "edit" | "remove" | "upload";

/** An adapter's platform in another process, so that it outlives whoever is killed. Bytes travel as base64. */
export async function serveAdapter(
  adapter: Adapter,
  /** Asked after each call was carried out; false: its answer is never sent. */
  answers: (method: Method, number: number) => boolean,
): Promise<{ url: string; calls: () => number } & AsyncDisposable> {
  let calls = 0;
  const server = createServer(async (request, response) => {
    const [method, args] = JSON.parse(await text(request), reviveBytes) as [Method, never[]];
    const call = adapter[method].bind(adapter) as (...args: unknown[]) => Promise<unknown>;
    const value = await call(...args);
    calls += 1;
    if (answers(method, calls)) response.end(JSON.stringify([value ?? null]));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    calls: () => calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What a reply needs of an adapter, with its platform at this address. */
export function remoteAdapter(url: string, limits: AdapterLimits): Adapter {
  async function call(method: Method, ...args: unknown[]): Promise<never> {
    const body = JSON.stringify([method, args], replaceBytes);
    const response = await fetch(url, { method: "POST", body }).catch((error: unknown) => {
      throw new DeliveryError("later", "The platform does not answer.", { cause: error });
    });
    const [value] = (await response.json()) as [never];
    return value;
  }
  const used: Pick<Adapter, "platform" | "limits" | Method> = {
    platform: "memory",
    limits,
    post: (...args) => call("post", ...args),
    edit: (...args) => call("edit", ...args),
    remove: (...args) => call("remove", ...args),
    upload: (...args) => call("upload", ...args),
  };
  return used as Adapter;
}

function replaceBytes(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? { base64: Buffer.from(value).toString("base64") } : value;
}

function reviveBytes(_: string, value: unknown): unknown {
  const isBytes = typeof value === "object" && value !== null && "base64" in value;
  return isBytes ? new Uint8Array(Buffer.from(String(value.base64), "base64")) : value;
}
