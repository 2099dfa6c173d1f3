import { ASSIGNMENT_SIGNS, findAssignments } from "./assignments.ts";
import type { Finding, Rule } from "./finding.ts";
import { isPlaceholder } from "./placeholder.ts";

/** A secret that is known by its look. The part that is masked is the group `secret`, else all of it. */
interface Shape {
  readonly label: string;
  readonly pattern: RegExp;
  /** One of them stands in everything that the pattern can find; without any, every text is looked through. */
  readonly signs?: readonly string[];
  /** Asked with what would be masked. */
  readonly unless?: (secret: string) => boolean;
}

const hasNoDigit = (secret: string) => !/\d/.test(secret);

/** What secretlint's rules leave out and people do paste. */
const SHAPES: readonly Shape[] = [
  {
    // With its end, or without: then as far as it looks like one. Its line breaks may be written as \n.
    label: "looks like a private key",
    signs: ["-be"],
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:[^-]{0,20000}?-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|(?:(?:\r?\n|\\r|\\n|[ \t])+(?:[A-Za-z0-9+/=]{16,}|[A-Za-z-]{3,20}: [^\n]{0,100}(?=\n)|[A-Za-z0-9+/=]+(?=\r?\n|\\n|$)))*(?:\s*$)?)/g,
  },
  {
    label: "password in an address",
    signs: ["://"],
    pattern:
      /:\/\/(?<user>[^\s/:@'"`<>]{0,128}):(?!\k<user>@)(?<secret>[^\s/@'"`<>]{3,256})@(?=[\w[])/dg,
    unless: isPlaceholder,
  },
  {
    label: "token in an address",
    signs: ["://"],
    pattern: /:\/\/(?<secret>[\w-]{20,256})(?::[^\s/@'"`<>]{0,256})?@(?=[\w[])/dg,
    unless: hasNoDigit,
  },
  {
    label: "credentials of a request",
    signs: ["iza"],
    pattern:
      /\bauthorization["']?[ \t]{0,3}[:=][ \t]{0,3}["']?(?:bearer|basic|token|bot)[ \t]{1,3}(?<secret>[\w.~+/-]{8,4096}=*)/dgi,
    unless: isPlaceholder,
  },
  {
    label: "credentials of a request",
    signs: ["bea"],
    pattern: /\b[Bb]earer[ \t]{1,3}(?<secret>[\w.~+/-]{16,4096}=*)/dg,
    unless: (secret) => hasNoDigit(secret) || isPlaceholder(secret),
  },
  {
    label: "looks like a Discord token",
    pattern: /\b[MNO][A-Za-z\d_-]{23,28}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,45}\b/g,
  },
  {
    label: "looks like a Discord webhook",
    signs: ["bho"],
    pattern:
      /\bdiscord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d{17,20}\/(?<secret>[\w-]{60,80})/dg,
  },
  {
    label: "looks like a Slack token",
    signs: ["xox", "xap", "xwf"],
    pattern: /\b(?:xox[a-z](?:\.xox[bp])?|xapp|xwfp)-[A-Za-z0-9-]{10,400}/g,
    unless: hasNoDigit,
  },
  {
    label: "looks like a JSON Web Token",
    signs: ["eyj"],
    pattern: /\beyJ[\w-]{8,4096}\.eyJ[\w-]{8,8192}\.[\w-]{16,2048}/g,
  },
  {
    label: "looks like a Google API key",
    signs: ["aiz"],
    pattern: /\bAIza[\w-]{35}(?![\w-])/g,
  },
  {
    label: "looks like an API key",
    signs: ["sk-"],
    pattern: /\bsk-[A-Za-z0-9_-]{32,256}/g,
    unless: (secret) => hasNoDigit(secret) || !/[a-z]/i.test(secret.slice(3)),
  },
  {
    label: "looks like an AWS access key",
    signs: ["kia", "sia"],
    pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
    unless: (secret) => secret.endsWith("EXAMPLE"),
  },
];

/** Of a setting whose name says that it is secret. */
export const ASSIGNED = "value of a secret setting";

/** One after the other, so that each can be left out where its signs are not there. */
export const SHAPE_RULES: readonly Rule[] = [
  ...SHAPES.map((shape) => ({
    ...(shape.signs ? { signs: shape.signs } : {}),
    find: (text: string) => findShape(text, shape),
  })),
  {
    signs: ASSIGNMENT_SIGNS,
    find: (text) => findAssignments(text).map((span) => ({ ...span, label: ASSIGNED })),
  },
];

/** What the masks of these rules can say. */
export function shapeLabels(): string[] {
  return [...SHAPES.map(({ label }) => label), ASSIGNED];
}

function findShape(text: string, { label, pattern, unless }: Shape): Finding[] {
  return Array.from(text.matchAll(pattern)).flatMap((match) => {
    const [start, end] = match.indices?.groups?.secret ?? [
      match.index,
      match.index + match[0].length,
    ];
    return unless?.(text.slice(start, end)) ? [] : [{ start, end, label }];
  });
}
