import { Agent, fetch, type Response } from "undici";
import { ToolError } from "../../contract/tools/operation.ts";
import { firstBytes } from "./body.ts";
import { connectTo, type Network } from "./network.ts";
import { reasonOf } from "./reason.ts";

const MAX_REDIRECTS = 5;
const TIME_LIMIT_MS = 30_000;
const SIZE_LIMIT_BYTES = 2 * 1024 * 1024;
const HEADERS = {
  "user-agent": "Deckhand (chat-ops agent)",
  accept: "text/*, application/json, application/xml",
};

export type FetchedPage =
  | {
      readonly kind: "page";
      readonly url: string;
      readonly contentType: string;
      readonly text: string;
      /** More was there than is read. */
      readonly isCut: boolean;
    }
  /** To another host, which nobody was asked about yet. */
  | { readonly kind: "elsewhere"; readonly url: string };

/** Gets one page from the public internet; every address on the way is checked. */
export async function fetchPage(
  network: Network,
  address: string,
  signal: AbortSignal,
): Promise<FetchedPage> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]);
  let url = webAddress(address);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const step = await request(network, url, limited);
    if (!(step instanceof URL)) return step;
    if (step.host !== url.host) return { kind: "elsewhere", url: step.href };
    url = step;
  }
  throw new ToolError("executionFailed", `${address} redirects more than ${MAX_REDIRECTS} times.`);
}

/** Only https, whatever was asked for. Throws for what is no address of the web. */
function webAddress(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "") {
    throw new ToolError(
      "invalidParameters",
      `${JSON.stringify(text.slice(0, 200))} is not a web address. Use one such as https://example.com/page.`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new ToolError("invalidParameters", "Use a web address without a user name or password.");
  }
  url.protocol = "https:";
  url.hash = "";
  return url;
}

/** The page, or where it has moved to. */
async function request(
  network: Network,
  url: URL,
  signal: AbortSignal,
): Promise<FetchedPage | URL> {
  const agent = new Agent({ connect: await connectTo(network, url) });
  try {
    const options = { dispatcher: agent, signal, headers: HEADERS, redirect: "manual" } as const;
    const response = await fetch(url, options);
    const location = response.headers.get("location");
    const hasMoved = response.status >= 300 && response.status < 400 && location !== null;
    return hasMoved ? webAddress(location, url) : await readPage(url, response);
  } catch (error) {
    throw explained(url, error, signal);
  } finally {
    await agent.destroy();
  }
}

async function readPage(url: URL, response: Response): Promise<FetchedPage> {
  const { status } = response;
  if (!response.ok) {
    const message = `${url.href} responded with status ${status}. ${statusAdvice(status)}`;
    throw new ToolError("executionFailed", message, { status });
  }
  const header = response.headers.get("content-type") ?? "text/plain";
  const contentType = header.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!TEXT_TYPES.test(contentType)) {
    const message = `${url.href} is ${contentType.slice(0, 100)}, but only text can be read.`;
    throw new ToolError("executionFailed", message);
  }
  const { bytes, isCut } = await firstBytes(response.body, SIZE_LIMIT_BYTES);
  return { kind: "page", url: url.href, contentType, text: decoded(bytes, header), isCut };
}

const TEXT_TYPES =
  /^(text\/[\w.+-]+|application\/([\w.-]+\+)?(json|xml|javascript|yaml|x-yaml|x-ndjson|toml))$/;

function statusAdvice(status: number): string {
  if (status === 401 || status === 403)
    return "The site does not allow reading this page. Try another one.";
  if (status === 404 || status === 410) return "The page does not exist. Check the address.";
  if (status === 429) return "The site rate-limited the request. Try later.";
  return "Try later, or another page.";
}

function decoded(bytes: Buffer, contentType: string): string {
  const charset = /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes); // a charset that nobody knows
  }
}

function explained(url: URL, error: unknown, signal: AbortSignal): unknown {
  if (error instanceof ToolError) return error;
  if (signal.aborted && (signal.reason as Error | undefined)?.name === "TimeoutError") {
    return new ToolError("timeout", `${url.host} took longer than ${TIME_LIMIT_MS / 1000} s.`);
  }
  if (signal.aborted) return error; // somebody has stopped the call
  const message = `${url.host} could not be read: ${reasonOf(error)}. Try again, or another page.`;
  return new ToolError("executionFailed", message, {}, { cause: error });
}
