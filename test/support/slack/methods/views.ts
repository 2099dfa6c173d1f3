import { randomBytes } from "node:crypto";
import { checkView } from "../block-check.ts";
import type { SlackCall, SlackMethod } from "../call.ts";
import { named } from "../message-check.ts";
import { type Fields, fieldsIn, refusalWithMessages, SlackRefusedError } from "../values.ts";
import { viewOnWire } from "../wire-forms.ts";
import { newId, type SlackView } from "../world.ts";

const STACK = 3;

/** Windows and home tabs: docs.slack.dev/surfaces/modals and /app-home. They need no scope. */
export const views: Readonly<Record<string, SlackMethod>> = {
  "views.open": { tier: "t4", run: open },
  "views.push": { tier: "t4", run: push },
  "views.update": { tier: "t4", run: update },
  "views.publish": { tier: "t4", run: publish },
};

function open(call: SlackCall) {
  const content = contentOf(call, "modal");
  const user = call.slack.triggers.take(call.text("trigger_id"));
  const view = add(call, user, content);
  call.slack.world.windows.set(user, [view]);
  return { view: viewOnWire(view, call.slack.world) };
}

function push(call: SlackCall) {
  const content = contentOf(call, "modal");
  const user = call.slack.triggers.take(call.text("trigger_id"));
  const stack = call.slack.world.windows.get(user) ?? [];
  const [root] = stack;
  if (!root) throw new SlackRefusedError("not_found");
  if (stack.length >= STACK) throw new SlackRefusedError("push_limit_reached");
  const view = add(call, user, content, { root, previous: stack.at(-1) });
  call.slack.world.windows.set(user, [...stack, view]);
  return { view: viewOnWire(view, call.slack.world) };
}

function update(call: SlackCall) {
  const { world } = call.slack;
  const externalId = call.text("external_id");
  const known =
    world.views.get(call.text("view_id") ?? "") ??
    [...world.views.values()].find(
      ({ content }) => externalId && content.external_id === externalId,
    );
  const isOpen = known && (world.windows.get(known.user) ?? []).includes(known);
  if (!known || !isOpen) throw new SlackRefusedError("not_found");
  const hash = call.text("hash");
  if (hash !== undefined && hash !== known.hash) throw new SlackRefusedError("hash_conflict");
  known.content = contentOf(call, "modal", known);
  known.hash = newHash(call);
  known.errors = {};
  return { view: viewOnWire(known, world) };
}

function publish(call: SlackCall) {
  const { world, app } = call.slack;
  call.require("user_id");
  if (!app.hasHomeTab) throw new SlackRefusedError("not_enabled");
  const content = contentOf(call, "home");
  const user = call.text("user_id") ?? "";
  if (!world.users.has(user)) throw new SlackRefusedError("user_not_found");
  const hash = call.text("hash");
  if (hash !== undefined && hash !== world.homes.get(user)?.hash)
    throw new SlackRefusedError("hash_conflict");
  const view = add(call, user, content);
  world.homes.set(user, view);
  return { view: viewOnWire(view, world) };
}

function contentOf(call: SlackCall, kind: "modal" | "home", itself?: SlackView): Fields {
  const view = call.object("view", "invalid_arguments");
  if (!view) throw refusalWithMessages("invalid_arguments", ["missing required field: view"]);
  checkView(view, kind);
  const others = [...call.slack.world.views.values()].filter((one) => one !== itself);
  if (view.external_id && others.some(({ content }) => content.external_id === view.external_id))
    throw new SlackRefusedError("duplicate_external_id");
  return { ...view, blocks: named(fieldsIn(view.blocks)) };
}

export function addView(
  call: SlackCall,
  user: string,
  content: Fields,
  { root, previous }: { root?: SlackView; previous?: SlackView | undefined } = {},
): SlackView {
  const id = newId("V");
  const view = {
    id,
    user,
    appId: call.slack.app.id,
    rootId: root?.id ?? id,
    ...(previous && { previousId: previous.id }),
    content,
    hash: newHash(call),
    errors: {},
  };
  call.slack.world.views.set(id, view);
  return view;
}
const add = addView;

function newHash(call: SlackCall): string {
  return `${call.slack.world.clock.nowSeconds()}.${randomBytes(4).toString("hex")}`;
}
