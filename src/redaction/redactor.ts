import type { Redactor } from "../contract/redactor.ts";
import { isSecretSetting } from "./assignments.ts";
import { createFinder } from "./finder.ts";
import type { Finding } from "./finding.ts";
import { type Secret, SHORTEST_SECRET } from "./known-values.ts";
import { briefMaskOf, inertParts, labelFor, masked, maskOf } from "./masks.ts";
import { Memo } from "./memo.ts";
import { redactFile } from "./redact-file.ts";
import { BEGINNING, createRedactingStream } from "./redacting-stream.ts";
import { secretlintLabels } from "./secretlint.ts";
import { ASSIGNED, shapeLabels } from "./shapes.ts";

export interface RedactorOptions {
  /** The values to be kept secret, by the names that the masks may show. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Told which values are too short to be looked for. */
  readonly warn?: (message: string) => void;
}

export function createRedactor({ secrets, warn }: RedactorOptions): Redactor {
  const labels = [...Object.keys(secrets).map(labelFor), ...ruleLabels()];
  const finder = createFinder(usable(secrets, warn), labels);
  const memo = new Memo();

  const redact = (text: string) =>
    memo.recall(text, (given) => masked(given, finder.findAll(given)));
  const judged = (text: string, findings: readonly Finding[]) =>
    masked(
      text,
      findings.flatMap((finding) => inertParts(text, finding)),
      briefMaskOf,
    );
  const stream: Redactor["stream"] = (options) => createRedactingStream(finder, options);
  return {
    redact,
    redactDeep: (value) =>
      redactDeep(value, { text: redact, setting: () => maskOf(ASSIGNED) }) as typeof value,
    redactJudged: (value) =>
      redactDeep(value, {
        text: (text) => judged(text, finder.findAll(text)),
        setting: (text) => judged(text, [{ start: 0, end: text.length, label: ASSIGNED }]),
      }) as typeof value,
    redactFile: (bytes) => redactFile({ stream, holdsKnown: finder.holdsKnown }, bytes),
    stream,
  };
}

interface Masking {
  text(text: string): string;
  /** What a setting holds whose name says that it is secret. */
  setting(value: string): string;
}

function redactDeep(value: unknown, masking: Masking): unknown {
  if (typeof value === "string") return masking.text(value);
  if (Array.isArray(value)) return value.map((member) => redactDeep(member, masking));
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).map(([key, member]) => {
    const name = key === "value" && "name" in value ? String(value.name) : key;
    const isHidden = typeof member === "string" && isSecretSetting(name, member);
    return [masking.text(key), isHidden ? masking.setting(member) : redactDeep(member, masking)];
  });
  return Object.fromEntries(members);
}

function ruleLabels(): string[] {
  return [BEGINNING, ...shapeLabels(), ...secretlintLabels()];
}

/** Long enough to be looked for; with the password inside an address and the lines of a long key. */
function usable(
  secrets: Readonly<Record<string, string>>,
  warn: RedactorOptions["warn"],
): Secret[] {
  return Object.entries(secrets).flatMap(([name, value]) => {
    const label = labelFor(name);
    if (value.length < SHORTEST_SECRET)
      warn?.(
        `${name} is shorter than ${SHORTEST_SECRET} characters, so it is not masked in output. Use a longer value.`,
      );
    const parts = [value, value.trim(), passwordIn(value), ...linesOf(value)];
    const long = [...new Set(parts)].filter((part) => part.length >= SHORTEST_SECRET);
    return long.map((part) => [label, part] as const);
  });
}

function passwordIn(value: string): string {
  const password = URL.parse(value)?.password ?? "";
  return URL.canParse(value) ? safelyDecoded(password) : "";
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone percent sign: then it stands for itself
  }
}

function linesOf(value: string): string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return lines.length > 1
    ? lines.filter((line) => line.length >= 16 && !line.startsWith("-----"))
    : [];
}
