import type { ServerResponse } from "node:http";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import type { Reply } from "./replies.ts";
import type { Wire } from "./seen.ts";

/** Sends a streamed reply as the script wants it: paced, cut into odd pieces, with its quirks and its fault. */
export async function sendStream(
  response: ServerResponse,
  reply: Reply,
  { events, wire }: { readonly events: readonly string[]; readonly wire: Wire },
): Promise<void> {
  const { fault, paceMs } = reply;
  if (fault?.kind === "hang" && fault.afterEvents === 0) return;
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
  response.flushHeaders();
  const cutAt = fault && "afterEvents" in fault ? fault.afterEvents : events.length;
  const cutter = new Cutter(response, reply.chunkSizes);
  for (const end = Date.now() + (reply.commentsForMs ?? 0); Date.now() < end; ) {
    response.write(": keep-alive\n\n");
    await sleep(20);
  }
  for (const event of events.slice(0, cutAt)) {
    await cutter.write(framed(event, { reply, wire }));
    if (paceMs) await sleep(paceMs);
    if (response.destroyed) return;
  }
  if (fault?.kind === "error") {
    await cutter.write(framed(JSON.stringify({ error: fault.error }), { reply, wire }));
  }
  await cutter.flush();
  if (fault?.kind === "hang") return;
  if (fault?.kind === "disconnect") {
    // The client must have the beginning before the line goes dead.
    await sleep(20);
    // Where it is the same process, which may have stood still meanwhile, it has so many chances to read.
    for (let round = 0; round < 10; round += 1) await turn();
    response.destroy();
    return;
  }
  response.end();
}

function framed(
  event: string,
  { reply, wire }: { readonly reply: Reply; readonly wire: Wire },
): string {
  const has = (quirk: "comments" | "crlf" | "noSpaces") => reply.quirks?.includes(quirk);
  const end = has("crlf") ? "\r\n" : "\n";
  const space = has("noSpaces") ? "" : " ";
  const type = wire === "responses" ? /^\{"type":"([^"]+)"/.exec(event)?.[1] : undefined;
  return [
    ...(has("comments") ? [`: OPENROUTER PROCESSING${end}${end}`] : []),
    ...(type ? [`event:${space}${type}${end}`] : []),
    `data:${space}${event}${end}${end}`,
  ].join("");
}

/** Cuts bytes wherever the sizes say, in the middle of a character if need be. */
class Cutter {
  readonly #response: ServerResponse;
  readonly #sizes: readonly number[];
  #rest = Buffer.alloc(0);
  #turn = 0;

  constructor(response: ServerResponse, sizes: readonly number[] = []) {
    this.#response = response;
    this.#sizes = sizes;
  }

  async write(text: string): Promise<void> {
    this.#rest = Buffer.concat([this.#rest, Buffer.from(text)]);
    if (this.#sizes.length === 0) await this.flush();
    for (;;) {
      const size = this.#sizes[this.#turn % this.#sizes.length];
      if (size === undefined || this.#rest.length < size) return;
      this.#turn += 1;
      await this.#send(size);
    }
  }

  async flush(): Promise<void> {
    if (this.#rest.length > 0) await this.#send(this.#rest.length);
  }

  async #send(size: number): Promise<void> {
    this.#response.write(this.#rest.subarray(0, size));
    this.#rest = this.#rest.subarray(size);
    // Lets the piece leave on its own.
    await turn();
  }
}
