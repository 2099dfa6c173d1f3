import { DeliveryError } from "../../contract/platform/adapter.ts";
import type { FileShare, View } from "../../contract/platform/view.ts";
import type { Commanding } from "../commands.ts";
import type { CommandDeps } from "./deps.ts";
import { type Answer, type Asked, notice } from "./verb.ts";

/** By which event something was asked. */
type Door = Pick<Commanding, "type" | "id">;

interface Delivery {
  readonly deps: CommandDeps;
  readonly asked: Asked;
  readonly door: Door;
  /** For everybody in the thread. */
  readonly isOpen: boolean;
}

/** Brings an answer to whom it is for: in the thread to people who asked there, and privately to everyone else. */
export async function deliver(
  deps: CommandDeps,
  asked: Asked,
  { views = [], files = [], announced = [], isPrivate = false }: Answer,
  door: Door,
): Promise<void> {
  const { conversation, event } = asked;
  const isOpen = door.type === "message" && !isPrivate;
  const delivery = { deps, asked, door, isOpen };
  const slot = (what: string, index: number) => `command:${event}:${what}:${index}`;
  for (const [index, view] of announced.entries()) {
    deps.show.view(conversation, slot("all", index), view);
  }
  for (const [index, view] of views.entries()) {
    await answer(delivery, view, slot("view", index));
  }
  for (const [index, file] of files.entries()) {
    await share(delivery, file, slot("file", index));
  }
}

async function answer(
  { deps, asked, door, isOpen }: Delivery,
  view: View,
  slot: string,
): Promise<void> {
  const { conversation, actor } = asked;
  if (isOpen) return deps.show.view(conversation, slot, view);
  try {
    await deps.show.whisper(conversation, actor.id, view, door.id);
  } catch (error) {
    if (!cannotBeShown(error)) throw error;
    deps.show.view(conversation, slot, view);
  }
}

/** A file of a private answer is private, too. Where the platform has no private files, it is not shown at all. */
async function share(delivery: Delivery, file: FileShare, slot: string): Promise<void> {
  const { deps, asked, door, isOpen } = delivery;
  const { conversation, actor } = asked;
  if (isOpen) return deps.show.file(conversation, slot, file);
  try {
    await deps.show.whisperFile(conversation, actor.id, file, door.id);
  } catch (error) {
    if (!cannotBeShown(error)) throw error;
    await answer(delivery, notice(fileElsewhere(file)), slot);
  }
}

/** "Later" is for the inbox, which tries the whole again; "never" means that this platform cannot do it here. */
function cannotBeShown(error: unknown): boolean {
  return error instanceof DeliveryError && error.when === "never";
}

function fileElsewhere({ name }: FileShare): string {
  return `The full output is a file (${name}), which only the whole thread can see. To get it, mention me with the same command in the thread.`;
}
