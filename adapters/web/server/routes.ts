import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import type { Attachment, ThreadId } from "../../../src/contract/platform/incoming.ts";
import { timesInWords } from "../../../src/lib/text/times.ts";
import * as inbound from "../inbound.ts";
import type { FormAnswer, Outcome } from "../protocol.ts";
import {
  type Asked,
  assertMay,
  body,
  by,
  done,
  namedThread,
  outcomeOf,
  type RouteParts,
  threadOf,
  tooLarge,
  type Variables,
} from "./asked.ts";
import { addFiles } from "./route-files.ts";
import { addPanels } from "./route-panels.ts";

const JSON_BYTES = 512 * 1024;

/** Everything a page does; whoever comes here has shown a good token. */
export function createRoutes(parts: RouteParts): Hono<Variables> {
  const routes = new Hono<Variables>();
  // What is uploaded has a limit of its own, and is never held in memory.
  const small = bodyLimit({ maxSize: JSON_BYTES, onError: () => tooLarge(JSON_BYTES) });
  routes.use(async (asked, next) =>
    asked.req.method === "POST" && asked.req.path.endsWith("/files") ? next() : small(asked, next),
  );
  // The page makes the id: asked for twice, there is one thread.
  routes.put("/threads/:thread", async (asked) => {
    assertMay(asked, parts, "talk");
    return asked.json(await parts.threads.create(namedThread(asked)));
  });
  addTalk(routes, parts);
  addFiles(routes, parts);
  addPanels(routes, parts);
  return routes;
}

function addTalk(routes: Hono<Variables>, parts: RouteParts): void {
  const { threads, receive } = parts;
  routes.patch("/threads/:thread", async (asked) => {
    const { title } = await body(asked, inbound.TitleBody);
    assertMay(asked, parts, "command");
    return asked.json(await threads.change(threadOf(asked, parts), { title }));
  });
  routes.post("/threads/:thread/messages", (asked) => takeMessage(asked, parts));
  routes.patch("/threads/:thread/messages/:message", async (asked) => {
    const { id, text } = await body(asked, inbound.EditBody);
    assertMay(asked, parts, "talk");
    const { thread, messageId } = await ownMessage(asked, parts);
    await threads.put(thread, messageId, (there) =>
      there?.content.kind === "message"
        ? { ...there.content, text, editedAt: new Date().toISOString() }
        : undefined,
    );
    return done(asked, receive({ ...by(asked, thread, id), type: "edit", messageId, text }));
  });
  routes.delete("/threads/:thread/messages/:message", async (asked) => {
    const { id } = await body(asked, inbound.PlainBody);
    assertMay(asked, parts, "talk");
    const { thread, messageId } = await ownMessage(asked, parts);
    await threads.put(thread, messageId, () => ({ kind: "removed" }));
    return done(asked, receive({ ...by(asked, thread, id), type: "deletion", messageId }));
  });
  routes.post("/threads/:thread/clicks", async (asked) => {
    const { id, action, typed } = await body(asked, inbound.ClickBody);
    const click = { ...by(asked, threadOf(asked, parts), id), type: "click", action } as const;
    return done(asked, receive({ ...click, ...(typed === undefined ? {} : { typed }) }));
  });
  // Before a form opens: what it shows, or why this person may not send it.
  routes.post("/threads/:thread/forms", async (asked) => {
    const { action } = await body(asked, inbound.FormBody);
    const { presence } = asked.var.person;
    const click = { thread: threadOf(asked, parts), action, presence: async () => presence };
    const opening = await parts.hooks.openForm?.(click);
    if (!opening || !("refusal" in opening)) return asked.json({} satisfies FormAnswer);
    return asked.json({ refusal: timesInWords(opening.refusal) } satisfies FormAnswer);
  });
  routes.post("/threads/:thread/stop", async (asked) => {
    const { id } = await body(asked, inbound.PlainBody);
    return done(asked, receive({ ...by(asked, threadOf(asked, parts), id), type: "stop" }));
  });
  routes.post("/threads/:thread/archive", async (asked) => {
    const { id } = await body(asked, inbound.PlainBody);
    assertMay(asked, parts, "command");
    const thread = threadOf(asked, parts);
    const answer = await done(asked, receive({ ...by(asked, thread, id), type: "archived" }));
    await threads.change(thread, { isArchived: true });
    return answer;
  });
}

/** The message stands in the thread before the bot is told; told twice, it counts once. */
async function takeMessage(asked: Asked, parts: RouteParts): Promise<Response> {
  const { threads, hooks, receive } = parts;
  const said = await body(asked, inbound.MessageBody);
  const thread = threadOf(asked, parts);
  const { person } = asked.var;
  const attachments = await attachmentsOf(parts, thread, said.attachments);
  const author = person.info.id;
  const names = (hooks.commands?.() ?? []).map(({ name }) => name);
  const isPlain = attachments.length > 0 || said.isAside || person.info.isBot;
  const command = isPlain ? undefined : inbound.commandText(said.text, names);
  const kept = await threads.put(thread, inbound.messageId(said.id), (there) => {
    if (there) return undefined;
    const isCommand = command !== undefined;
    const aside = said.isAside ? { isAside: true } : {};
    return { kind: "message", author, text: said.text, isCommand, attachments, ...aside };
  });
  if (kept?.content.kind !== "message" || kept.content.author !== author) {
    throw new HTTPException(409, {
      message: "Another message already has this id. Send it again.",
    });
  }
  // Programs that answer each other never stop: what one of them says is for people to read.
  if (person.info.isBot) return asked.json({ outcome: "accepted" } satisfies Outcome);
  const receipt = await receive(
    command === undefined
      ? inbound.message(person, thread, said, { attachments, at: kept.at })
      : { ...by(asked, thread, said.id), type: "command", text: command, at: kept.at },
  );
  if (receipt.outcome === "ignored" && receipt.reason !== undefined) {
    await parts.refuse(thread, person, receipt.reason);
  }
  return asked.json(outcomeOf(receipt));
}

async function attachmentsOf(
  { files }: RouteParts,
  thread: ThreadId,
  ids: readonly string[],
): Promise<Attachment[]> {
  const found = await Promise.all(ids.map((id) => files.attachment(thread, id)));
  return found.map((attachment) => {
    if (attachment) return attachment;
    throw new HTTPException(404, {
      message: "An attached file no longer exists. Attach it again.",
    });
  });
}

async function ownMessage(asked: Asked, parts: RouteParts) {
  const thread = threadOf(asked, parts);
  const messageId = asked.req.param("message") ?? "";
  const item = await parts.threads.item(thread, messageId);
  const isOwn =
    item?.content.kind === "message" && item.content.author === asked.var.person.info.id;
  if (isOwn) return { thread, messageId };
  throw new HTTPException(404, { message: "You have no message with this id." });
}
