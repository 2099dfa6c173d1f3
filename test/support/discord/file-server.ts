import type { IncomingMessage, ServerResponse } from "node:http";
import type { DiscordServices } from "./services.ts";
import { signatureOf } from "./wire.ts";

/** The network that hands out files: without a token, but only by an address that is signed and still good. */
export function serveFile(
  { world }: DiscordServices,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const url = new URL(request.url ?? "/", "http://localhost");
  const [, , , id = ""] = url.pathname.split("/");
  const expires = url.searchParams.get("ex") ?? "";
  const isSigned = url.searchParams.get("hm") === signatureOf(url.pathname, expires);
  const isGood = isSigned && Number.parseInt(expires, 16) * 1_000 > world.clock.nowMs();
  const file = isGood ? world.files.get(id) : undefined;
  if (!file) {
    response
      .writeHead(404, { "content-type": "text/plain" })
      .end("This content is no longer available.");
    return;
  }
  response.writeHead(200, {
    "content-type": file.contentType,
    "content-length": file.bytes.length,
  });
  response.end(file.bytes);
}
