import type { Hono } from "hono";
import { canType } from "../hooks.ts";
import * as inbound from "../inbound.ts";
import type { Outcome, WorkspaceFiles } from "../protocol.ts";
import {
  type Asked,
  asker,
  assertMay,
  body,
  by,
  download,
  notOffered,
  outcomeOf,
  type RouteParts,
  threadOf,
  type Variables,
} from "./asked.ts";
import { beforeIn, pathIn } from "./query.ts";

const PAGE_OF_TIMELINE = 50;

/** What is shown beside the conversation; the core answers, and decides who may ask. */
export function addPanels(routes: Hono<Variables>, parts: RouteParts): void {
  const { hooks } = parts;
  routes.get("/threads/:thread/workspace", async (asked) => {
    const path = pathIn(asked);
    const none: WorkspaceFiles = { isAsleep: false, entries: [] };
    return asked.json((await hooks.files?.list(asker(asked, parts), path)) ?? none);
  });
  routes.post("/threads/:thread/workspace/wake", async (asked) => {
    if (!hooks.files) throw notOffered();
    assertMay(asked, parts, "command");
    await hooks.files.wake(asker(asked, parts));
    return asked.json({ outcome: "accepted" } satisfies Outcome);
  });
  routes.get("/threads/:thread/workspace/file", async (asked) => {
    const path = pathIn(asked);
    const file = await hooks.files?.download(asker(asked, parts), path);
    if (!file) throw notOffered();
    return download(file.name, file.bytes);
  });
  routes.get("/threads/:thread/terminals", async (asked) =>
    asked.json((await hooks.terminal?.list(asker(asked, parts))) ?? []),
  );
  routes.post("/threads/:thread/terminal/input", (asked) => typeInto(asked, parts));
  routes.post("/threads/:thread/terminals/:terminal/size", async (asked) => {
    const size = await body(asked, inbound.SizeBody);
    assertMay(asked, parts, "command");
    await hooks.terminal?.resize?.(asker(asked, parts), asked.req.param("terminal"), size);
    return asked.json({ outcome: "accepted" } satisfies Outcome);
  });
  routes.get("/threads/:thread/timeline", async (asked) => {
    const before = beforeIn(asked);
    const page = { limit: PAGE_OF_TIMELINE, ...(before !== undefined && { before }) };
    return asked.json((await hooks.timeline?.(asker(asked, parts), page)) ?? []);
  });
  routes.get("/threads/:thread/settings", async (asked) =>
    asked.json((await hooks.settings?.read(asker(asked, parts))) ?? []),
  );
  routes.post("/threads/:thread/settings", async (asked) => {
    const { name, value } = await body(asked, inbound.SettingBody);
    if (!hooks.settings) throw notOffered();
    await hooks.settings.change(asker(asked, parts), name, value);
    return asked.json({ outcome: "accepted" } satisfies Outcome);
  });
}

/** By the same door as every other word to the bot: kept once, judged by the guard, recorded. */
async function typeInto(asked: Asked, parts: RouteParts): Promise<Response> {
  const { id, input } = await body(asked, inbound.InputBody);
  if (!canType(parts.hooks)) throw notOffered();
  assertMay(asked, parts, "command");
  const thread = threadOf(asked, parts);
  const typed = { ...by(asked, thread, id), type: "command", text: inbound.typing(input) } as const;
  const receipt = await parts.receive(typed);
  if (receipt.outcome === "accepted") parts.typedLines.note(thread, asked.var.person.info.id);
  return asked.json(outcomeOf(receipt));
}
