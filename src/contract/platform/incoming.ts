import { z } from "zod";
import { Actor } from "./actor.ts";

/** A thread's own name: `platform:…`, made and read by its adapter alone. It is the conversation's id, too. */
export const ThreadId = z
  .string()
  .regex(/^[a-z]+:[A-Za-z0-9_:.-]{1,180}$/, "a thread id is platform:parts");
export type ThreadId = z.infer<typeof ThreadId>;

/** A file that somebody has attached. The adapter fetches it when it is wanted. */
export const Attachment = z.object({
  id: z.string(),
  name: z.string(),
  mimeType: z.string(),
  bytes: z.int().min(0),
});
export type Attachment = z.infer<typeof Attachment>;

const Common = z.object({
  /** The platform's id of the event: the same for every redelivery, another for every other event. */
  id: z.string().min(1).max(300),
  thread: ThreadId,
  actor: Actor,
  /** As people see them; for showing only. */
  actorName: z.string(),
  /** The channel the thread is in, and whether the actor belongs to it now. */
  channel: z.string(),
  isChannelMember: z.boolean(),
  /** ISO 8601, by the platform's clock. */
  at: z.string(),
});

/** Something that happened on a platform, and that may concern us. */
export const Incoming = z.discriminatedUnion("type", [
  Common.extend({
    type: z.literal("message"),
    /** The platform's id of the message, for its later edits. */
    messageId: z.string(),
    /** Without the mention of the bot. */
    text: z.string(),
    isMention: z.boolean(),
    /** A conversation of two: there everything is meant for the bot. */
    isDirect: z.boolean(),
    attachments: z.array(Attachment),
    /** What the author points at: a quoted block, or the message that this one replies to. */
    pointedAt: z.string().optional(),
    /** Said by a program or a schedule: nobody is there who could answer a question. */
    isExternalCall: z.literal(true).optional(),
  }),
  /** The new words, like those of a message without the mention of the bot. */
  Common.extend({ type: z.literal("edit"), messageId: z.string(), text: z.string() }),
  /** Where the platform does not tell who has deleted a message, its author stands for them. */
  Common.extend({ type: z.literal("deletion"), messageId: z.string() }),
  /** A button, with what was typed where it opened a form. */
  Common.extend({ type: z.literal("click"), action: z.string(), typed: z.string().optional() }),
  /** A slash command or shortcut: the same words as in a message to the bot. */
  Common.extend({ type: z.literal("command"), text: z.string() }),
  /** The platform's own stop button. */
  Common.extend({ type: z.literal("stop") }),
  /** The thread was archived, closed or deleted. */
  Common.extend({ type: z.literal("archived") }),
]);
export type Incoming = z.infer<typeof Incoming>;

/** @internal for tests */
export type IncomingMessage = Extract<Incoming, { type: "message" }>;
