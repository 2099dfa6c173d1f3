import type { Refusal } from "../../contract/network.ts";
import type { ResultDraft } from "./tool-results.ts";

const MOST_NAMED = 10;

/** A result that names the hosts which were refused while its call ran. */
export function namingRefusals(draft: ResultDraft, refusals: readonly Refusal[]): ResultDraft {
  const hosts = new Map(refusals.map((one) => [`${one.host}:${one.port}`, one.reason]));
  if (hosts.size === 0) return draft;
  const named = [...hosts].slice(0, MOST_NAMED);
  const more = hosts.size - named.length;
  const refusedHosts = named.map(([host, reason]) => ({ host, reason }));
  const { output } = draft;
  return {
    ...draft,
    output: {
      ...output,
      content: textWith(output, refusedHosts, more),
      additionalData: { ...output.additionalData, refusedHosts },
    },
  };
}

type RefusedHosts = readonly { readonly host: string; readonly reason: string }[];

/** What is JSON stays JSON. */
function textWith(
  { content, mimeType }: ResultDraft["output"],
  refusedHosts: RefusedHosts,
  more: number,
): string {
  if (mimeType === "application/json") {
    const value = parsed(content);
    const count = more > 0 ? { moreRefusedHosts: more } : {};
    if (value) return JSON.stringify({ ...value, refusedHosts, ...count });
  }
  const lines = refusedHosts.map(({ reason }) => `- ${reason}`);
  const rest = more > 0 ? [`- and ${more} more hosts`] : [];
  return [content, "", "Refused connections while this call ran:", ...lines, ...rest].join("\n");
}

function parsed(content: string): object | undefined {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    // A result that was cut is no JSON any more.
    return undefined;
  }
}
