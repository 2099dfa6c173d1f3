import type { Delivery } from "./deliveries.ts";
import type { SlackEvents } from "./events.ts";
import type { SlackMessage, SlackWorld } from "./world.ts";

interface Place {
  readonly world: SlackWorld;
  readonly events: SlackEvents;
}

/** A root that has replies stays as a tombstone, and that comes as a change. */
export function deleteMessage({ world, events }: Place, message: SlackMessage): Delivery[] {
  const before = events.wire(message);
  const hasReplies = world
    .thread(message.channel, message.ts)
    .some((one) => one !== message && one.onlyFor === undefined);
  if (!hasReplies) {
    world.remove(message);
    return events.deleted(message, before);
  }
  message.subtype = "tombstone";
  message.text = "This message was deleted.";
  message.blocks = [];
  message.files.length = 0;
  return events.changed(message, before);
}
