import { viewText } from "../../adapters/shared/view-text.ts";
import type { FileShare, View } from "../../src/contract/platform/view.ts";
import { workspaceTools } from "../../src/contract/tools/workspace-tools.ts";
import { timesInWords } from "../../src/lib/text/times.ts";

/** The signs that the bot's own notices and cards begin with. A reply has none: its words are the model's. */
const OWN = /^\s*(?:ℹ️|⚠️|❌|✋|🛑|✅|🚫|❓)/u;

/** Names of operations that are no English words, and of parameters. People use operations by their full names. */
const FOR_THE_MODEL = [
  ...workspaceTools.flatMap(({ operations }) =>
    Object.entries(operations).flatMap(([name, { params }]) => [
      name,
      ...Object.keys(params.shape),
    ]),
  ),
  ...["callId", "tool_call", "read_tool_result", "recall_history", "search_tools"],
].filter((name) => /_|[a-z][A-Z]/.test(name));

/** What the bot's own words must not have, each with what it would be taken for. */
const FORBIDDEN: Readonly<Record<string, RegExp>> = {
  "an ISO stamp": /\b\d{4}-\d\d-\d\dT\d\d:\d\d/,
  "the key of a person or thread": /(?<![\w/])(?:slack|discord|web):[\w.-]+(?::[\w.-]+)*\b(?!\/\/)/,
  "the id of a person or channel": /(?<![@#!&\w])(?:[UWC]0[A-Z0-9]{7,}|\d{17,20})\b/,
  "a time that no adapter has shown": /[\uFDD0\uFDD1]/,
  "words meant for the model": new RegExp(
    `(?<![\\w./])(?:${[...new Set(FOR_THE_MODEL)].join("|")})(?![\\w/.]\\w)\\b`,
  ),
  "altered code": /&(?:amp;)?(?:lt|gt|#\d+);/,
};

/** What is wrong with words outside code that people are shown; nothing where they are not the bot's own. */
export function problemsInOwnWords(words: string): string[] {
  if (!OWN.test(words)) return [];
  return Object.entries(FORBIDDEN).flatMap(([name, form]) => {
    const found = form.exec(words)?.[0];
    return found === undefined ? [] : [`${name}: ${found}`];
  });
}

/** The same for a card in words: what stands below the lines of calls that failed. */
export function problemsInActivity(words: string): string[] {
  if (!/^(?:Working …|Waiting for your response|Done|Stopped|Failed)/.test(words)) return [];
  const below = [...words.matchAll(/^ *(?:↳ )?❌ .*\n((?: {2,}.*(?:\n|$))+)/gm)];
  return below.flatMap(([, said = ""]) => problemsInLabel(said));
}

/** The same for words on a button, a field or a window. */
export function problemsInLabel(label: string): string[] {
  return problemsInOwnWords(`ℹ️ ${label}`);
}

/** The same for a file: its name and what stands beside it. */
export function problemsInFile({
  name,
  comment = "",
}: Pick<FileShare, "name" | "comment">): string[] {
  return [name, withoutCode(comment)].flatMap(problemsInLabel);
}

/** The same for a view before any adapter renders it; words of the model and of programs are theirs. */
export function problemsInView(view: View): string[] {
  return [...problemsInWords(view), ...labelsOf(view).flatMap(problemsInLabel)];
}

/** The words on buttons and in the windows that they open. What a window shows as code stays as it is. */
function labelsOf(view: View): string[] {
  const buttons = "buttons" in view ? (view.buttons ?? []) : [];
  // A question's buttons may be the model's own answers.
  const labels = view.kind === "question" ? [] : buttons.map(({ label }) => label);
  const forms = buttons.flatMap(({ form }) => form ?? []);
  return [
    ...labels,
    ...forms.flatMap(({ title, submit, field, shows = [] }) => [
      ...[title, submit, field.label, field.hint ?? ""],
      ...shows.map(({ label }) => label),
    ]),
  ];
}

function problemsInWords(view: View): string[] {
  const own = ownPart(view);
  if (own === undefined) return [];
  const words = timesInWords(withoutCode(viewText(own, { localTimes: true })));
  return OWN.test(words) ? problemsInOwnWords(words) : problemsInLabel(words);
}

function ownPart(view: View): View | undefined {
  if (view.kind === "notice" || view.kind === "approval" || view.kind === "picker") return view;
  if (view.kind === "question") return { ...view, prompt: "", context: "" };
  if (view.kind === "terminal") return { ...view, text: "" };
  if (view.kind !== "activity") return undefined;
  const lines = view.lines.map(({ output: _output, ...line }) => ({
    ...line,
    title: "",
    details: line.status === "error" ? line.details : [],
  }));
  return { ...view, lines };
}

/** Markdown without its code. */
export function withoutCode(markdown: string): string {
  return markdown.replace(/(`{3,})[\s\S]*?(?:\1|$)|(`+)[^`\n]+\2/g, " ");
}
