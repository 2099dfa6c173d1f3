import type { Redactor } from "../contract/redactor.ts";
import { type Finding, merge } from "./finding.ts";
import { createKnownValues, SHORTEST_SECRET } from "./known-values.ts";
import { BEGINNING, createRedactingStream } from "./redacting-stream.ts";
import { createSecretlint, type Finder, secretlintLabels } from "./secretlint.ts";
import { ASSIGNED, findByShape, isSecretSetting, shapeLabels } from "./shapes.ts";
import { createViewer, textOf, type View, type Views } from "./views.ts";

export interface RedactorOptions {
  /** The values to be kept secret, by the names that the masks may show. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Told which values are too short to be looked for. */
  readonly warn?: (message: string) => void;
}

/** Known values first, in their usual encodings; then what looks like a secret. */
export function createRedactor({ secrets, warn }: RedactorOptions): Redactor {
  const known = createKnownValues(usable(secrets, warn));
  const findBySecretlint = createSecretlint();
  const viewer = createViewer();
  const masks = maskPattern([...Object.keys(secrets).map(labelFor), ...ruleLabels()]);

  /**
   * All that has to be masked. What is left between two masks is looked at again by itself, as it will be
   * when somebody redacts the result, until there is nothing left to find: so once is as good as twice.
   */
  function findAll(text: string): Finding[] {
    return gapsBetween(text, masksIn(text, masks)).flatMap((gap) => findIn(text, gap));
  }

  function findIn(text: string, gap: Gap): Finding[] {
    const findings = look(text.slice(gap.start, gap.end)).map((finding) =>
      moved(finding, gap.start),
    );
    if (findings.length === 0) return [];
    const rest = gapsBetween(text, findings, gap).flatMap((smaller) => findIn(text, smaller));
    return [...findings, ...rest].sort((one, other) => one.start - other.start);
  }

  /** The surest first: what it finds leaves less for the others to take for something else. */
  function look(text: string): Finding[] {
    if (text.length < SHORTEST_SECRET) return [];
    const views = viewer(text);
    const values = known.find(views);
    if (values.length > 0) return merge(values);
    const shapes = asSeen(findByShape, text, views);
    return merge(shapes.length > 0 ? shapes : asSeen(findBySecretlint, text, views));
  }

  const redact = (text: string) => masked(text, findAll(text));
  return {
    redact,
    redactDeep: (value) => redactDeep(value, redact) as typeof value,
    stream: () =>
      createRedactingStream({
        findAll,
        masked,
        beginning: (text, least) => known.beginning(viewer(text), least),
        longest: known.longest,
      }),
  };
}

/**
 * Rules look at the text as it is; as people see it, where that differs; and with spaces for the line breaks and
 * tabs that are written as `\n` and `\t`, because a rule takes the n for a letter of the word that follows.
 */
function asSeen(find: Finder, text: string, { raw, visible }: Views): Finding[] {
  const findings = find(text);
  if (raw) findings.push(...find(textOf(visible)).map((finding) => inText(finding, visible)));
  if (/\\[nrt]/.test(text)) findings.push(...find(text.replaceAll(/\\[nrt]/g, "  ")));
  return findings;
}

function inText(finding: Finding, view: View): Finding {
  const [start, end] = view.span(finding.start, finding.end - 1);
  return { ...finding, start, end };
}

function redactDeep(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((member) => redactDeep(member, redact));
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).map(([key, member]) => {
    const hidden = typeof member === "string" && isSecretSetting(key, member);
    return [redact(key), hidden ? maskOf(ASSIGNED) : redactDeep(member, redact)];
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
): (readonly [string, string])[] {
  return Object.entries(secrets).flatMap(([name, value]) => {
    const label = labelFor(name);
    if (value.length < SHORTEST_SECRET)
      warn?.(
        `${name} is shorter than ${SHORTEST_SECRET} characters and will not be masked where it appears. Give it a longer value.`,
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

/** A name in a mask must not end the mask. */
function labelFor(name: string): string {
  return name.replaceAll(/[[\]\n\r]/g, "_");
}

function maskOf(label: string): string {
  return `[redacted: ${label}]`;
}

function masked(text: string, findings: readonly Finding[]): string {
  if (findings.length === 0) return text;
  let result = "";
  let at = 0;
  for (const { start, end, label } of findings) {
    result += text.slice(at, start) + maskOf(label);
    at = end;
  }
  return result + text.slice(at);
}

/** Only masks that we could have made: something else in such brackets is looked at like all text. */
function maskPattern(labels: readonly string[]): RegExp {
  const names = [...new Set(labels)].map((label) => RegExp.escape(label));
  return new RegExp(`\\[redacted: (?:${names.join("|")})\\]`, "g");
}

interface Gap {
  readonly start: number;
  readonly end: number;
}

function masksIn(text: string, masks: RegExp): Gap[] {
  if (!text.includes("[redacted: ")) return [];
  return Array.from(text.matchAll(masks), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}

function gapsBetween(
  text: string,
  taken: readonly Gap[],
  within: Gap = { start: 0, end: text.length },
): Gap[] {
  const starts = [within.start, ...taken.map(({ end }) => end)];
  const ends = [...taken.map(({ start }) => start), within.end];
  return starts.map((start, index) => ({ start, end: ends[index] ?? start }));
}

function moved(finding: Finding, by: number): Finding {
  return { ...finding, start: finding.start + by, end: finding.end + by };
}
