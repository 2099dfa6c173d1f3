import { createHash } from "node:crypto";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { type FileProblem, readYaml, UnusableFileError } from "../../lib/yaml-file.ts";
import { PolicyFile } from "./policy-schema.ts";

/** Who may do what, as the operator wrote it, with the name of exactly this version. */
export interface Policy extends PolicyFile {
  /** Channels with approvers of their own, who take the place of the others there. */
  readonly channelApprovers: ChannelApprovers;
  /** The people and groups that OWNERS names. Empty: the platform's own owners and administrators count. */
  readonly owners: readonly string[];
  /** SHA-256 of what it says; approvals of another version do not hold. */
  readonly hash: string;
}

/** Who may approve what is asked for in a channel, by the channel's `platform:team:channel`. */
export type ChannelApprovers = Readonly<Record<string, readonly string[]>>;

export interface ReadPolicyOptions {
  /** How the file is called in messages. */
  readonly name?: string;
  /** Every operation there is, to catch names that would silently mean nothing. */
  readonly operations?: readonly string[];
  /** The external servers that are configured: which tools they have is known only while they run. */
  readonly servers?: readonly string[];
}

/** What holds where no file was written: people approve their own calls, and the owner the dangerous ones. */
export function defaultPolicy(): Policy {
  return sealed(PolicyFile.parse({ version: 1 }));
}

export function readPolicy(text: string, options: ReadPolicyOptions = {}): Policy {
  const { name = "The policy" } = options;
  const contradictions = (file: PolicyFile) => contradictionsIn(file, options);
  return sealed(readYaml(text, { name, schema: PolicyFile, contradictions }));
}

/** The same with the approvers that the profiles of channels name. Roles are those of the policy. */
export function withChannelApprovers(policy: Policy, channelApprovers: ChannelApprovers): Policy {
  const unknown = Object.entries(channelApprovers).flatMap(([channel, who]) =>
    rolesMissing(policy, who).map(({ role }) => `  ${channel}: the role ${role}`),
  );
  if (unknown.length > 0) {
    throw new UnusableFileError(
      `The channel profiles name approvers that are not in the policy:\n${unknown.join("\n")}\n` +
        "Add them to the roles in the policy file, or correct the profiles, then restart.",
    );
  }
  const { hash: _hash, channelApprovers: _before, owners, ...file } = policy;
  return sealed(file, { channelApprovers, owners });
}

/** The same with the people whom the operator names as owners. */
export function withOwners(policy: Policy, owners: readonly string[]): Policy {
  const { hash: _hash, channelApprovers, owners: _before, ...file } = policy;
  return sealed(file, { channelApprovers, owners });
}

/** Whether any rule names a group of a platform, in whatever field. */
export function namesGroups(policy: Policy): boolean {
  return JSON.stringify(policy).includes('"group:');
}

function sealed(
  file: PolicyFile,
  { channelApprovers, owners }: Pick<Policy, "channelApprovers" | "owners"> = {
    channelApprovers: {},
    owners: [],
  },
): Policy {
  const said = {
    ...file,
    ...(Object.keys(channelApprovers).length > 0 ? { channelApprovers } : {}),
    ...(owners.length > 0 ? { owners } : {}),
  };
  const hash = createHash("sha256").update(canonicalJson(said)).digest("hex");
  return { ...file, channelApprovers, owners, hash };
}

function contradictionsIn(
  file: PolicyFile,
  { operations, servers = [] }: ReadPolicyOptions,
): FileProblem[] {
  const references: FileProblem[] = [
    ...file.approvers.flatMap((rule, index) => strange(rule.who, ["approvers", index, "who"])),
    ...strange(file.admins, ["admins"]),
    ...strange(file.settings, ["settings"]),
  ];
  const patterns: [PropertyKey[], string][] = [
    ...Object.keys(file.operations).map((key): [PropertyKey[], string] => [
      ["operations", key],
      key,
    ]),
    ...file.approvers.flatMap((rule, index) =>
      rule.operations.map((key, at): [PropertyKey[], string] => [
        ["approvers", index, "operations", at],
        key,
      ]),
    ),
  ];
  const isKnown = (pattern: string) =>
    operations?.some((key) => covers(pattern, key)) ||
    servers.some((server) => pattern.startsWith(`${server}.`));
  const unknown = patterns
    .filter(([, pattern]) => operations && !isKnown(pattern))
    .map(([path, pattern]) => ({ path, message: `the operation ${pattern} does not exist` }));
  return [...references, ...unknown];

  function strange(who: readonly string[], path: PropertyKey[]): FileProblem[] {
    return rolesMissing(file, who).map(({ role, index }) => ({
      path: [...path, index],
      message: `the role ${role} is not defined under roles`,
    }));
  }
}

function rolesMissing({ roles }: PolicyFile, who: readonly string[]) {
  return who.flatMap((name, index) => {
    const role = /^role:(.+)$/.exec(name)?.[1];
    return role === undefined || Object.hasOwn(roles, role) ? [] : [{ role, index }];
  });
}

/** Whether a pattern such as `tool.*` means this operation. */
export function covers(pattern: string, operation: string): boolean {
  if (pattern === "*" || pattern === operation) return true;
  return pattern.endsWith(".*") && operation.startsWith(pattern.slice(0, -1));
}
