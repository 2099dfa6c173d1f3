import type { Call, Inspector } from "../rule.ts";
import { isUnknown, literalWord, readable, UNKNOWN_WORDS, type Word } from "../word.ts";
import { joinedBySpaces } from "./shells.ts";
import { afterOptions, unknownOption, type Wrapper } from "./wrapper-options.ts";
import { foundByFind } from "./xargs.ts";

/** Options after which a value simply stands for its mark. */
const OPTIONS: Wrapper = {
  flags: "kuvt01",
  valued: "jP",
  flagsLong: [
    "keep-order",
    "line-buffer",
    "lb",
    "ungroup",
    "bar",
    "eta",
    "progress",
    "verbose",
    "will-cite",
    "tag",
    "no-notice",
    "resume",
    "resume-failed",
    "null",
    "shuf",
  ],
  valuedLong: [
    "jobs",
    "max-procs",
    "timeout",
    "delay",
    "retries",
    "joblog",
    "results",
    "tmpdir",
    "load",
    "memfree",
    "halt",
    "halt-on-error",
    "nice",
  ],
};

/** More values than these are not tried one by one. */
const MAXIMUM_VALUES = 16;

/** `parallel gzip {} ::: a b` runs its template once for every value; other values come from files or from input. */
export function parallel(call: Call, inspect: Inspector): void {
  const { args, program, segment } = call;
  if (args.some(({ shape }) => /^--dry-?run$/.test(shape))) return;
  const start = afterOptions(args, OPTIONS);
  if (start === undefined) {
    unknownOption(call, inspect);
    return;
  }
  const rest = args.slice(start);
  const end = rest.findIndex(({ shape }) => shape.startsWith(":::"));
  const words = end < 0 ? rest : rest.slice(0, end);
  const values = rest[end]?.shape === ":::" ? rest.slice(end + 1) : [];
  const isTold = words.length > 0 && isPlainList(values);
  const incoming = end < 0 ? foundByFind(call.input) : UNKNOWN_WORDS;
  const leadsNowhere = incoming !== UNKNOWN_WORDS && words.length > 1;
  if (!isTold && !leadsNowhere) inspect.click("runs commands made of its input");
  if (words.length === 0) return;
  const template = joinedBySpaces(words).shape;
  for (const { shape } of isTold ? values : [])
    inspect.runsCode({ text: segment, shape: withValue(template, shape) }, program);
  if (isTold) return;
  if (!leadsNowhere) inspect.runsCode(joinedBySpaces(words), program);
  // Without quotes and the like a template is the words between its blanks.
  if (!/["'`$|&;<>()\\]/.test(readable(template)))
    inspect.runs(withAnything(template.split(/\s+/).map(literalWord), incoming));
  else if (leadsNowhere) inspect.click("runs commands made of its input");
}

function isPlainList(values: readonly Word[]): boolean {
  return (
    values.length > 0 &&
    values.length <= MAXIMUM_VALUES &&
    values.every((word) => !isUnknown(word) && /^[\w./@%+=,*?-]+$/.test(readable(word.shape)))
  );
}

/** `{}`, `{.}`, `{/}`, `{//}`, `{/.}`, `{#}`, `{%}`, `{1}`, `{1.}` */
const MARKS = /[{\ue005](?:\.|\/|\/\.|\/\/|#|%|1|1\.)?[}\ue007]/g;

function withValue(template: string, value: string): string {
  return template.search(MARKS) < 0 ? `${template} ${value}` : template.replaceAll(MARKS, value);
}

/** The words of a template with anything in the places of its marks, or behind it. */
function withAnything(words: readonly Word[], anything: string): Word[] {
  const filled = words.map(({ text, shape }) => ({
    text,
    shape: shape.replaceAll(MARKS, anything),
  }));
  const hasMark = filled.some(({ shape }, index) => shape !== words[index]?.shape);
  return hasMark ? filled : [...filled, { text: "…", shape: anything }];
}
