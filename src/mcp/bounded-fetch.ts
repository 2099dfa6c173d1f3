import type { FetchLike } from "@modelcontextprotocol/client";

const LIMIT_BYTES = 10 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Fetches without following redirects, which could carry a token to another host, and without endless messages. */
export const boundedFetch: FetchLike = async (url, init) => {
  const response = await fetch(url, { redirect: "error", ...init });
  if (!response.body) return response;
  const { status, statusText, headers } = response;
  const bounded = new Response(response.body.pipeThrough(limited()), {
    status,
    statusText,
    headers,
  });
  // A response that is made has no address, and the SDK compares it.
  Object.defineProperty(bounded, "url", { value: response.url });
  return bounded;
};

/** Counts from line to line: a stream of events may go on, and no single message may. */
function limited(): TransformStream<Uint8Array, Uint8Array> {
  let sinceNewline = 0;
  return new TransformStream({
    transform: (chunk, controller) => {
      const last = chunk.lastIndexOf(NEWLINE);
      sinceNewline = last === -1 ? sinceNewline + chunk.length : chunk.length - last - 1;
      if (sinceNewline > LIMIT_BYTES) {
        controller.error(new Error("the server sent a message of more than 10 MB"));
      } else controller.enqueue(chunk);
    },
  });
}
