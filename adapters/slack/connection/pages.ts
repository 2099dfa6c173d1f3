import { z } from "zod";

const WithCursor = z.object({
  response_metadata: z.object({ next_cursor: z.string().default("") }).optional(),
});

interface PageOptions<Page> {
  readonly schema: z.ZodType<Page>;
  readonly mostPages: number;
  readonly ask: (more: { readonly cursor?: string }) => Promise<unknown>;
}

/** The pages of one of Slack's lists. */
export async function* pages<Page>({
  schema,
  mostPages,
  ask,
}: PageOptions<Page>): AsyncGenerator<Page & { readonly isLast: boolean }> {
  let cursor: string | undefined;
  for (let number = 0; number < mostPages; number += 1) {
    const answer = await ask(cursor ? { cursor } : {});
    cursor = WithCursor.parse(answer).response_metadata?.next_cursor;
    yield { ...schema.parse(answer), isLast: !cursor };
    if (!cursor) return;
  }
}
