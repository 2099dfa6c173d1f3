import { z } from "zod";
import type { Attachment, Incoming, ThreadId } from "../../src/contract/platform/incoming.ts";
import { CleanText } from "./clean-text.ts";
import { CHANNEL, type Person } from "./people.ts";

const TEXT_CHARS = 100_000;
/** Made by the page, the same for every attempt: what arrives twice counts once. */
const EventId = z.string().regex(/^[A-Za-z0-9-]{8,64}$/);
const Text = CleanText.max(TEXT_CHARS);

export const MessageBody = z.object({
  id: EventId,
  text: Text,
  /** Ids of files that were uploaded to this thread before. */
  attachments: z.array(z.string().max(64)).max(20).default([]),
  pointedAt: Text.optional(),
  /** Said to the other people, and not to the bot. */
  isAside: z.boolean().default(false),
});
export const EditBody = z.object({ id: EventId, text: Text });
export const ClickBody = z.object({
  id: EventId,
  action: z.string().regex(/^[A-Za-z0-9_:.-]{1,80}$/),
  typed: CleanText.max(10_000).optional(),
});
export const FormBody = ClickBody.pick({ action: true });
export const PlainBody = z.object({ id: EventId });
export const TitleBody = z.object({ title: CleanText.trim().min(1).max(120) });
const INTERRUPT = "\u0003";
/**
 * Lines for the terminal, or an interrupt. Other keys edit or complete a line where the guard cannot see it, so they
 * are not typed. The words of the command that types leave blanks at both ends out.
 */
export const InputBody = z.object({
  id: EventId,
  input: CleanText.trim()
    .min(1, "must not be blank")
    .max(10_000)
    .refine((text) => text === INTERRUPT || !/[^\P{Cc}\n]/u.test(text), {
      error: "must be lines of text without tabs or control characters",
    }),
});
export const SizeBody = z.object({
  rows: z.int().min(2).max(500),
  cols: z.int().min(2).max(1_000),
});
export const SettingBody = z.object({
  name: CleanText.max(100),
  value: z.union([z.boolean(), z.number(), CleanText.max(1_000)]),
});

/** What is the same in everything that a person does. */
export function from(person: Person, thread: ThreadId, eventId: string) {
  return {
    id: `${person.info.id}:${eventId}`,
    thread,
    actor: person.presence.actor,
    actorName: person.info.name,
    channel: CHANNEL,
    isChannelMember: true,
    at: new Date().toISOString(),
  };
}

/** What is typed into the terminal beside the talk, in the words that do the same everywhere. */
export function typing(input: string): string {
  return `terminal send ${input}`;
}

/** The words after the slash, if that is a command; everything else is a message. */
export function commandText(text: string, names: readonly string[]): string | undefined {
  const words = /^\/([a-z-]+)(\s[\s\S]*)?$/.exec(text.trim());
  const name = words?.[1];
  if (name === undefined || !names.includes(name)) return undefined;
  return `${name}${words?.[2] ?? ""}`.trim();
}

/** A quoted block of the message, where nothing else was pointed at. */
function quoted(text: string): string | undefined {
  const lines = text.split("\n").filter((line) => line.startsWith(">"));
  if (lines.length > 0) return lines.map((line) => line.replace(/^> ?/, "")).join("\n");
  return /```[^\n]*\n([\s\S]*?)\n?```/.exec(text)?.[1];
}

export function message(
  person: Person,
  thread: ThreadId,
  body: z.infer<typeof MessageBody>,
  { attachments, at }: { readonly attachments: readonly Attachment[]; readonly at: string },
): Incoming {
  const pointedAt = body.pointedAt ?? quoted(body.text);
  return {
    ...from(person, thread, body.id),
    at,
    type: "message",
    messageId: messageId(body.id),
    text: body.text,
    isMention: !body.isAside,
    isDirect: !body.isAside,
    attachments: [...attachments],
    ...(pointedAt === undefined ? {} : { pointedAt }),
  };
}

export function messageId(eventId: string): string {
  return `m${eventId}`;
}
