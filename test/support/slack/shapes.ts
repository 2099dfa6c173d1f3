import { type Fields, isFields, lengthOf } from "./values.ts";

/** What is being looked at, and what was found to be wrong with it. */
export interface Inspection {
  readonly surface: "message" | "modal" | "home";
  readonly problems: string[];
  readonly blockIds: Set<string>;
  actionIds: Set<string>;
}

export type Rule = (value: unknown, path: string, inspection: Inspection) => void;

export function inspect(surface: Inspection["surface"]): Inspection {
  return { surface, problems: [], blockIds: new Set(), actionIds: new Set() };
}

export function complain({ problems }: Inspection, path: string, what: string): void {
  problems.push(`${what} [json-pointer:${path}]`);
}

/** A nested object: its type decides what may be in it, and nothing else may. */
export function object(fields: Readonly<Record<string, Rule>>, required: readonly string[]): Rule {
  return (value, path, inspection) => {
    if (!isFields(value)) return complain(inspection, path, "must be an object");
    for (const name of required.filter((one) => value[one] === undefined))
      complain(inspection, path, `missing required field: ${name}`);
    for (const [name, inner] of Object.entries(value)) {
      const rule = fields[name];
      if (rule) rule(inner, `${path}/${name}`, inspection);
      else complain(inspection, path, `invalid additional property: ${name}`);
    }
  };
}

export function string({ most = Number.POSITIVE_INFINITY, least = 1 } = {}): Rule {
  return (value, path, inspection) => {
    if (typeof value !== "string") return complain(inspection, path, "must provide a string");
    if (lengthOf(value) < least)
      complain(inspection, path, `must be more than ${least - 1} characters`);
    if (lengthOf(value) > most)
      complain(inspection, path, `must be less than ${most + 1} characters`);
  };
}

export function oneOf(...allowed: readonly string[]): Rule {
  return (value, path, inspection) => {
    if (!allowed.includes(value as string))
      complain(inspection, path, `value must be one of ${allowed.join(", ")}`);
  };
}

export const boolean: Rule = (value, path, inspection) => {
  if (typeof value !== "boolean") complain(inspection, path, "must be a boolean");
};

export function integer(least: number, most: number): Rule {
  return (value, path, inspection) => {
    if (!Number.isInteger(value) || Number(value) < least || Number(value) > most)
      complain(inspection, path, `must be an integer from ${least} to ${most}`);
  };
}

export function list(of: Rule, { most, least = 1 }: { most: number; least?: number }): Rule {
  return (value, path, inspection) => {
    if (!Array.isArray(value)) return complain(inspection, path, "must be an array");
    if (value.length > most) complain(inspection, path, `no more than ${most} items allowed`);
    if (value.length < least) complain(inspection, path, `no fewer than ${least} items allowed`);
    for (const [index, item] of value.entries()) of(item, `${path}/${index}`, inspection);
  };
}

export const anything: Rule = () => undefined;

/** One of several objects, told apart by their `type`. */
export function tagged(
  rules: () => Readonly<Record<string, Rule>>,
  allowed?: readonly string[],
): Rule {
  return (value, path, inspection) => {
    const type = isFields(value) ? value.type : undefined;
    const isAllowed = typeof type === "string" && (allowed?.includes(type) ?? true);
    const rule = isAllowed ? rules()[type] : undefined;
    if (!rule) complain(inspection, path, `unsupported type: ${String(type)}`);
    else rule(value, path, inspection);
  };
}

/** Text objects; `plain` where Slack takes no markup. */
export function text({ most, plain = false }: { most: number; plain?: boolean }): Rule {
  const isText: Rule = string({ most });
  const plainText = object({ type: anything, text: isText, emoji: boolean }, ["text"]);
  const markup = object({ type: anything, text: isText, verbatim: boolean }, ["text"]);
  const kinds = plain ? { plain_text: plainText } : { plain_text: plainText, mrkdwn: markup };
  return tagged(() => kinds);
}

export function typed(
  fields: Readonly<Record<string, Rule>>,
  required: readonly string[] = [],
): Rule {
  return object({ type: anything, ...fields }, required);
}

/** Ids by which a click is told apart: unique where they stand. */
export const actionId: Rule = (value, path, inspection) => {
  string({ most: 255 })(value, path, inspection);
  const id = String(value);
  if (inspection.actionIds.has(id))
    complain(inspection, path, `\`action_id\` "${id}" already exists for another element`);
  inspection.actionIds.add(id);
};

/** A block's id: unique in its message or view; its elements' ids count from anew. */
export function block(
  fields: Readonly<Record<string, Rule>>,
  required: readonly string[] = [],
): Rule {
  const shape = typed({ block_id: blockId, ...fields }, required);
  return (value, path, inspection) => {
    inspection.actionIds = new Set();
    shape(value, path, inspection);
  };
}

const blockId: Rule = (value, path, inspection) => {
  string({ most: 255 })(value, path, inspection);
  const id = String(value);
  if (inspection.blockIds.has(id))
    complain(inspection, path, `\`block_id\` "${id}" already exists`);
  inspection.blockIds.add(id);
};

/** What is wrong only with several fields together. */
export function also(
  rule: Rule,
  check: (value: Fields, complain: (what: string) => void) => void,
): Rule {
  return (value, path, inspection) => {
    rule(value, path, inspection);
    if (isFields(value)) check(value, (what) => complain(inspection, path, what));
  };
}
