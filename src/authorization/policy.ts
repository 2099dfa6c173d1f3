import { createHash } from "node:crypto";
import { isNode, LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import { canonicalJson } from "../lib/canonical-json.ts";
import { PolicyFile } from "./policy-schema.ts";

/** Who may do what, as the operator wrote it, with the name of exactly this version. */
export interface Policy extends PolicyFile {
  /** SHA-256 of what it says; approvals of another version do not hold. */
  readonly hash: string;
}

/**
 * A policy that cannot be used. The message names every problem, where it stands and what to write.
 * @internal for tests
 */
export class PolicyError extends Error {
  override readonly name = "PolicyError";
}

export interface ReadPolicyOptions {
  /** How the file is called in messages. */
  readonly name?: string;
  /** Every operation there is, to catch names that would silently mean nothing. */
  readonly operations?: readonly string[];
}

/** What holds where no file was written: people approve their own calls, and the owner the dangerous ones. */
export function defaultPolicy(): Policy {
  return sealed(PolicyFile.parse({ version: 1 }));
}

export function readPolicy(text: string, options: ReadPolicyOptions = {}): Policy {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const broken = document.errors.map((error) => `  ${error.message.split("\n")[0]}`);
  if (broken.length > 0) throw unusable(broken, options);
  const parsed = PolicyFile.safeParse(document.toJS({ maxAliasCount: 100 }));
  const lineOf = (path: readonly PropertyKey[]) => lineIn(document, lines, path);
  if (!parsed.success) throw unusable(parsed.error.issues.map(say(lineOf)), options);
  const missing = contradictions(parsed.data, options).map(say(lineOf));
  if (missing.length > 0) throw unusable(missing, options);
  return sealed(parsed.data);
}

function sealed(file: PolicyFile): Policy {
  return { ...file, hash: createHash("sha256").update(canonicalJson(file)).digest("hex") };
}

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** What each line may say by itself and the whole may not. */
function contradictions(file: PolicyFile, { operations }: ReadPolicyOptions): Problem[] {
  const references: Problem[] = [
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
  const unknown = patterns
    .filter(([, pattern]) => operations && !operations.some((key) => covers(pattern, key)))
    .map(([path, pattern]) => ({ path, message: `there is no operation ${pattern}; correct it` }));
  return [...references, ...unknown];

  function strange(who: readonly string[], path: PropertyKey[]): Problem[] {
    return who.flatMap((name, index) => {
      const role = /^role:(.+)$/.exec(name)?.[1];
      if (role === undefined || Object.hasOwn(file.roles, role)) return [];
      return [
        { path: [...path, index], message: `the role ${role} is not among roles; add it there` },
      ];
    });
  }
}

/** Whether a pattern such as `tool.*` means this operation. */
export function covers(pattern: string, operation: string): boolean {
  if (pattern === "*" || pattern === operation) return true;
  return pattern.endsWith(".*") && operation.startsWith(pattern.slice(0, -1));
}

function say(lineOf: (path: readonly PropertyKey[]) => number | undefined) {
  return ({ path, message }: Problem | z.core.$ZodIssue): string => {
    const where = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`));
    const line = lineOf(path);
    const place = where.join("").replace(/^\./, "") || "the file";
    return `  ${place}${line === undefined ? "" : ` (line ${line})`}: ${message}`;
  };
}

/** The line of the deepest part that stands in the file: what is missing has none of its own. */
function lineIn(
  document: ReturnType<typeof parseDocument>,
  lines: LineCounter,
  path: readonly PropertyKey[],
): number | undefined {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const found = document.getIn(path.slice(0, depth), true);
    const start = isNode(found) ? found.range?.[0] : undefined;
    if (start !== undefined) return lines.linePos(start).line;
  }
  return undefined;
}

function unusable(problems: readonly string[], { name = "The policy" }: ReadPolicyOptions) {
  return new PolicyError(
    `${name} cannot be used:\n${problems.join("\n")}\nCorrect the file and start again.`,
  );
}
