import { type Logger, LogLevel } from "@slack/bolt";
import { z } from "zod";
import type { Log } from "../../../src/lib/log.ts";
import { onChoice, onCommand } from "../entry-points/commands.ts";
import {
  type Answer,
  type DoorParts,
  FORM_WINDOW,
  onArchive,
  onClick,
  onForm,
  onMessage,
  onStop,
} from "../entry-points/doors.ts";
import { onHome } from "../entry-points/home.ts";
import { ASK_WINDOW, onAsk, onShortcut } from "../entry-points/shortcuts.ts";
import { UnknownPersonError } from "../places/people.ts";
import { FIELD_BLOCK } from "../rendering/buttons.ts";
import { MalformedThreadError } from "../thread.ts";
import { SlackError } from "./calls.ts";
import {
  ArchiveEvent,
  BlockActions,
  HomeEvent,
  MalformedPartError,
  MessageEvent,
  Shortcut,
  SlashCommand,
  StoppedEvent,
  ViewSubmission,
} from "./payloads.ts";

/** Every event that is listened to. */
export const EVENTS = [
  ...(["app_mention", "message", "agent_session_stopped"] as const),
  ...(["channel_archive", "group_archive", "app_home_opened"] as const),
];

type EventName = (typeof EVENTS)[number];

/** Handles one request from Slack. Resolves with the response to it, once the request is kept for good. */
export type Deliver = (body: Record<string, unknown>) => Promise<Answer>;

/**
 * Requests are acknowledged once they are kept: Bolt's own App acknowledges events before it handles them, and would lose
 * what fails. A request that can never be handled is logged and acknowledged, since Slack would send it again.
 */
export function createListeners(parts: DoorParts): Deliver {
  return async (body) => {
    const type = "command" in body ? "command" : String(body.type);
    const handle = Object.hasOwn(REQUESTS, type) ? REQUESTS[type] : undefined;
    if (!handle) {
      parts.log("debug", "Ignored a Slack request of an unknown type.", { type });
      return undefined;
    }
    try {
      return await handle(parts, body);
    } catch (error) {
      if (!isPermanent(error)) throw error;
      parts.log("error", "Dropped a Slack request that cannot be handled.", {
        type,
        error,
      });
      return apology(type);
    }
  };
}

type Handle = (parts: DoorParts, body: unknown) => Promise<Answer>;

const onWindow: Handle = checked(ViewSubmission, async (parts, body) => {
  if (body.view.callback_id === FORM_WINDOW) return onForm(parts, body);
  if (body.view.callback_id === ASK_WINDOW) return onAsk(parts, body);
  return undefined;
});

const onEvent: Readonly<Record<EventName, Handle>> = {
  app_mention: checked(MessageEvent, onMessage),
  message: checked(MessageEvent, onMessage),
  agent_session_stopped: checked(StoppedEvent, onStop),
  channel_archive: checked(ArchiveEvent, onArchive),
  group_archive: checked(ArchiveEvent, onArchive),
  app_home_opened: checked(HomeEvent, async (parts, { tab, user }) => {
    if (tab === "home") await onHome(parts, user);
  }),
};

/** A message of a channel, as an event tells it. */
export const onSaid: Handle = onEvent.message;

const EventCallback = z.looseObject({ event: z.looseObject({ type: z.string() }) });

const REQUESTS: Readonly<Record<string, Handle>> = {
  event_callback: checked(EventCallback, async (parts, { event }) => {
    const name = EVENTS.find((one) => one === event.type);
    return name && onEvent[name](parts, event);
  }),
  block_actions: checked(BlockActions, async (parts, body) => {
    if (!(await onChoice(parts, body))) await onClick(parts, body);
  }),
  view_submission: onWindow,
  command: checked(SlashCommand, onCommand),
  shortcut: checked(Shortcut, onShortcut),
  message_action: checked(Shortcut, onShortcut),
};

/** A malformed request would be malformed the next time, too: it is logged and dropped. */
function checked<Schema extends z.ZodType>(
  schema: Schema,
  take: (parts: DoorParts, body: z.infer<Schema>) => Promise<Answer | void>,
): Handle {
  return async (parts, body) => {
    const read = schema.safeParse(body);
    if (read.success) return (await take(parts, read.data)) ?? undefined;
    parts.log("error", "Dropped a malformed Slack request.", { error: read.error });
    return undefined;
  };
}

/** What another attempt cannot repair: the store and Slack itself may be back soon, and bugs may hit one attempt only. */
function isPermanent(error: unknown): boolean {
  if (error instanceof SlackError) return error.when === "never";
  return PERMANENT.some((kind) => error instanceof kind);
}

/** A malformed answer to one of our own calls is none of these: the request is handled when Slack sends it again. */
const PERMANENT = [UnknownPersonError, MalformedThreadError, MalformedPartError];

const NOT_DONE =
  "I could not do this because of a problem with Slack. My operator finds the reason in the log.";

function apology(type: string): Answer {
  if (type === "command") return { response_type: "ephemeral", text: NOT_DONE };
  if (type === "view_submission")
    return { response_action: "errors", errors: { [FIELD_BLOCK]: NOT_DONE } };
  return undefined;
}

/** What goes wrong is told by whoever knows what it means; Bolt's own words are for a closer look. */
export function boltLogger(log: Log): Logger {
  const say =
    (level: "debug" | "info") =>
    (...words: unknown[]) =>
      log(level, `Bolt: ${words.map(String).join(" ")}`);
  return {
    debug: say("debug"),
    info: say("debug"),
    warn: say("info"),
    error: say("info"),
    setLevel: () => undefined,
    getLevel: () => LogLevel.INFO,
    setName: () => undefined,
  };
}
