import type { Authorization } from "../authorization/authorization.ts";
import type { Grants } from "../authorization/grants/grants.ts";
import type { Origin } from "../authorization/host-questions.ts";
import type { Config } from "../config.ts";
import type { Audit } from "../contract/audit.ts";
import { threadOf } from "../contract/conversation/subagent.ts";
import type { Egress, EgressGate, HostPort } from "../contract/network.ts";
import type { Approval } from "../contract/permission/approval.ts";
import { UNTIL_REVOKED } from "../contract/permission/hosts.ts";
import type { Documents } from "../contract/store.ts";
import type { CallNetwork } from "../contract/tools/call-network.ts";
import { showApproval } from "../conversation/shown/waits.ts";
import type { NetworkDesk } from "../intake/commands/deps.ts";
import { CommandRefusedError } from "../intake/commands/verb.ts";
import { contributorsOf, type OpenTurn } from "../journal/conversation/state.ts";
import type { Journal } from "../journal/journal.ts";
import { permissions } from "../journal/permissions.ts";
import type { Log } from "../lib/log.ts";
import { createGate, HostUses } from "../network/gate.ts";
import { createHostAccess, type Hosts } from "../network/host-access.ts";
import { canonical, HostEntryError, matches } from "../network/policy/host-pattern.ts";
import { readHosts } from "../network/policy/host-rules.ts";
import type { Reply } from "../reply/reply.ts";
import type { ChannelProfiles } from "./channel-profiles.ts";
import type { Records } from "./records.ts";

interface HostsParts {
  readonly config: Pick<Config, "network">;
  readonly channels: ChannelProfiles;
  readonly journal: Journal;
  /** The subagents that work for a conversation now. */
  readonly live: (conversation: string) => Promise<readonly string[]>;
}

/** Which hosts each thread may reach, by the operator's lists and by what people have said. */
function openHosts({ config, channels, journal, live }: HostsParts): Hosts {
  const deployment = { name: "the settings of this bot", rules: config.network.rules };
  return createHostAccess({
    listsOf: (conversation) => {
      const own = channels.networkOf(threadOf(conversation));
      return own ? [deployment, { name: "this channel's profile", rules: own }] : [deployment];
    },
    permissions: (conversation) => journal.read(conversation, permissions),
    sharing: async (conversation) => {
      const thread = threadOf(conversation);
      return [thread, ...(await live(thread))];
    },
    now: () => new Date(),
  });
}

interface CallNetworkParts {
  readonly hosts: Hosts;
  readonly uses: HostUses;
  readonly egress: Egress;
  readonly authorization: () => Authorization;
}

/** What a call leaves behind on the network: refusals for its result, and hosts that were open for it alone. */
function callNetwork({ hosts, uses, egress, authorization }: CallNetworkParts): CallNetwork {
  return {
    async ended({ conversation, callId, startedAt }) {
      const thread = threadOf(conversation);
      const { opened } = await hosts.view(thread);
      const over = opened.filter(({ grant }) => {
        if (!grant.oneTime || grant.scope.kind !== "hosts") return false;
        if (grant.scope.callId !== undefined) return grant.scope.callId === callId;
        return uses.wasUsedSince(grant.id, startedAt);
      });
      const { grants } = authorization();
      for (const place of new Set(over.map((one) => one.conversation))) {
        const ids = over.filter((one) => one.conversation === place).map(({ grant }) => grant.id);
        await grants.closeHosts(place, { grants: [...new Set(ids)], callId });
      }
      if (over.length > 0)
        await cutClosed(
          { hosts, egress },
          thread,
          over.map(({ entry }) => entry),
        );
      return egress.refusals(thread, startedAt);
    },
  };
}

/** Ends the connections to hosts of which a permission was taken back, unless another one still permits them. */
async function cutClosed(
  { hosts, egress }: { readonly hosts: Hosts; readonly egress: Egress },
  conversation: string,
  entries: readonly string[],
): Promise<void> {
  const patterns = readHosts(entries);
  const view = await hosts.view(conversation);
  egress.disconnect(
    threadOf(conversation),
    (place: HostPort) =>
      patterns.some((pattern) => matches(pattern, place)) && view.rule(place).outcome !== "open",
  );
}

interface GateParts {
  readonly config: Pick<Config, "network">;
  readonly hosts: Hosts;
  readonly uses: HostUses;
  readonly authorization: Authorization;
  readonly journal: Journal;
  readonly live: (conversation: string) => Promise<readonly string[]>;
  readonly reply: Reply;
  /** The threads in which cards about hosts may wait. */
  readonly marks: Documents;
  readonly expire: (approval: Approval) => Promise<void>;
}

interface OpenGate extends EgressGate {
  /** Shows the cards that wait, wherever the bot was cut off before it could. */
  restore(): Promise<void>;
}

/** Decides about every connection of a workspace, and asks people about hosts that no list names. */
function openGate(parts: GateParts): OpenGate {
  const { config, hosts, uses, authorization, marks } = parts;
  const questions = authorization.hostQuestions({
    originOf: (conversation) => originOf(parts, conversation),
    beforeAsking: (conversation) => marks.set(conversation, true),
    asked: async (conversation, approval) => {
      await show(parts, conversation, approval);
      await parts.expire(approval);
    },
  });
  const gate = createGate({
    hosts,
    uses,
    asks: config.network.asks,
    ask: (conversation, request) => questions.ask(threadOf(conversation), request),
  });
  return {
    decide: (conversation, request) => gate.decide(conversation, request),
    async restore() {
      for (const conversation of await marks.keys()) {
        const waiting = await authorization.approvals.waiting(conversation);
        const ours = waiting.filter(({ approval }) => approval.call.operation === "network.open");
        for (const { approval } of ours) await show(parts, conversation, approval);
        if (ours.length === 0) await marks.delete(conversation);
      }
    },
  };
}

async function show({ journal, reply }: GateParts, conversation: string, approval: Approval) {
  const { open, last } = await journal.read(conversation);
  showApproval({ reply }, conversation, approval, open ?? last?.turn);
}

/** The call that runs in the thread or in one of its subagents, with those whose words are behind it. */
async function originOf({ journal, live }: GateParts, conversation: string): Promise<Origin> {
  const places = [conversation, ...(await live(conversation))];
  let quiet: OpenTurn | undefined;
  for (const place of places) {
    const { open, last } = await journal.read(place);
    quiet ??= open ?? last?.turn;
    const running = open?.calls.findLast(({ started, result }) => started && !result);
    if (!open || !running) continue;
    const given = readObject(running.arguments);
    const command = typeof given?.command === "string" ? { command: given.command } : {};
    const isShort = JSON.stringify(given ?? "").length <= MOST_KEPT_CHARS;
    const call =
      place === conversation && given && isShort
        ? { call: { callId: running.callId, name: running.name, arguments: given } }
        : {};
    return { requester: open.requester, contributors: contributorsOf(open), ...call, ...command };
  }
  return { requester: quiet?.requester, contributors: quiet ? contributorsOf(quiet) : [] };
}

/** A longer call is not made again by a click. */
const MOST_KEPT_CHARS = 20_000;

function readObject(given: unknown): Record<string, never> | undefined {
  try {
    const value: unknown = typeof given === "string" ? JSON.parse(given) : given;
    return typeof value === "object" && value !== null
      ? (value as Record<string, never>)
      : undefined;
  } catch {
    // What a model wrote may be anything; then there is nothing to run again.
    return undefined;
  }
}

/** Refusals and finished connections, for the audit: what comes at once is one entry. */
export function auditNetwork(
  egress: Egress,
  audit: Pick<Audit, "record">,
  log: Log,
): AsyncDisposable {
  const used = new Map<
    string,
    {
      conversation: string;
      host: string;
      port: number;
      connections: number;
      bytesUp: number;
      bytesDown: number;
    }
  >();
  const flush = async () => {
    const entries = [...used.values()];
    used.clear();
    for (const entry of entries) {
      await audit
        .record({ kind: "network.used", actor: "workspace", ...entry })
        .catch((error: unknown) => log("warn", "Failed to record network use.", { error }));
    }
  };
  const end = egress.onConnection(({ conversation, host, port, bytesUp, bytesDown }) => {
    const key = `${conversation} ${host} ${port}`;
    const known = used.get(key) ?? {
      conversation,
      host,
      port,
      connections: 0,
      bytesUp: 0,
      bytesDown: 0,
    };
    known.connections += 1;
    known.bytesUp += bytesUp;
    known.bytesDown += bytesDown;
    used.set(key, known);
  });
  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS).unref();
  return {
    async [Symbol.asyncDispose]() {
      end();
      clearInterval(timer);
      await flush();
    },
  };
}

const FLUSH_EVERY_MS = 10_000;

interface NetworkParts {
  readonly config: Partial<Pick<Config, "network">>;
  readonly egress?: Egress | undefined;
}

/** The network of this bot's workspaces: what the guard asks, what calls leave behind, and who decides. */
export interface CoreNetwork {
  readonly egress: Egress;
  readonly hosts: Hosts;
  readonly asks: boolean;
  /** For calls, once there is somebody to ask about permissions. */
  calls(authorization: () => Authorization): CallNetwork;
  cutClosed(conversation: string, entries: readonly string[]): Promise<void>;
  open(parts: {
    readonly records: Pick<Records, "store" | "journal">;
    readonly abilities: { readonly authorization: Authorization };
    readonly reply: Reply;
  }): OpenGate;
}

/** Undefined where workspaces have no network. */
export function networkOf(
  { config, egress }: NetworkParts,
  { channels, journal, live }: Pick<HostsParts, "channels" | "journal" | "live">,
): CoreNetwork | undefined {
  const { network } = config;
  if (!network || !egress) return undefined;
  const settings = { config: { network }, channels, journal, live };
  const hosts = openHosts(settings);
  const uses = new HostUses();
  return {
    egress,
    hosts,
    asks: network.asks,
    calls: (authorization) => callNetwork({ hosts, uses, egress, authorization }),
    cutClosed: (conversation, entries) => cutClosed({ hosts, egress }, conversation, entries),
    open: ({ records, abilities, reply }) =>
      openGate({
        ...settings,
        hosts,
        uses,
        reply,
        authorization: abilities.authorization,
        marks: records.store.documents("host-cards"),
        expire: async ({ id, expiresAt, call: { conversation } }) => {
          if (expiresAt === undefined) return;
          const data = { type: "expiry", approval: id };
          await records.store.inbox.put({
            id: `expiry:${id}`,
            conversation,
            data,
            dueAt: expiresAt,
          });
        },
      }),
  };
}

/** What people see and change about the hosts of their thread. */
export function networkDesk(
  { egress, hosts, cutClosed }: CoreNetwork,
  grants: Grants,
): NetworkDesk {
  return {
    limits: egress.limits,
    usage: (conversation) => egress.usage(threadOf(conversation)),
    refusals: (conversation) => egress.refusals(threadOf(conversation), 0),
    async rules(conversation) {
      const { opened, denied, lists } = await hosts.view(conversation);
      const entries = (patterns: readonly { readonly entry: string }[]) => [
        ...new Set(patterns.map(({ entry }) => entry)),
      ];
      return {
        opened: opened.map(({ entry, grant: { expiresAt, approvers, oneTime } }) => ({
          entry,
          ...(expiresAt === UNTIL_REVOKED ? {} : { until: expiresAt }),
          approvers,
          isOnce: oneTime,
        })),
        denied,
        lists: lists.map(({ name, rules: { allow, deny } }) => ({
          name,
          allow: entries(allow),
          deny: entries(deny),
        })),
      };
    },
    readEntries(text) {
      try {
        return readHosts(text.split(/[\s,]+/).filter((entry) => entry !== "")).map(canonical);
      } catch (error) {
        if (error instanceof HostEntryError)
          throw new CommandRefusedError(error.message, { cause: error });
        throw error;
      }
    },
    async allow(conversation, { hosts: entries, by, minutes }) {
      const seconds = minutes === undefined ? ("thread" as const) : minutes * 60;
      await grants.allowHosts(threadOf(conversation), { hosts: entries, by, seconds });
    },
    async deny(conversation, { hosts: entries, by }) {
      await grants.denyHosts(threadOf(conversation), { hosts: entries, by });
      await cutClosed(conversation, entries);
    },
    async revoke(conversation, given) {
      const entries = await grants.revokeHosts(threadOf(conversation), given);
      if (entries.length > 0) await cutClosed(conversation, entries);
      return entries;
    },
    rerun: (conversation, given) => grants.rerun(threadOf(conversation), given),
  };
}

/** The permissions of threads; taking one back also ends the connections that it had opened. */
export function revocable(
  network: CoreNetwork | undefined,
  grants: Grants,
): Pick<Grants, "list" | "revoke"> {
  return {
    list: (conversation) => grants.list(conversation),
    async revoke(conversation, given) {
      const before = await network?.hosts.view(conversation);
      const revoked = await grants.revoke(conversation, given);
      const entries = before?.opened.map(({ entry }) => entry) ?? [];
      if (entries.length > 0) await network?.cutClosed(conversation, entries);
      return revoked;
    },
  };
}
