import { z } from "zod";

/** The search services that are spoken to, by the API each has. */
const SearchProvider = z.enum(["searxng", "brave"]);

const https = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ""));

/** What lets the agent look things up on the web. Without any of it, web_operations is not offered. */
export const WebSettings = z.object({
  /** Offers `fetch` even where there is no search service. */
  fetch: z.boolean().default(false),
  search: z
    .object({
      provider: SearchProvider.default("searxng"),
      /** The operator's own choice, so it may lie in a private network. */
      url: https,
      key: z.string().min(1).optional(),
    })
    .optional(),
});
export type WebSettings = z.infer<typeof WebSettings>;

/** A service that makes images, by OpenAI's images API. */
export const ImageSettings = z.object({
  /** As far as `/images/generations` is to be put behind it, e.g. https://api.openai.com/v1. */
  baseUrl: https,
  key: z.string().min(1).optional(),
  model: z.string().min(1).default("gpt-image-1"),
});
export type ImageSettings = z.infer<typeof ImageSettings>;
