import {
  type APIChannel,
  type APIInteraction,
  GatewayDispatchEvents,
  type GatewayMessageDeleteBulkDispatchData,
  type GatewayMessageDeleteDispatchData,
  type GatewayThreadDeleteDispatchData,
  type GatewayThreadUpdateDispatchData,
} from "discord.js";
import { z } from "zod";
import type { Adapter, AdapterLimits } from "../../src/contract/platform/adapter.ts";
import type { PlatformHooks } from "../../src/contract/platform/platform.ts";
import type { Documents } from "../../src/contract/store.ts";
import type { Log } from "../../src/lib/log.ts";
import { Attempts } from "../shared/attempts.ts";
import type { DiscordSettings } from "./config.ts";
import { DiscordCalls } from "./connection/calls.ts";
import { CatchingUp } from "./connection/catch-up.ts";
import { DiscordConnection } from "./connection/connection.ts";
import { Cursor } from "./connection/cursor.ts";
import { PACKETS, type ReadEvent } from "./connection/packets.ts";
import { Receiving } from "./connection/receiving.ts";
import { Answers } from "./entry-points/answers.ts";
import { Doors } from "./entry-points/doors.ts";
import { Endings } from "./entry-points/endings.ts";
import { KeptForms } from "./entry-points/kept.ts";
import { registerAtStart } from "./entry-points/register.ts";
import { Taking } from "./entry-points/taking.ts";
import { render } from "./format.ts";
import { type HeardMessage, Inbound } from "./inbound.ts";
import { Outbound } from "./outbound.ts";
import { Directs } from "./places/directs.ts";
import { Explaining } from "./places/explaining.ts";
import { DiscordPeople } from "./places/people.ts";
import { DiscordPlaces } from "./places/places.ts";
import { DiscordFiles, FILE_BYTES } from "./posts/files.ts";
import { Whispers } from "./posts/whispers.ts";

const LIMITS: AdapterLimits = {
  // A message takes 4,000 characters, and what is made harmless can become longer.
  replyChars: 3_000,
  cardChars: 3_000,
  editEveryMs: 1_200,
  fileBytes: FILE_BYTES,
};

export interface DiscordOptions {
  readonly config: DiscordSettings;
  /** For this adapter alone. */
  readonly documents: Documents;
  readonly hooks?: PlatformHooks;
  readonly log: Log;
}

export interface DiscordAdapter extends Adapter {
  /** Whether what was said is kept for good. Discord itself is never told. @internal */
  hasKept(messageId: string): boolean;
}

/** Discord, for all servers that the bot is in. */
export function createDiscordAdapter({
  config,
  documents,
  hooks = {},
  log,
}: DiscordOptions): DiscordAdapter {
  const connection = new DiscordConnection({ config, log });
  const calls = new DiscordCalls(
    () => connection.rest,
    (channel) => connection.lacking(channel),
  );
  const { homeGuild, shardIds } = config;
  const knowsAllGuilds = shardIds === undefined;
  const people = new DiscordPeople({ connection, calls, homeGuild, knowsAllGuilds });
  const places = new DiscordPlaces({ connection, calls });
  const kept = new KeptForms(documents);
  const answers = new Answers({ calls, documents, application: () => connection.application });
  const files = new DiscordFiles(calls, config.apiUrl);
  const attempts = new Attempts(documents);
  const whispers = new Whispers({ connection, calls, answers });
  const common = { connection, calls, people, places, kept, answers, log };
  const outbound = new Outbound({ ...common, attempts, files, whispers });
  const cursor = new Cursor({ documents, log, shards: shardsOf(config) });
  const directs = new Directs(documents);
  let receiving: Receiving | undefined;

  return {
    platform: "discord",
    limits: LIMITS,
    async start(receive, onReconnected = () => undefined) {
      receiving = new Receiving({ receive, log });
      const explaining = new Explaining({ ...common, outbound });
      const inbound = new Inbound({ ...common, receiving, outbound, cursor, directs, explaining });
      const endings = new Endings({ ...common, receiving });
      const taking = new Taking({ ...common, receiving });
      const doors = new Doors({ ...common, taking, hooks });
      const hear = (message: HeardMessage) => inbound.onMessage(message);
      const reading = new CatchingUp({ connection, calls, cursor, directs, hear, log });
      listen({ connection, log }, { inbound, endings, doors });
      const before = await cursor.load();
      const missed = before === undefined ? undefined : cursor.hold(before);
      await connection.start({
        onAway: (shard) => reading.onAway(shard),
        onBack: (shard, session) => {
          reading.onBack(shard, session);
          onReconnected();
        },
      });
      if (config.registersCommands) await registerAtStart(calls, connection.application, log);
      if (missed) void reading.read(missed);
    },
    isConnected: () => connection.isReady,
    post: (thread, view, key) => outbound.post(thread, view, key),
    edit: (thread, post, view) => outbound.edit(thread, post, view),
    appearance: (thread, view) => JSON.stringify(render(view, { thread })),
    remove: (thread, post) => outbound.remove(thread, post),
    whisper: (...whispered) => outbound.whisper(...whispered),
    whisperFile: (...whispered) => outbound.whisperFile(...whispered),
    upload: (thread, file, key) => outbound.upload(thread, file, key),
    fetchAttachment: (thread, attachment) => outbound.fetchAttachment(thread, attachment),
    earlier: (thread, before, limit) => outbound.earlier(thread, before, limit),
    mark: (thread, messageId, sign) => outbound.mark(thread, messageId, sign),
    presence: (thread, actorId) => outbound.presence(thread, actorId),
    holders: (thread, role) => outbound.holders(thread, role),
    ownersName: "the owner and administrators of this server",
    link: (thread, post) => outbound.link(thread, post),
    hasKept: (messageId) => receiving?.hasTaken(`message:${messageId}`) ?? false,
    [Symbol.asyncDispose]: async () => {
      receiving?.[Symbol.dispose]();
      await connection[Symbol.asyncDispose]();
      await cursor[Symbol.asyncDispose]();
    },
  };
}

interface Listeners {
  readonly inbound: Inbound;
  readonly endings: Endings;
  readonly doors: Doors;
}

function shardsOf({ shardIds, shardCount }: DiscordSettings): string | undefined {
  return shardIds && `${shardIds.join(",")}/${shardCount}`;
}

function listen(
  { connection, log }: { readonly connection: DiscordConnection; readonly log: Log },
  { inbound, endings, doors }: Listeners,
): void {
  const on = <Data>(event: ReadEvent, hear: (data: Data) => Promise<void>) =>
    connection.on(event, (data) => {
      const { error } = PACKETS[event].safeParse(data);
      if (error) {
        const fault = z.prettifyError(error);
        log("warn", "Dropped a malformed Discord event.", { event, fault });
        return;
      }
      hear(data as Data).catch((error: unknown) => {
        log("error", "Failed to process a Discord event.", { event, error });
      });
    });
  on<HeardMessage>(GatewayDispatchEvents.MessageCreate, (data) => inbound.onMessage(data));
  on<HeardMessage>(GatewayDispatchEvents.MessageUpdate, (data) => inbound.onEdit(data));
  on<GatewayMessageDeleteDispatchData>(GatewayDispatchEvents.MessageDelete, (data) =>
    inbound.onDeletion(data),
  );
  on<GatewayMessageDeleteBulkDispatchData>(GatewayDispatchEvents.MessageDeleteBulk, (data) =>
    inbound.onDeletions(data),
  );
  on<GatewayThreadUpdateDispatchData>(GatewayDispatchEvents.ThreadUpdate, (data) =>
    endings.onThreadChange(data),
  );
  on<GatewayThreadDeleteDispatchData>(GatewayDispatchEvents.ThreadDelete, (data) =>
    endings.onThreadDeletion(data),
  );
  on<APIChannel>(GatewayDispatchEvents.ChannelDelete, (data) => endings.onChannelDeletion(data));
  on<APIInteraction>(GatewayDispatchEvents.InteractionCreate, (data) => doors.onInteraction(data));
}
