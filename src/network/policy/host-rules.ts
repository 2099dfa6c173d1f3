import { isIP } from "node:net";
import type { HostPort } from "../../contract/network.ts";
import { isPublicAddress } from "../../lib/public-address.ts";
import { authorityOf } from "../host-name.ts";
import { HostEntryError, type HostPattern, matches, overlap, readEntry } from "./host-pattern.ts";
import { PRESETS } from "./presets.ts";

/** What one list of an operator says, read. */
export interface HostRules {
  readonly allow: readonly HostPattern[];
  readonly deny: readonly HostPattern[];
}

/** The lists of one place, and the words for it: "the settings", "this channel's profile". */
export interface NamedRules {
  readonly name: string;
  readonly rules: HostRules;
}

export type Ruling =
  | { readonly outcome: "denied"; readonly reason: string }
  /** Only an operator can open it. */
  | { readonly outcome: "closed"; readonly reason: string }
  | { readonly outcome: "open"; readonly by: string; readonly privateRanges: readonly string[] }
  /** No list says anything: people may be asked. */
  | { readonly outcome: "unknown" };

/** Reads a list of entries and presets. Throws a HostEntryError that names the entry. */
export function readHosts(entries: readonly string[]): HostPattern[] {
  return entries.flatMap((entry) => {
    const preset = Object.hasOwn(PRESETS, entry) ? PRESETS[entry] : undefined;
    if (preset) return preset.flatMap((one) => readEntry(one));
    // No public name has one label only: it is a misspelt preset more often than a host.
    if (/^[a-z]+$/i.test(entry) && entry !== "localhost") {
      throw new HostEntryError(
        `${JSON.stringify(entry)} is neither a preset (${Object.keys(PRESETS).join(", ")}) nor a host with a domain. For a host of one label, write its port: ${entry}:443.`,
      );
    }
    return readEntry(entry);
  });
}

/** What lists say about a place: whatever any of them denies is denied. */
export function judgeHost(lists: readonly NamedRules[], place: HostPort): Ruling {
  const shown = authorityOf(place);
  for (const { name, rules } of lists) {
    if (rules.deny.some((pattern) => matches(pattern, place)))
      return { outcome: "denied", reason: `${shown} is denied by ${name}.` };
  }
  const allowing = lists.find(({ rules }) => rules.allow.some((one) => matches(one, place)));
  if (allowing) {
    return { outcome: "open", by: allowing.name, privateRanges: privateRangesFor(lists, place) };
  }
  if (!mayBeAsked(place)) {
    return {
      outcome: "closed",
      reason: `${shown} is not on the public internet, so a person cannot open it from a card. The operator can list it in NETWORK_ALLOW.`,
    };
  }
  return { outcome: "unknown" };
}

/**
 * Ranges that the operator listed for the host, and the host itself where it is an address. One that shares an address with
 * a denied range is left out whole: nobody could tell later which part of it was meant.
 */
function privateRangesFor(lists: readonly NamedRules[], place: HostPort): string[] {
  const { host, port } = place;
  const denied = lists
    .flatMap(({ rules }) => rules.deny)
    .filter(({ ports }) => port >= ports.from && port <= ports.to)
    .flatMap(({ range, labels }) => range ?? (labels.length === 1 ? singleAddress(labels[0]) : []));
  const listed = lists
    .flatMap(({ rules }) => rules.allow)
    .filter((pattern) => matches(pattern, place))
    .flatMap(({ privateRange }) => privateRange ?? [])
    .filter((range) => !denied.some((one) => overlap(range, one)));
  const own = isIP(host) === 0 ? [] : singleAddress(host);
  return [...new Set([...own, ...listed])];
}

function singleAddress(label = ""): string[] {
  const family = isIP(label);
  return family === 0 ? [] : [`${label}/${family === 4 ? 32 : 128}`];
}

/** Whether a card may open it: not this machine, nor a private address, nor a name without a domain. */
function mayBeAsked({ host }: HostPort): boolean {
  if (isIP(host) !== 0) return isPublicAddress(host);
  return (
    host.includes(".") &&
    !/(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa)$/.test(host)
  );
}
