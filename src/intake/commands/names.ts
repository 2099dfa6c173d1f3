import { z } from "zod";
import { NAMELESS } from "../../contract/platform/nameless.ts";
import type { CommandDeps } from "./deps.ts";

const PAGE_LINES = 1_000;
/** People who are looked up at their platform for one answer. */
const MOST_LOOKUPS = 10;
const Author = z.object({ author: z.string(), name: z.string() });
const Deciders = z.object({ by: z.array(z.string()), names: z.array(z.string()) });

/**
 * The names of the people who have written or decided in a conversation. Of the others, those of `keys` are looked up at
 * their platform; an id is never shown for a person.
 */
export async function namesIn(
  { store, people }: Pick<CommandDeps, "store" | "people">,
  conversation: string,
  keys: readonly string[] = [],
): Promise<(key: string) => string> {
  const names = await recordedNames(store, conversation);
  const unknown = new Set(keys.filter((key) => key.includes(":") && !names.has(key)));
  for (const key of [...unknown].slice(0, MOST_LOOKUPS)) {
    // A platform that is away costs the answer a name, and not the answer.
    const found = await people.find(key, conversation).catch(() => undefined);
    if (found?.name !== undefined) names.set(key, found.name);
  }
  // What has no colon is no key: the audit says "guard" or "policy" there.
  return (key) => names.get(key) ?? (key.includes(":") ? NAMELESS : key);
}

async function recordedNames(store: CommandDeps["store"], conversation: string) {
  const names = new Map<string, string>();
  for (let after = 0; ; ) {
    const lines = await store.read(conversation, { after, limit: PAGE_LINES });
    for (const { data } of lines) {
      const author = Author.safeParse(data);
      if (author.success) names.set(author.data.author, author.data.name);
      const decided = Deciders.safeParse(data);
      if (!decided.success) continue;
      decided.data.by.forEach((key, index) => {
        const name = decided.data.names[index];
        if (name !== undefined && name !== key) names.set(key, name);
      });
    }
    const last = lines.at(-1);
    if (!last || lines.length < PAGE_LINES) return names;
    after = last.seq;
  }
}
