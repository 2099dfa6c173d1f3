import { fetch } from "undici";
import { z } from "zod";
import { ToolError } from "../../contract/tools/operation.ts";
import type { WebSettings } from "../settings.ts";
import { firstBytes } from "./body.ts";
import { reasonOf } from "./reason.ts";

const TIME_LIMIT_MS = 20_000;
const SIZE_LIMIT_BYTES = 4 * 1024 * 1024;

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

type SearchSettings = NonNullable<WebSettings["search"]>;

/** How each service is asked, and where its results stand in what it answers. */
const PROVIDERS = {
  searxng: {
    path: "/search",
    query: (text: string) => ({ q: text, format: "json" }),
    headers: (key: string) => ({ authorization: `Bearer ${key}` }),
    results: z
      .object({
        results: z.array(
          z.object({ title: z.string(), url: z.string(), content: z.string().nullish() }),
        ),
      })
      .transform(({ results }) =>
        results.map(({ title, url, content }) => ({ title, url, snippet: content ?? "" })),
      ),
  },
  brave: {
    path: "/res/v1/web/search",
    query: (text: string, limit: number) => ({ q: text, count: String(limit) }),
    headers: (key: string) => ({ "x-subscription-token": key }),
    results: z
      .object({
        web: z
          .object({
            results: z.array(
              z.object({ title: z.string(), url: z.string(), description: z.string().nullish() }),
            ),
          })
          .optional(),
      })
      .transform(({ web }) =>
        (web?.results ?? []).map(({ title, url, description }) => ({
          title,
          url,
          snippet: description ?? "",
        })),
      ),
  },
};

/** Asks the search service that the operator has set up. */
export async function searchWeb(
  { provider, url, key }: SearchSettings,
  text: string,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<SearchResult[]> {
  const service = PROVIDERS[provider];
  const address = `${url}${service.path}?${new URLSearchParams(service.query(text, limit))}`;
  const headers = { accept: "application/json", ...(key ? service.headers(key) : {}) };
  const answer = await ask(address, headers, signal);
  const parsed = service.results.safeParse(answer);
  if (!parsed.success) throw broken("its response has an unexpected format");
  return parsed.data.slice(0, limit);
}

async function ask(
  address: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<unknown> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]);
  try {
    // A redirect could carry the key to another host.
    const response = await fetch(address, { headers, signal: limited, redirect: "error" });
    if (!response.ok) throw broken(`it responded with status ${response.status}`);
    const { bytes } = await firstBytes(response.body, SIZE_LIMIT_BYTES);
    return JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw error instanceof ToolError ? error : broken(reasonOf(error), error);
  }
}

function broken(why: string, cause?: unknown): ToolError {
  return new ToolError(
    "executionFailed",
    `The search service failed: ${why}. Continue without it; the operator has to check the search settings.`,
    {},
    { cause },
  );
}
