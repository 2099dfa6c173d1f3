import type { HostPort } from "../contract/network.ts";
import type { Grant } from "../contract/permission/approval.ts";
import type { HostAccess, HostState, HostView } from "../contract/permission/hosts.ts";
import type { Permissions } from "../journal/permissions.ts";
import { normaliseHost } from "./host-name.ts";
import type { HostPattern } from "./policy/host-pattern.ts";
import { matches } from "./policy/host-pattern.ts";
import { judgeHost, type NamedRules, type Ruling, readHosts } from "./policy/host-rules.ts";

export interface HostAccessParts {
  /** The lists of the deployment and of a thread's channel, the deployment's first. */
  readonly listsOf: (conversation: string) => readonly NamedRules[];
  /** What people have permitted and denied in a conversation. */
  readonly permissions: (conversation: string) => Promise<Permissions>;
  /** The conversations that share a thread's workspace: its own, and those of the subagents at work. */
  readonly sharing: (conversation: string) => Promise<readonly string[]>;
  readonly now: () => Date;
}

/** A host that people have opened, with the permission that it comes from. */
interface OpenedHost {
  readonly entry: string;
  readonly grant: Grant;
  readonly conversation: string;
}

/** What the lists and the people of one thread say about hosts, at one moment. */
interface ThreadHosts extends HostView {
  rule(place: HostPort): Ruling & { readonly grants?: readonly OpenedHost[] };
  readonly opened: readonly OpenedHost[];
  readonly denied: readonly string[];
  readonly lists: readonly NamedRules[];
}

/** The one place that knows which hosts a thread may reach. */
export interface Hosts extends HostAccess {
  view(conversation: string): Promise<ThreadHosts>;
}

export function createHostAccess(parts: HostAccessParts): Hosts {
  return {
    async view(conversation) {
      const now = parts.now().getTime();
      const places = await parts.sharing(conversation);
      const opened: OpenedHost[] = [];
      const denied = new Set<string>();
      for (const place of places) {
        const { grants, deniedHosts } = await parts.permissions(place);
        for (const host of deniedHosts) denied.add(host);
        for (const grant of grants.values()) {
          if (grant.scope.kind !== "hosts" || Date.parse(grant.expiresAt) <= now) continue;
          for (const entry of grant.scope.hosts) opened.push({ entry, grant, conversation: place });
        }
      }
      return threadHosts(parts.listsOf(conversation), opened, [...denied]);
    },
  };
}

function threadHosts(
  operator: readonly NamedRules[],
  opened: readonly OpenedHost[],
  denied: readonly string[],
): ThreadHosts {
  const people: NamedRules = {
    name: "a person in this thread",
    rules: { allow: [], deny: readHosts(denied) },
  };
  const lists = [...operator, people];
  const patterns = new Map(opened.map(({ entry }) => [entry, patternsOf(entry)]));
  const rule: ThreadHosts["rule"] = (place) => {
    const ruling = judgeHost(lists, place);
    if (ruling.outcome !== "unknown") return ruling;
    const grants = opened.filter(({ entry }) =>
      patterns.get(entry)?.some((pattern) => matches(pattern, place)),
    );
    if (grants.length === 0) return ruling;
    return { outcome: "open", by: people.name, privateRanges: [], grants };
  };
  return {
    rule,
    opened,
    denied,
    lists: operator,
    isAnyOpen: opened.length > 0 || operator.some(({ rules }) => rules.allow.length > 0),
    stateOf: (host, port) => stateOf(rule, host, port),
  };
}

function patternsOf(entry: string): HostPattern[] {
  return readHosts([entry]);
}

function stateOf(rule: ThreadHosts["rule"], host: string, port: number): HostState {
  const place = normaliseHost(host, port);
  if (place.kind === "rejected") return { state: "rejected", reason: place.reason };
  const ruling = rule(place);
  if (ruling.outcome === "open") return { state: "open", place };
  if (ruling.outcome === "unknown") return { state: "unknown", place };
  return { state: ruling.outcome, place, reason: ruling.reason };
}
