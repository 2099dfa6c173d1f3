import { App, type Logger, LogLevel, type Receiver } from "@slack/bolt";
import type { z } from "zod";
import type { Log } from "../../src/lib/log.ts";
import { onChoice, onCommand } from "./commands.ts";
import {
  type Answer,
  type DoorParts,
  FORM_WINDOW,
  onArchive,
  onClick,
  onForm,
  onMessage,
  onStop,
} from "./doors.ts";
import { onHome } from "./home.ts";
import {
  ArchiveEvent,
  BlockActions,
  HomeEvent,
  MessageEvent,
  Shortcut,
  SlashCommand,
  StoppedEvent,
  ViewSubmission,
} from "./payloads.ts";
import type { Self } from "./people.ts";
import { ASK_WINDOW, onAsk, onShortcut } from "./shortcuts.ts";

/**
 * Every event that is listened to.
 * @internal for tests
 */
export const EVENTS = [
  ...(["app_mention", "message", "agent_session_stopped"] as const),
  ...(["channel_archive", "group_archive", "app_home_opened"] as const),
];

type EventName = (typeof EVENTS)[number];

/** Takes one thing that Slack tells. Resolves with what Slack is answered, once it is kept for good. */
export type Deliver = (body: Record<string, unknown>) => Promise<Answer>;

/**
 * Bolt, with our own way to acknowledge: by itself it tells Slack that an event has arrived before anybody has looked at
 * it, and what gets lost then is lost for good.
 */
export function createListeners(parts: DoorParts, self: Self): Deliver {
  const receiver: Receiver = {
    init: () => undefined,
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
  const app = new App({
    receiver,
    authorize: async () => ({ botUserId: self.user, teamId: self.team }),
    convoStore: false,
    logger: boltLogger(parts.log),
  });
  // By itself Bolt only logs what fails, and acknowledges it.
  app.error(async (error) => {
    throw error;
  });
  for (const name of EVENTS)
    app.event(name, async ({ event }) => onEvent[name](parts, event as object));
  app.action(/^/, async ({ body, ack }) => {
    const clicked = BlockActions.parse(body);
    if (!(await onChoice(parts, clicked))) await onClick(parts, clicked);
    await ack();
  });
  app.view({ callback_id: FORM_WINDOW, type: "view_submission" }, async ({ body, ack }) => {
    await (ack as Acknowledge)(await onForm(parts, ViewSubmission.parse(body)));
  });
  app.view({ callback_id: ASK_WINDOW, type: "view_submission" }, async ({ body, ack }) => {
    await (ack as Acknowledge)(await onAsk(parts, ViewSubmission.parse(body)));
  });
  app.command(/^/, async ({ body, ack }) => {
    await (ack as Acknowledge)(await onCommand(parts, SlashCommand.parse(body)));
  });
  app.shortcut(/^/, async ({ body, ack }) => {
    await onShortcut(parts, Shortcut.parse(body));
    await ack();
  });
  return async (body) => {
    let answer: Answer;
    const ack: Acknowledge = async (given) => {
      answer = given ?? answer;
    };
    await app.processEvent({ body, ack });
    return answer;
  };
}

type Acknowledge = (answer?: Answer) => Promise<void>;

/** What was said in a channel, as Slack tells it. */
export const onSaid = understood(MessageEvent, onMessage);

const onEvent: Readonly<Record<EventName, (parts: DoorParts, event: object) => Promise<void>>> = {
  app_mention: onSaid,
  message: onSaid,
  agent_session_stopped: understood(StoppedEvent, onStop),
  channel_archive: understood(ArchiveEvent, onArchive),
  group_archive: understood(ArchiveEvent, onArchive),
  app_home_opened: understood(HomeEvent, async (parts, { tab, user }) => {
    if (tab === "home") await onHome(parts, user);
  }),
};

/** What has another form than we know would have it the next time, too: it is told to the operator, and over. */
function understood<Schema extends z.ZodType>(
  schema: Schema,
  take: (parts: DoorParts, event: z.infer<Schema>) => Promise<void>,
): (parts: DoorParts, event: unknown) => Promise<void> {
  return async (parts, event) => {
    const read = schema.safeParse(event);
    if (read.success) return take(parts, read.data);
    parts.log("error", "Slack tells something that cannot be understood.", { error: read.error });
  };
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
