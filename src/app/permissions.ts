import { approverGaps } from "../authorization/approvals/approver-gaps.ts";
import { type Authorization, createAuthorization } from "../authorization/authorization.ts";
import { grantSeconds } from "../authorization/grants/durations.ts";
import {
  type ChannelApprovers,
  defaultPolicy,
  type Policy,
  readPolicy,
  withChannelApprovers,
  withOwners,
} from "../authorization/policy/policy.ts";
import type { AuthorizationSettings } from "../authorization/settings.ts";
import { openShellParser } from "../authorization/shell/parser.ts";
import type { Config } from "../config.ts";
import type { Audit } from "../contract/audit.ts";
import type { CardLimits } from "../contract/permission/approval.ts";
import type { HostAccess } from "../contract/permission/hosts.ts";
import type { People } from "../contract/platform/actor.ts";
import type { Shell } from "../contract/workspace/shell.ts";
import type { Journal } from "../journal/journal.ts";
import { textOfFile } from "../lib/yaml-file.ts";

interface PermissionParts {
  readonly policy: Policy;
  readonly settings: AuthorizationSettings;
  readonly journal: Journal;
  readonly audit: Audit;
  readonly people: People;
  readonly shellOf: (conversation: string) => Promise<Shell>;
  readonly outsideReadsAsk: (conversation: string) => Promise<boolean>;
  readonly autoApproveBehind: (conversation: string) => Promise<string | undefined>;
  readonly cardLimits: (conversation: string) => CardLimits;
  readonly mask: (text: string) => string;
  /** Undefined where workspaces have no network. */
  readonly hosts: HostAccess | undefined;
  readonly asksAboutHosts: boolean | undefined;
  readonly warn: (message: string) => void;
}

/** The guard with everything that it stands on. */
export async function openPermissions(parts: PermissionParts): Promise<Authorization> {
  const { settings, warn } = parts;
  return createAuthorization({
    policy: parts.policy,
    journal: parts.journal,
    audit: parts.audit,
    people: parts.people,
    parser: await openShellParser(),
    grantSeconds: grantSeconds(settings.grantDuration, warn),
    emojiAnswers: settings.emojiAnswers,
    shellOf: parts.shellOf,
    outsideReadsAsk: parts.outsideReadsAsk,
    autoApproveBehind: parts.autoApproveBehind,
    cardLimits: parts.cardLimits,
    mask: parts.mask,
    hosts: parts.hosts,
    asksAboutHosts: parts.asksAboutHosts,
    now: () => new Date(),
    warn,
  });
}

/** The policy of the operator, and the same with the approvers of single channels. */
interface OpenPolicy {
  readonly policy: Policy;
  /** Throws where it names an operation that is neither among these nor of one of these external servers. */
  readonly checkOperations: (operations: readonly string[], servers: readonly string[]) => void;
  readonly source: string;
}

export function openPolicy(
  settings: AuthorizationSettings,
  channelApprovers: ChannelApprovers,
): OpenPolicy {
  const { policyFile: name, owners } = settings;
  const text = name === undefined ? undefined : textOfFile(name, "POLICY_FILE");
  const written =
    name === undefined || text === undefined ? defaultPolicy() : readPolicy(text, { name });
  return {
    policy: withChannelApprovers(withOwners(written, owners), channelApprovers),
    checkOperations: (operations, servers) => {
      if (name !== undefined && text !== undefined) readPolicy(text, { name, operations, servers });
    },
    source: name ?? "the default",
  };
}

/** Levels that no one could approve on a platform that these settings turn on, each with its remedy. */
export function approverGapsOf(
  config: Pick<Config, "authorization" | "platforms" | "hasWebChat">,
): string[] {
  return approverGaps(openPolicy(config.authorization, {}).policy, [
    ...config.platforms.map(({ name }) => ({ platform: name, hasTokenOwner: false })),
    ...(config.hasWebChat ? [{ platform: "web", hasTokenOwner: true }] : []),
  ]);
}
