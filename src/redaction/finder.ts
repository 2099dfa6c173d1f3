import { type Finding, merge, type Rule } from "./finding.ts";
import { createGlance } from "./glance.ts";
import {
  createKnownValues,
  type KnownValues,
  type Secret,
  SHORTEST_SECRET,
} from "./known-values.ts";
import { lazily } from "./lazily.ts";
import { maskPattern } from "./masks.ts";
import { secretlintRules } from "./secretlint.ts";
import { SHAPE_RULES } from "./shapes.ts";
import { createSigns } from "./signs.ts";
import { createViewer, type View } from "./views.ts";

export interface Finder {
  /** All that has to be masked, in order. */
  findAll(text: string): Finding[];
  holdsKnown(text: string): boolean;
  /** See KnownValues. */
  beginning(text: string, least: number): ReturnType<KnownValues["beginning"]>;
  readonly longest: number;
}

/** Known values first, in their usual encodings; then what looks like a secret. `labels` are those of all masks. */
export function createFinder(secrets: readonly Secret[], labels: readonly string[]): Finder {
  const known = createKnownValues(secrets);
  // The surest first: what they find leaves less for the others to take for something else.
  const stages = [SHAPE_RULES, secretlintRules()];
  const signs = createSigns(stages.flat().flatMap((rule) => rule.signs ?? []));
  const numbersOf = new Map(
    stages.flat().map((rule) => [rule, rule.signs && signs.numbersOf(rule.signs)]),
  );
  const glance = createGlance(signs, known.prints);
  const viewer = createViewer();
  const masks = maskPattern(labels);

  /**
   * What is left between two masks is looked at again by itself, as it will be when somebody redacts the result, until
   * there is nothing left to find: so once is as good as twice.
   */
  function findIn(text: string, gap: Gap): Finding[] {
    const findings = look(text.slice(gap.start, gap.end)).map((finding) =>
      moved(finding, gap.start),
    );
    if (findings.length === 0) return [];
    const rest = gapsBetween(findings, gap).flatMap((smaller) => findIn(text, smaller));
    return [...findings, ...rest].sort((one, other) => one.start - other.start);
  }

  function look(text: string): Finding[] {
    if (text.length < SHORTEST_SECRET) return [];
    const { mayHoldKnown, seen, has } = glance(text);
    const values = mayHoldKnown ? known.find(viewer(text)) : [];
    if (values.length > 0) return merge(values);
    const ways = waysToRead(text, seen, () => viewer(text).visible);
    for (const rules of stages) {
      const due = rules.filter((rule) => has(numbersOf.get(rule)));
      const findings = due.flatMap((rule) => ways.flatMap((way) => way(rule)));
      if (findings.length > 0) return merge(findings);
    }
    return [];
  }

  return {
    findAll: (text) =>
      gapsBetween(masksIn(text, masks), { start: 0, end: text.length }).flatMap((gap) =>
        findIn(text, gap),
      ),
    holdsKnown: (text) => glance(text).mayHoldKnown && known.find(viewer(text)).length > 0,
    beginning: (text, least) => known.beginning(viewer(text), least),
    longest: known.longest,
  };
}

/**
 * Rules look at the text as it is; as people see it, where that differs; and with spaces for the line breaks and
 * tabs that are written as `\n` and `\t`, because a rule takes the n for a letter of the word that follows.
 */
function waysToRead(text: string, seen: string, view: () => View): ((rule: Rule) => Finding[])[] {
  const ways = [(rule: Rule) => rule.find(text)];
  if (seen !== text) {
    const visible = lazily(view);
    ways.push((rule) => rule.find(seen).map((finding) => inText(finding, visible())));
  }
  if (/\\[nrt]/.test(text)) {
    const spaced = lazily(() => text.replaceAll(/\\[nrt]/g, "  "));
    ways.push((rule) => rule.find(spaced()));
  }
  return ways;
}

function inText(finding: Finding, view: View): Finding {
  const [start, end] = view.span(finding.start, finding.end - 1);
  return { ...finding, start, end };
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

function gapsBetween(taken: readonly Gap[], within: Gap): Gap[] {
  const starts = [within.start, ...taken.map(({ end }) => end)];
  const ends = [...taken.map(({ start }) => start), within.end];
  return starts.map((start, index) => ({ start, end: ends[index] ?? start }));
}

function moved(finding: Finding, by: number): Finding {
  return { ...finding, start: finding.start + by, end: finding.end + by };
}
