import { z } from "zod";
import type { Documents } from "../../contract/store.ts";
import type { AskedMessage } from "../../journal/conversation-lines.ts";
import type { Journal } from "../../journal/journal.ts";
import type { CommandDeps } from "./deps.ts";
import type { Asked } from "./verb.ts";

const Selection = z.object({ text: z.string(), at: z.string() });
const LASTS_MS = 24 * 60 * 60_000;
const LONGEST_CHARS = 60_000;

/** Keeps what somebody has pointed at, for a day or until they point at something else. */
export async function keepSelection(
  { selections, now }: Pick<CommandDeps, "selections" | "now">,
  { conversation }: Asked,
  text: string,
): Promise<void> {
  const selection = { text: text.slice(-LONGEST_CHARS), at: now().toISOString() };
  await selections.set(conversation, selection, { ttlMs: LASTS_MS });
}

/**
 * What the people of a conversation point at: what the messages of the open turn quote, or else what was selected.
 * Empty: nothing.
 */
export async function selectionOf(
  {
    journal,
    selections,
  }: { readonly journal: Pick<Journal, "read">; readonly selections: Documents },
  conversation: string,
): Promise<string> {
  const { open } = await journal.read(conversation);
  const quoted = open?.messages
    .toReversed()
    .map(pointedAt)
    .find((text) => text !== undefined);
  if (quoted !== undefined) return quoted;
  const kept = await selections.get(conversation);
  return kept === undefined ? "" : Selection.parse(kept).text;
}

/** What the platform marks as quoted, or a block of code in the message itself. */
function pointedAt({ pointedAt: quoted, text, call }: AskedMessage): string | undefined {
  if (quoted !== undefined || call) return quoted;
  return /```[^\n`]*\n([\s\S]*?)\n?```/.exec(text)?.[1];
}
