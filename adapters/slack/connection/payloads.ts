import { z } from "zod";

/** A part of a request, which we once wrote ourselves, that cannot be read. */
export class MalformedPartError extends Error {
  override readonly name = "MalformedPartError";
}

/** JSON that a request carries for us, such as a window's metadata. */
export function readPart<Schema extends z.ZodType>(schema: Schema, json: string): z.infer<Schema> {
  try {
    return schema.parse(JSON.parse(json));
  } catch (cause) {
    throw new MalformedPartError("Part of a Slack request is malformed.", { cause });
  }
}

const File = z.object({
  id: z.string(),
  name: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.number().default(0),
  mode: z.string().default("hosted"),
  file_access: z.string().optional(),
});
export type SlackFileEntry = z.infer<typeof File>;

const Words = z
  .string()
  .nullish()
  .transform((text) => text ?? "");

/** A message, as it stands in an event or inside of another. */
const Message = z.object({
  ts: z.string(),
  thread_ts: z.string().optional(),
  user: z.string().optional(),
  bot_id: z.string().optional(),
  subtype: z.string().optional(),
  text: Words,
  files: z.array(File).default([]),
  edited: z.object({ user: z.string().optional(), ts: z.string() }).optional(),
  attachments: z
    .array(
      z.object({
        text: z.string().nullish(),
        fallback: z.string().nullish(),
        is_share: z.boolean().optional(),
        is_msg_unfurl: z.boolean().optional(),
      }),
    )
    .default([]),
});
export type SlackMessage = z.infer<typeof Message>;

/** What happens in channels, as far as it concerns us. */
export const MessageEvent = Message.extend({
  type: z.enum(["message", "app_mention"]),
  channel: z.string(),
  deleted_ts: z.string().optional(),
  message: Message.optional(),
  previous_message: Message.optional(),
});
export type MessageEvent = z.infer<typeof MessageEvent>;

export const StoppedEvent = z.object({
  channel: z.string(),
  thread_ts: z.string(),
  user: z.string(),
  event_ts: z.string(),
});
export const ArchiveEvent = z.object({
  channel: z.string(),
  user: z.string().optional(),
  event_ts: z.string(),
});
export const HomeEvent = z.object({ user: z.string(), tab: z.string() });

const Who = z.object({ id: z.string() });

export const BlockActions = z.object({
  type: z.literal("block_actions"),
  user: Who,
  trigger_id: z.string(),
  container: z.object({
    type: z.string(),
    channel_id: z.string().optional(),
    message_ts: z.string().optional(),
    thread_ts: z.string().optional(),
    is_ephemeral: z.boolean().default(false),
  }),
  message: z.object({ ts: z.string(), thread_ts: z.string().optional() }).optional(),
  actions: z
    .array(
      z.object({
        action_id: z.string(),
        block_id: z.string().default(""),
        action_ts: z.string(),
        value: z.string().optional(),
        selected_option: z.object({ value: z.string() }).nullish(),
      }),
    )
    .min(1),
});
export type BlockActions = z.infer<typeof BlockActions>;

export const ViewSubmission = z.object({
  type: z.literal("view_submission"),
  user: Who,
  trigger_id: z.string().optional(),
  view: z.object({
    id: z.string(),
    hash: z.string().default(""),
    callback_id: z.string(),
    private_metadata: z.string(),
    state: z.object({
      values: z.record(z.string(), z.record(z.string(), z.object({ value: z.string().nullish() }))),
    }),
  }),
});
export type ViewSubmission = z.infer<typeof ViewSubmission>;

export const SlashCommand = z.object({
  command: z.string(),
  text: z.string().default(""),
  channel_id: z.string(),
  user_id: z.string(),
  trigger_id: z.string(),
});
export type SlashCommand = z.infer<typeof SlashCommand>;

export const Shortcut = z.object({
  type: z.enum(["shortcut", "message_action"]),
  callback_id: z.string(),
  user: Who,
  trigger_id: z.string(),
  action_ts: z.string(),
  channel: z.object({ id: z.string() }).optional(),
  message: Message.optional(),
});
export type Shortcut = z.infer<typeof Shortcut>;
