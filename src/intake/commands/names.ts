import { z } from "zod";
import type { CommandDeps } from "./deps.ts";

const PAGE_LINES = 1_000;
const Named = z.object({ author: z.string(), name: z.string() });

/** How people call those who have written in a conversation. Of others the last part of their key is all there is. */
export async function namesIn(
  { store }: Pick<CommandDeps, "store">,
  conversation: string,
): Promise<(key: string) => string> {
  const names = new Map<string, string>();
  for (let after = 0; ; ) {
    const lines = await store.read(conversation, { after, limit: PAGE_LINES });
    for (const { data } of lines) {
      const found = Named.safeParse(data);
      if (found.success) names.set(found.data.author, found.data.name);
    }
    const last = lines.at(-1);
    if (!last || lines.length < PAGE_LINES) break;
    after = last.seq;
  }
  return (key) => names.get(key) ?? key.split(":").at(-1) ?? key;
}
