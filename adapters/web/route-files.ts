import type { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import {
  assertMay,
  download,
  isFor,
  type RouteParts,
  threadOf,
  tooLarge,
  type Variables,
} from "./asked.ts";
import { TooLarge } from "./files.ts";
import { ITEMS_AT_ONCE } from "./protocol.ts";
import { beforeIn } from "./query.ts";

/** What was said before, and the files that came with it. */
export function addFiles(routes: Hono<Variables>, parts: RouteParts): void {
  const { threads, files, fileBytes } = parts;
  routes.post("/threads/:thread/files", async (asked) => {
    assertMay(asked, parts, "talk");
    const thread = threadOf(asked, parts);
    const stream = asked.req.raw.body;
    if (!stream) throw new HTTPException(400, { message: "The file is empty." });
    if (Number(asked.req.header("content-length") ?? 0) > fileBytes) return tooLarge(fileBytes);
    const name = fileName(asked.req.header("x-file-name"));
    const mimeType = asked.req.header("content-type")?.slice(0, 200) ?? "application/octet-stream";
    try {
      return asked.json(await files.receive(thread, { name, mimeType }, stream, fileBytes));
    } catch (error) {
      if (error instanceof TooLarge) return tooLarge(fileBytes);
      throw error;
    }
  });
  routes.get("/threads/:thread/files/:file", async (asked) => {
    const thread = threadOf(asked, parts);
    const id = asked.req.param("file");
    const shared = await threads.item(thread, id);
    const isShared = shared?.content.kind === "file" && isFor(asked.var.person, shared);
    const file = isShared ? shared.content : await files.attachment(thread, id);
    if (file?.name === undefined) throw new HTTPException(404, { message: "That file is gone." });
    return download(file.name, new Uint8Array(await files.read(id)));
  });
  routes.get("/threads/:thread/items", async (asked) => {
    const before = beforeIn(asked) ?? Number.POSITIVE_INFINITY;
    const items = (await threads.items(threadOf(asked, parts))).filter(
      (item) => item.seq < before && isFor(asked.var.person, item),
    );
    const hasEarlier = items.length > ITEMS_AT_ONCE;
    return asked.json({ items: items.slice(-ITEMS_AT_ONCE), hasEarlier });
  });
}

function fileName(header: string | undefined): string {
  try {
    const name = decodeURIComponent(header ?? "")
      .toWellFormed()
      .replaceAll(/[/\\\p{Cc}]/gu, "_")
      .trim();
    return name.slice(0, 200) || "file";
  } catch {
    return "file"; // not what a page of ours would send
  }
}
