import { z } from "zod";
import type { Documents } from "../contract/store.ts";
import { Shell } from "../contract/workspace/shell.ts";

const Chosen = z.object({
  /** The shared area whose memory is used; its own where there is none. */
  topic: z.string().exactOptional(),
  /** Who the agent is told to be. */
  systemPrompt: z.string().exactOptional(),
  /** Of its terminals, where that is not bash. */
  shell: Shell.exactOptional(),
  /** Mini prompts that are on, beside those that are on everywhere. */
  minis: z.array(z.string()),
  /** Those that stay off, wherever else they are on. */
  minisOff: z.array(z.string()).exactOptional(),
  /** Those that people have written here, for here. */
  ownMinis: z.array(z.object({ id: z.string(), text: z.string() })).exactOptional(),
});
export type Chosen = z.infer<typeof Chosen>;

/** What people have chosen for their conversations. A store that cannot answer throws. */
export interface Choices {
  of(conversation: string): Promise<Chosen>;
  change(conversation: string, change: (chosen: Chosen) => Chosen): Promise<Chosen>;
  /** The conversations that share a topic. */
  members(topic: string): Promise<string[]>;
}

const NOTHING: Chosen = { minis: [] };

export function createChoices(documents: Documents): Choices {
  // Two changes at once would each write the other's old value.
  let lastChange: Promise<unknown> = Promise.resolve();

  const of = async (conversation: string) => {
    const kept = await documents.get(conversation);
    return kept === undefined ? NOTHING : Chosen.parse(kept);
  };

  return {
    of,
    async change(conversation, change) {
      const changed = lastChange.then(async () => {
        const chosen = change(await of(conversation));
        await documents.set(conversation, chosen);
        return chosen;
      });
      // A failure is told to whoever asked for the change, and does not stop the next one.
      lastChange = changed.catch(() => undefined);
      return changed;
    },
    async members(topic) {
      const keys = await documents.keys();
      const chosen = await Promise.all(keys.map(of));
      return keys.filter((_, index) => chosen[index]?.topic === topic);
    },
  };
}

/** Whose memory a conversation uses. */
export function scopeOf(conversation: string, { topic }: Chosen): string {
  return topic ?? conversation;
}
