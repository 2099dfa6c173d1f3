import { NAMELESS } from "../../contract/platform/nameless.ts";
import { people as recordedPeople } from "../../journal/people.ts";
import type { CommandDeps } from "./deps.ts";

/** People who are looked up at their platform for one answer. */
const MOST_LOOKUPS = 10;

/**
 * The names of the people who have written or decided in a conversation. Of the others, those of `keys` are looked up at
 * their platform; an id is never shown for a person.
 */
export async function namesIn(
  { journal, people }: Pick<CommandDeps, "journal" | "people">,
  conversation: string,
  keys: readonly string[] = [],
): Promise<(key: string) => string> {
  const names = new Map(await journal.fold(conversation, recordedPeople));
  const unknown = new Set(keys.filter((key) => key.includes(":") && !names.has(key)));
  for (const key of [...unknown].slice(0, MOST_LOOKUPS)) {
    // A platform that is away costs the answer a name, and not the answer.
    const found = await people.find(key, conversation).catch(() => undefined);
    if (found?.name !== undefined) names.set(key, found.name);
  }
  // What has no colon is no key: the audit says "guard" or "policy" there.
  return (key) => names.get(key) ?? (key.includes(":") ? NAMELESS : key);
}
