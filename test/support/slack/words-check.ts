import { problemsInLabel, problemsInOwnWords, withoutCode } from "../own-words.ts";
import {
  type Fields,
  fieldsIn,
  isFields,
  SlackRefusedError,
  stringIn,
  unescaped,
} from "./values.ts";

/** Beyond Slack's own rules: people read names and local times, and code as it is. */
export function checkWords(blocks: readonly Fields[]): void {
  refuseWords([
    ...problemsInOwnWords(blocks.map(wordsOutsideCode).join("\n")),
    ...labelsIn(blocks).flatMap(problemsInLabel),
    ...blocks.flatMap(({ tasks }) => fieldsIn(tasks)).flatMap(problemsInTask),
  ]);
}

/** Why a call failed is said in our words. */
function problemsInTask({ status, details }: Fields): string[] {
  return status === "error" && isFields(details) ? problemsInLabel(wordsOutsideCode(details)) : [];
}

/** What notifications and screen readers say. */
export function checkNotification(text: string): void {
  refuseWords(problemsInOwnWords(withoutCode(unescaped(text))));
}

/** Everything in a window is the bot's own, but for code. */
export function checkWordsOfView(view: Fields): void {
  const texts = fieldsIn(view.blocks).map(wordsOutsideCode);
  refuseWords([...texts, ...labelsIn(view)].flatMap(problemsInLabel));
}

export function refuseWords(problems: readonly string[]): void {
  if (problems.length > 0)
    throw new SlackRefusedError(`words_not_for_people (${problems.join("; ")})`);
}

function wordsOutsideCode(part: Fields): string {
  if (part.type === "markdown")
    return withoutCode(stringIn(part.text))
      .replaceAll("&lt;", "<")
      .replace(/\\([!-/:-@[-`{-~])/g, "$1");
  if (part.type === "plan") return `ℹ️ ${stringIn(part.title)}`;
  if (part.type === "rich_text_preformatted" || isCode(part.style)) return " ";
  if (part.type === "text") return stringIn(part.text);
  return part.type === "rich_text" || part.type === "rich_text_section"
    ? fieldsIn(part.elements).map(wordsOutsideCode).join("")
    : "";
}

const isCode = (style: unknown) => isFields(style) && style.code === true;

/** The words on buttons, options, fields and windows: Slack takes them as plain text, however deep they are. */
function labelsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(labelsIn);
  if (!isFields(value)) return [];
  if (value.type === "plain_text") return [stringIn(value.text)];
  return Object.values(value).flatMap(labelsIn);
}
