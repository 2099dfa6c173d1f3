import { basename, extname } from "node:path";
import type { ConversationEvent } from "../contract/conversation/event.ts";
import { archivedFile } from "../lib/archived-file.ts";
import type { ConversationParts } from "./parts.ts";
import { slots } from "./shown/cards.ts";

export type ImageParts = Pick<ConversationParts, "adapterOf" | "log" | "runs"> & {
  readonly reply: Pick<ConversationParts["reply"], "share">;
};

const TYPES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".webp": "image/webp",
};

/** Shows images of the workspace in the thread. They are in the workspace whatever comes of this. */
export async function shareImages(
  parts: ImageParts,
  thread: string,
  { callId, imagePaths, prompt }: Extract<ConversationEvent, { type: "imageDisplay" }>,
): Promise<void> {
  const { adapterOf, log, reply, runs } = parts;
  for (const path of imagePaths) {
    try {
      const workspace = await runs.get(thread)?.workspace();
      if (!workspace) return;
      const mostBytes = adapterOf(thread).limits.fileBytes;
      const bytes = await archivedFile(await workspace.download(path), { mostBytes });
      const mimeType = TYPES[extname(path)] ?? "application/octet-stream";
      const file = { name: basename(path), mimeType, bytes, comment: prompt };
      reply.share(thread, slots.image(callId, path), file);
    } catch (error) {
      // The model has said where it is; people can ask for the file.
      log("warn", "Failed to share a generated image.", { conversation: thread, error });
    }
  }
}
