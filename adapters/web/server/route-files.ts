import type { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import type { Attachment } from "../../../src/contract/platform/incoming.ts";
import { UploadLimitError } from "../../../src/contract/platform/upload-budget.ts";
import { UploadTooLargeError } from "../files.ts";
import { ITEMS_AT_ONCE } from "../protocol.ts";
import {
  type Asked,
  assertMay,
  download,
  isFor,
  type RouteParts,
  threadOf,
  tooLarge,
  type Variables,
} from "./asked.ts";
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
    const receive = (mostBytes: number) =>
      files.receive(thread, { name, mimeType }, stream, mostBytes);
    try {
      return asked.json(await withinBudget(asked, parts, receive));
    } catch (error) {
      if (error instanceof UploadTooLargeError) return tooLarge(fileBytes);
      if (error instanceof UploadLimitError) return tooMany(error.message);
      throw error;
    }
  });
  routes.get("/threads/:thread/files/:file", async (asked) => {
    const thread = threadOf(asked, parts);
    const id = asked.req.param("file");
    const shared = await threads.item(thread, id);
    const isShared = shared?.content.kind === "file" && isFor(asked.var.person, shared);
    const file = isShared ? shared.content : await files.attachment(thread, id);
    if (file?.name === undefined)
      throw new HTTPException(404, { message: "The file no longer exists." });
    return download(file.name, await files.open(id));
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

/** What the request announces is counted before it comes, so that many at once cannot exceed the budget together. */
async function withinBudget(
  asked: Asked,
  { uploadBudget, fileBytes }: RouteParts,
  receive: (mostBytes: number) => Promise<Attachment>,
): Promise<Attachment> {
  const { id } = asked.var.person.info;
  const announced = asked.req.header("content-length");
  const reserved = announced === undefined ? fileBytes : Number(announced);
  await uploadBudget.take(id, reserved);
  let bytes = 0;
  try {
    const attachment = await receive(reserved);
    bytes = attachment.bytes;
    return attachment;
  } finally {
    if (bytes < reserved) await uploadBudget.giveBack(id, reserved - bytes);
  }
}

function tooMany(message: string): Response {
  return Response.json({ message }, { status: 429, headers: { connection: "close" } });
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
