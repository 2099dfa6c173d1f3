import { DeliveryError } from "../../contract/adapter.ts";
import type { View } from "../../contract/view.ts";
import type { Commanding } from "../commands.ts";
import type { CommandDeps } from "./deps.ts";
import type { Answer, Asked } from "./verb.ts";

type Door = Commanding["type"];

/** Brings an answer to whom it is for. Whoever has asked in the thread is answered there, everybody else alone. */
export async function deliver(
  deps: CommandDeps,
  asked: Asked,
  { views = [], files = [], announced = [], isPrivate = false }: Answer,
  door: Door,
): Promise<void> {
  const { conversation, event } = asked;
  const slot = (what: string, index: number) => `command:${event}:${what}:${index}`;
  for (const [index, view] of announced.entries()) {
    deps.show.view(conversation, slot("all", index), view);
  }
  for (const [index, view] of views.entries()) {
    const isOpen = door === "message" && !isPrivate;
    await answer(deps, asked, view, { isOpen, slot: slot("view", index) });
  }
  for (const [index, file] of files.entries()) {
    deps.show.file(conversation, slot("file", index), file);
  }
}

async function answer(
  { show }: CommandDeps,
  { conversation, actor }: Asked,
  view: View,
  { isOpen, slot }: { readonly isOpen: boolean; readonly slot: string },
): Promise<void> {
  if (isOpen) return show.view(conversation, slot, view);
  try {
    await show.whisper(conversation, actor.id, view);
  } catch (error) {
    // "Later" is for whoever tries the whole again; "never" means that this platform cannot whisper here.
    if (!(error instanceof DeliveryError) || error.when === "later") throw error;
    show.view(conversation, slot, view);
  }
}
