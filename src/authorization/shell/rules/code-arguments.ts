import type { Inspector } from "../rule.ts";
import { isUnknown, literalWord, readable, type Word } from "../word.ts";
import { effectsOfCode, objectionToCode, startedPrograms } from "./code.ts";

/** Code in another language that a word or an input holds. */
export function codeArgument(code: Word | undefined, inspect: Inspector): void {
  if (!code) return;
  // What a quoted variable brings along is data or code, nobody can tell; the rest is looked at all the same.
  if (isUnknown(code)) inspect.hides("code that is known only at run time");
  const text = readable(code.shape);
  const objection = objectionToCode(text);
  if (objection) {
    inspect.hides(objection);
    inspect.mayRun([code]);
    for (const words of startedPrograms(text)) inspect.mayRun(words.map(literalWord));
  }
  const effects = effectsOfCode(text);
  for (const path of effects.removes) inspect.deletes(literalWord(path), { recursive: true });
  for (const path of effects.writes) inspect.writes(literalWord(path));
  if (effects.fetches) inspect.downloads(undefined);
  if (effects.readsCredentials) inspect.credentials("code that reads or uses credentials");
  if (effects.sends) inspect.sends();
}
