import type { ModelSettings } from "../settings.ts";
import { chatWire } from "./chat-wire.ts";
import { OPENAI_URL } from "./connection.ts";
import type { Failure } from "./failure.ts";
import { responsesWire } from "./responses-wire.ts";
import type { SpareField, Wire } from "./wire.ts";

/** How a server wants to be spoken to, as far as we have found out. */
export interface Manner {
  readonly wire: Wire;
  readonly without: ReadonlySet<SpareField>;
  /** It ends its streams without saying so. */
  readonly endsUnmarked: boolean;
  /** It was another wire at first. */
  readonly changedOver: boolean;
}

export function firstManner({ api, baseUrl = OPENAI_URL }: ModelSettings): Manner {
  const { hostname } = new URL(baseUrl);
  const hasResponses =
    isOpenAi(hostname) || /\.(openai|services\.ai|cognitiveservices)\.azure\.com$/.test(hostname);
  const auto = hasResponses ? "responses" : "chat";
  const name = api === "auto" ? auto : api;
  const wire = name === "chat" ? chatWire : responsesWire;
  return { wire, without: new Set(), endsUnmarked: false, changedOver: false };
}

export function isOpenAi(hostname: string): boolean {
  return hostname === "api.openai.com" || hostname.endsWith(".api.openai.com");
}

interface Asked {
  readonly api: ModelSettings["api"];
  readonly body: object;
  /** Asked in a way of its own, of which a server need not know everything. */
  readonly isSampled?: boolean;
}

/** What a refusal teaches: another wire or one field less. Undefined: it teaches nothing. */
export function adapt(
  manner: Manner,
  failure: Failure,
  { api, body, isSampled = false }: Asked,
): Manner | undefined {
  if (failure.where !== "answer") return undefined;
  if (api === "auto" && !manner.changedOver && wantsOtherWire(manner.wire, failure)) {
    return { ...manner, wire: otherThan(manner.wire), changedOver: true };
  }
  const { spare, sampling } = manner.wire;
  const refused = [...spare, ...(isSampled ? sampling : [])].find(
    (field) => !manner.without.has(field) && isSent(field, body) && refuses(field, failure),
  );
  return refused && { ...manner, without: new Set([...manner.without, refused]) };
}

/**
 * What is worth remembering when a step has worked. Whether old thoughts can be read differs by conversation, and how one may
 * be asked by model.
 */
export function remembered(manner: Manner): Manner {
  const without = new Set(manner.without);
  without.delete("encrypted_content");
  for (const field of manner.wire.sampling) without.delete(field);
  return { ...manner, without };
}

function otherThan(wire: Wire): Wire {
  return wire === chatWire ? responsesWire : chatWire;
}

/** There is no such address, or the server names the other one. An unknown model is no reason. */
function wantsOtherWire(wire: Wire, { status, text, codes = [] }: Failure): boolean {
  if (status === undefined || status < 400 || status >= 500) return status === 501;
  const other = wire === chatWire ? /\/responses\b|\bresponses api\b/i : /\/chat\/completions\b/i;
  if (other.test(text)) return true;
  const route = status === 404 || status === 405;
  return route && !codes.includes("model_not_found") && !/\bmodel\b/i.test(text);
}

function isSent(field: SpareField, body: object): boolean {
  return JSON.stringify(body).includes(`"${field}"`);
}

function refuses(field: SpareField, { status, param, text, codes = [] }: Failure): boolean {
  if (status !== 400 && status !== 422) return false;
  if (field === "include") {
    return param === "include" || /encrypted content is not supported/i.test(text);
  }
  if (field === "encrypted_content") {
    return codes.includes("invalid_encrypted_content") || /encrypted.content\b.*verif/i.test(text);
  }
  if (field === "effort" && param?.endsWith(".effort")) return true;
  return param === field || new RegExp(`\\b${field}\\b`).test(text);
}
