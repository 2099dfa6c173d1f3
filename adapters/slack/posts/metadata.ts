import { z } from "zod";
import type { View } from "../../../src/contract/platform/view.ts";

const EVENT_TYPE = "deckhand_post";

/** What a message of ours carries beside what is seen of it: its key, so that it is found again. */
export function keyMetadata(digest: string, kind: View["kind"]) {
  return { event_type: EVENT_TYPE, event_payload: { key: digest, kind } };
}

const Metadata = z.object({
  event_type: z.literal(EVENT_TYPE),
  event_payload: z.object({ key: z.string(), kind: z.string() }),
});

/** Undefined for messages of others. */
export function readMetadata(metadata: unknown): { key: string; kind: string } | undefined {
  const read = Metadata.safeParse(metadata);
  return read.success ? read.data.event_payload : undefined;
}
