import { type MessageForm, messageForm } from "./checks/message.ts";
import type { Fields } from "./values.ts";
import type { DiscordChannel, DiscordFile, DiscordMessage, DiscordWorld } from "./world.ts";

interface NewMessage extends Partial<Omit<DiscordMessage, "channelId" | "authorId">> {
  readonly channel: DiscordChannel;
  readonly authorId: string;
}

/** Puts a message where it belongs. Nobody is told yet. */
export function addMessage(world: DiscordWorld, options: NewMessage): DiscordMessage {
  const { channel, authorId, ...rest } = options;
  const message: DiscordMessage = {
    id: world.clock.nextId(),
    channelId: channel.id,
    authorId,
    type: 0,
    timestamp: world.clock.iso(),
    content: "",
    embeds: [],
    components: [],
    files: [],
    flags: 0,
    allowed: { users: [], roles: [], everyone: false, repliedUser: false },
    reactions: new Map(),
    isPinned: false,
    ...rest,
  };
  world.messages(channel.id).push(message);
  // Whoever has spoken is not typing any more.
  const { typing } = world;
  const at = typing.findIndex((one) => one.channelId === channel.id && one.userId === authorId);
  if (at !== -1) typing.splice(at, 1);
  return message;
}

/** An edit as an app or an interaction does it. */
export function editMessage(
  world: DiscordWorld,
  message: DiscordMessage,
  { body, files, flags }: { body: Fields; files: DiscordFile[]; flags: "edit" | "interaction" },
): void {
  const fileNames = files.map(({ filename }) => filename);
  const form: MessageForm = messageForm(body, { existing: message, fileNames, flags });
  const { content, embeds, components, allowed } = form;
  Object.assign(message, { content, embeds, components, files, flags: form.flags });
  // Without a word about mentions an edit is read with the usual permissions again.
  if (body.content !== undefined || body.components !== undefined) message.allowed = allowed;
  message.editedAt = world.clock.iso();
}
