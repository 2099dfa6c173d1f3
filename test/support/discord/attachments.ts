import { problemsInFile } from "../own-words.ts";
import { Problems, refusal } from "./refusals.ts";
import type { UploadedFile } from "./request-body.ts";
import { fieldsIn, stringIn } from "./values.ts";
import type { DiscordChannel, DiscordFile, DiscordWorld } from "./world.ts";

const MEBIBYTE = 1024 * 1024;
const MOST_FILES = 10;
const MOST_IN_REQUEST = 25 * MEBIBYTE;
const BY_TIER = [10, 10, 50, 100] as const;

/** What one file may weigh here: docs.discord.com/developers/reference#uploading-files */
export function sizeLimit(world: DiscordWorld, channel: DiscordChannel): number {
  return BY_TIER[world.guildOf(channel)?.tier ?? 0] * MEBIBYTE;
}

interface Uploading {
  readonly files: readonly UploadedFile[];
  readonly bytes: number;
  /** The message's field: what it shall have afterwards. */
  readonly attachments: unknown;
  readonly channel: DiscordChannel;
  /** What an edited message has so far. */
  readonly existing?: readonly DiscordFile[];
}

/** The files that a message will have. They are kept only once it is sure that there will be one. */
export function attachmentsOf(world: DiscordWorld, upload: Uploading): DiscordFile[] {
  const { files, channel, existing = [] } = upload;
  const limit = sizeLimit(world, channel);
  if (files.some(({ bytes }) => bytes.length > limit)) throw refusal(50045);
  if (upload.bytes > Math.max(MOST_IN_REQUEST, limit)) throw refusal(40005);
  const given = upload.attachments === undefined ? undefined : fieldsIn(upload.attachments ?? []);
  const problems = new Problems();
  for (const [index, { id }] of (given ?? []).entries()) {
    const name = String(id);
    const isKnown =
      files.some((file) => file.index === name) || existing.some((file) => file.id === name);
    if (!isKnown)
      problems.add(
        `attachments.${index}.id`,
        "ATTACHMENT_NOT_FOUND",
        "There is no such file in the request or the message.",
      );
  }
  problems.throwIfAny();
  const kept = existing.filter(
    ({ id }) => given === undefined || given.some((one) => String(one.id) === id),
  );
  const added = files.map((file) => {
    const meta = given?.find((one) => String(one.id) === file.index);
    return newFile(world, channel, {
      name: stringIn(meta?.filename) || file.name,
      bytes: file.bytes,
      contentType: file.contentType,
      ...(typeof meta?.description === "string" && { description: meta.description }),
    });
  });
  for (const { filename, description = "" } of added) {
    const found = problemsInFile({ name: filename, comment: description });
    for (const problem of found) problems.add("attachments", "WORDS_NOT_FOR_PEOPLE", problem);
  }
  problems.throwIfAny();
  if (kept.length + added.length > MOST_FILES) throw refusal(30015);
  return [...kept, ...added];
}

interface NewFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly contentType?: string;
  readonly description?: string;
}

/** Discord makes a name of letters, digits, dots, dashes and underscores, and keeps the rest as the title. */
export function newFile(world: DiscordWorld, channel: DiscordChannel, given: NewFile): DiscordFile {
  const filename = given.name.replaceAll(" ", "_").replace(/[^\w.-]/g, "") || "unknown";
  const file = {
    id: world.clock.nextId(),
    channelId: channel.id,
    filename,
    bytes: given.bytes,
    contentType: given.contentType || "application/octet-stream",
    ...(filename !== given.name && { title: given.name.replace(/\.[^.]*$/, "") }),
    ...(given.description !== undefined && { description: given.description }),
  };
  world.files.set(file.id, file);
  return file;
}
