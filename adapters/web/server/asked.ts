import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { z } from "zod";
import type { Receipt } from "../../../src/contract/platform/adapter.ts";
import type { Incoming, ThreadId } from "../../../src/contract/platform/incoming.ts";
import type { UploadBudget } from "../../../src/contract/platform/upload-budget.ts";
import { timesInWords } from "../../../src/lib/text/times.ts";
import type { Files } from "../files.ts";
import type { Asker, WebAct, WebHooks } from "../hooks.ts";
import * as inbound from "../inbound.ts";
import type { Person } from "../people.ts";
import type { Item, Outcome } from "../protocol.ts";
import { decodeThread, encodeThread } from "../thread.ts";
import type { Threads } from "../threads.ts";
import type { TypedLines } from "../typed-lines.ts";

export interface RouteParts {
  readonly threads: Threads;
  readonly files: Files;
  readonly uploadBudget: UploadBudget;
  readonly hooks: WebHooks;
  readonly fileBytes: number;
  readonly typedLines: TypedLines;
  readonly receive: (incoming: Incoming) => Promise<Receipt>;
  /** What was refused, for the doer's eyes and to stay. */
  readonly refuse: (thread: ThreadId, person: Person, reason: string) => Promise<void>;
}

export type Variables = { Variables: { person: Person; nonce: string } };
export type Asked = Context<Variables>;

/** Whispers are for one person alone. */
export function isFor(person: Person, item: Item): boolean {
  return item.to === undefined || item.to === person.info.id;
}

export async function body<Schema extends z.ZodType>(
  asked: Asked,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const parsed = schema.safeParse(await jsonOf(asked));
  if (parsed.success) return parsed.data;
  const [problem] = parsed.error.issues;
  const place = problem?.path.length ? `"${problem.path.join(".")}" ` : "";
  const message = `The body of this request is not valid: ${place}${problem?.message}.`;
  throw new HTTPException(400, { message: message.toWellFormed().slice(0, 500) });
}

/** What is no JSON fits no schema, and is refused like everything else that makes no sense. */
async function jsonOf(asked: Asked): Promise<unknown> {
  try {
    return await asked.req.json();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Throws where the person may not do this, before anything has changed. */
export function assertMay(asked: Asked, { hooks }: RouteParts, act: WebAct): void {
  hooks.assertMay?.(asked.var.person.presence, act);
}

export function threadOf(asked: Asked, { threads }: RouteParts): ThreadId {
  const thread = namedThread(asked);
  if (threads.get(thread)) return thread;
  throw new HTTPException(404, { message: "This thread does not exist." });
}

export function namedThread(asked: Asked): ThreadId {
  const name = asked.req.param("thread") ?? "";
  try {
    return encodeThread(decodeThread(name));
  } catch (error) {
    throw new HTTPException(404, { message: "This thread does not exist.", cause: error });
  }
}

export function asker(asked: Asked, parts: RouteParts): Asker {
  return { presence: asked.var.person.presence, thread: threadOf(asked, parts) };
}

export function by(asked: Asked, thread: ThreadId, id: string) {
  return inbound.from(asked.var.person, thread, id);
}

export async function done(asked: Asked, receipt: Promise<Receipt>): Promise<Response> {
  return asked.json(outcomeOf(await receipt));
}

/** The page shows a reason as plain text. */
export function outcomeOf(receipt: Receipt): Outcome {
  return receipt.outcome === "ignored" && receipt.reason !== undefined
    ? { ...receipt, reason: timesInWords(receipt.reason) }
    : receipt;
}

/** Never shown as a page of ours, whatever is in it. */
export function download(name: string, bytes: Uint8Array | ReadableStream<Uint8Array>): Response {
  return new Response(bytes as Uint8Array<ArrayBuffer> | ReadableStream, {
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    },
  });
}

export function tooLarge(bytes: number): Response {
  const message = `This is too large: the limit is ${Math.floor(bytes / 1024)} KB.`;
  // The rest of the body is not read, so nothing else can come by this connection.
  return Response.json({ message }, { status: 413, headers: { connection: "close" } });
}

export function notOffered(): HTTPException {
  return new HTTPException(404, { message: "This is not available in this web chat." });
}
