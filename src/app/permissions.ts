import { approverGaps } from "../authorization/approver-gaps.ts";
import { type Authorization, createAuthorization } from "../authorization/authorization.ts";
import { grantSeconds } from "../authorization/durations.ts";
import {
  type ChannelApprovers,
  defaultPolicy,
  type Policy,
  readPolicy,
  withChannelApprovers,
  withOwners,
} from "../authorization/policy.ts";
import type { AuthorizationSettings } from "../authorization/settings.ts";
import { openShellParser } from "../authorization/shell/parser.ts";
import type { Config } from "../config.ts";
import type { Audit } from "../contract/audit.ts";
import type { CardLimits } from "../contract/permission/approval.ts";
import type { People } from "../contract/platform/actor.ts";
import type { Shell } from "../contract/workspace/shell.ts";
import type { Journal } from "../journal/journal.ts";
import { textOfFile } from "../lib/yaml-file.ts";

export interface PermissionParts {
  readonly settings: AuthorizationSettings;
  readonly channelApprovers: ChannelApprovers;
  readonly journal: Journal;
  readonly audit: Audit;
  readonly people: People;
  /** Every operation there is, so that a policy cannot name one that is not. */
  readonly operations: readonly string[];
  readonly shellOf: (conversation: string) => Promise<Shell>;
  readonly outsideReadsAsk: (conversation: string) => Promise<boolean>;
  readonly autoApproveBehind: (conversation: string) => Promise<string | undefined>;
  readonly cardLimits: (conversation: string) => CardLimits;
  readonly mask: (text: string) => string;
  readonly warn: (message: string) => void;
}

/** The guard with everything that it stands on. The policy that holds is on record before anything is decided by it. */
export async function openPermissions(parts: PermissionParts): Promise<Authorization> {
  const { settings, audit, warn } = parts;
  const written = policyOf(settings, parts.operations);
  const policy = withChannelApprovers(written, parts.channelApprovers);
  await audit.record({
    kind: "policy.loaded",
    actor: "operator",
    source: settings.policyFile ?? "the default",
    digest: policy.hash,
  });
  return createAuthorization({
    ...parts,
    policy,
    parser: await openShellParser(),
    grantSeconds: grantSeconds(settings.grantDuration, warn),
    emojiAnswers: settings.emojiAnswers,
    now: () => new Date(),
  });
}

function policyOf(
  { policyFile: file, owners }: AuthorizationSettings,
  operations?: readonly string[],
): Policy {
  if (file === undefined) return withOwners(defaultPolicy(), owners);
  const known = operations ? { operations } : {};
  return withOwners(readPolicy(textOfFile(file, "POLICY_FILE"), { name: file, ...known }), owners);
}

/** Levels that no one could approve on a platform that these settings turn on, each with its remedy. */
export function approverGapsOf(
  config: Pick<Config, "authorization" | "slack" | "discord" | "hasWebChat">,
): string[] {
  return approverGaps(policyOf(config.authorization), [
    ...(config.slack ? [{ platform: "slack", hasTokenOwner: false }] : []),
    ...(config.discord ? [{ platform: "discord", hasTokenOwner: false }] : []),
    ...(config.hasWebChat ? [{ platform: "web", hasTokenOwner: true }] : []),
  ]);
}
