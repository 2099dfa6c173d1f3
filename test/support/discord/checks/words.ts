import {
  problemsInActivity,
  problemsInLabel,
  problemsInOwnWords,
  withoutCode,
} from "../../own-words.ts";
import type { Problems } from "../refusals.ts";
import { type Fields, fieldsIn, stringIn } from "../values.ts";
import { everyIn } from "./components.ts";
import { TYPE } from "./context.ts";

/** Beyond Discord's own rules: people read names and local times, and code as it is. */
export function checkWords(components: readonly Fields[], path: string, problems: Problems): void {
  const parts = everyIn(components);
  refuse(
    [
      ...textsOf(parts).flatMap((text) => [
        ...problemsInOwnWords(text),
        ...problemsInActivity(text),
      ]),
      ...labelsOf(parts).flatMap(problemsInLabel),
    ],
    path,
    problems,
  );
}

/** Everything in a window is the bot's own, but for code. */
export function checkWordsOfModal(modal: Fields, problems: Problems): void {
  const parts = everyIn(fieldsIn(modal.components));
  const words = [stringIn(modal.title), ...textsOf(parts), ...labelsOf(parts)];
  refuse(words.flatMap(problemsInLabel), "data", problems);
}

function refuse(found: readonly string[], path: string, problems: Problems): void {
  for (const problem of found) problems.add(path, "WORDS_NOT_FOR_PEOPLE", problem);
}

function textsOf(parts: readonly Fields[]): string[] {
  return parts.flatMap(({ type, content }) =>
    type === TYPE.text ? [withoutCode(stringIn(content)).replace(/\\([!-/:-@[-`{-~])/g, "$1")] : [],
  );
}

function labelsOf(parts: readonly Fields[]): string[] {
  return parts
    .flatMap((part) => [part, ...fieldsIn(part.options)])
    .flatMap(({ label, description, placeholder }) => [label, description, placeholder])
    .map((words) => withoutCode(stringIn(words)));
}
