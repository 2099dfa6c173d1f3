import { webApi } from "@slack/bolt";
import { z } from "zod";
import type { Adapter, AdapterLimits } from "../../src/contract/platform/adapter.ts";
import type { PlatformHooks } from "../../src/contract/platform/platform.ts";
import type { Documents } from "../../src/contract/store.ts";
import type { Log } from "../../src/lib/log.ts";
import { OperatorError } from "../../src/lib/operator-error.ts";
import { Attempts } from "../shared/attempts.ts";
import type { SlackSettings } from "./config.ts";
import { METHOD_SCOPES, SlackCalls, SlackError } from "./connection/calls.ts";
import { CatchUp } from "./connection/catch-up.ts";
import { HttpConnection } from "./connection/http.ts";
import { boltLogger, createListeners, type Deliver, onSaid } from "./connection/listeners.ts";
import { Receiving } from "./connection/receiving.ts";
import { SocketConnection } from "./connection/socket.ts";
import { Unread } from "./connection/unread.ts";
import { Outbound } from "./outbound.ts";
import { type Self, SlackPeople } from "./places/people.ts";
import { SlackThreads } from "./places/threads.ts";
import { Whereabouts } from "./places/whereabouts.ts";
import { FILE_BYTES, SlackFiles } from "./posts/files.ts";
import { AgentStatus, type StatusPace } from "./posts/status.ts";
import { StreamNotes } from "./posts/stream-notes.ts";
import { SlackStreams } from "./posts/streams.ts";

const LIMITS: AdapterLimits = {
  // Markdown takes 12,000 characters, and what is made harmless can become half as long again.
  replyChars: 7_500,
  cardChars: 8_000,
  editEveryMs: 1_000,
  growsByLines: true,
  fileBytes: FILE_BYTES,
};

const CALL_MS = 10_000;
const FIRST_ANSWER_MS = 20_000;

export interface SlackOptions {
  readonly config: SlackSettings;
  /** For this adapter alone. */
  readonly documents: Documents;
  readonly hooks?: PlatformHooks;
  /** For tests that cannot wait. */
  readonly statusPace?: Partial<StatusPace>;
  readonly log: Log;
}

export interface SlackAdapter extends Adapter {
  /** Where Slack has to send its requests, on this machine; undefined in Socket Mode and before the start. */
  readonly address: string | undefined;
}

const Identity = z.object({
  url: z.string(),
  team_id: z.string(),
  user_id: z.string(),
  response_metadata: z.object({ scopes: z.array(z.string()).optional() }).optional(),
});

/** Slack, for one workspace. */
export function createSlackAdapter({
  config,
  documents,
  hooks = {},
  statusPace,
  log,
}: SlackOptions): SlackAdapter {
  const calls = new SlackCalls(webClient(config, log));
  let known: (Self & { readonly url: string }) | undefined;
  const self = () => {
    if (!known)
      throw new Error("The Slack user of this bot is unknown until the connection has started.");
    return known;
  };
  const attempts = new Attempts(documents);
  const streamNotes = new StreamNotes(documents);
  const threads = new SlackThreads(documents);
  const people = new SlackPeople(calls, self, () => hooks.usesGroups?.() ?? true);
  const files = new SlackFiles({ calls, attempts, ...config });
  const streams = new SlackStreams(calls, streamNotes);
  const status = new AgentStatus(calls, documents, statusPace);
  const whereabouts = new Whereabouts();
  const catchUp = new CatchUp(documents);
  const unread = new Unread(documents, log);
  const common = { calls, people, files, threads, whereabouts, self, log };
  const outbound = new Outbound({ ...common, attempts, streamNotes, streams, status });
  let connection: SocketConnection | HttpConnection | undefined;

  return {
    platform: "slack",
    limits: LIMITS,
    get address() {
      return connection instanceof HttpConnection ? connection.address : undefined;
    },
    async start(receive, onReconnected = () => undefined) {
      known = await whoAmI(calls, log);
      const whisper = outbound.whisper.bind(outbound);
      const receiving = new Receiving({ receive, whisper, log });
      const parts = { ...common, status, hooks, receiving, unread, teamUrl: () => self().url };
      const lastAlive = await catchUp.lastAlive();
      connection = open(config, {
        deliver: createListeners(parts),
        onReconnected: (lostAtMs) => {
          onReconnected();
          catchUp.after(parts, lostAtMs);
        },
        log,
      });
      await connection.start();
      const line = connection;
      catchUp.begin(() => line.isListening);
      catchUp.after(parts, lastAlive);
      for (const event of await unread.left()) await onSaid(parts, event);
    },
    isConnected: () => connection?.isListening ?? false,
    post: (thread, view, key) => outbound.post(thread, view, key),
    edit: (thread, post, view) => outbound.edit(thread, post, view),
    appearance: (thread, view) => outbound.appearance(thread, view),
    remove: (thread, post) => outbound.remove(thread, post),
    whisper: (thread, actorId, view) => outbound.whisper(thread, actorId, view),
    upload: (thread, file, key) => outbound.upload(thread, file, key),
    fetchAttachment: (thread, { id }) => outbound.fetchAttachment(thread, id),
    earlier: (thread, before, limit) => outbound.earlier(thread, before, limit),
    mark: (thread, messageId, sign) => outbound.mark(thread, messageId, sign),
    presence: (thread, actorId) => outbound.presence(thread, actorId),
    holders: (_, role) => people.holders(role),
    ownersName: "the owners and admins of this Slack workspace",
    link: (thread, post) => outbound.link(thread, post),
    [Symbol.asyncDispose]: async () => {
      catchUp[Symbol.dispose]();
      unread[Symbol.dispose]();
      status[Symbol.dispose]();
      await connection?.[Symbol.asyncDispose]();
    },
  };
}

function webClient({ botToken, apiUrl }: SlackSettings, log: Log): webApi.WebClient {
  return new webApi.WebClient(botToken, {
    slackApiUrl: apiUrl,
    // A message that is sent again without being looked for first stands there twice.
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: CALL_MS,
    logger: boltLogger(log),
  });
}

function open(
  { connection, apiUrl }: SlackSettings,
  parts: {
    readonly deliver: Deliver;
    readonly onReconnected: (lostAtMs: number) => void;
    readonly log: Log;
  },
): SocketConnection | HttpConnection {
  return connection.mode === "socket"
    ? new SocketConnection({ ...parts, ...connection, apiUrl })
    : new HttpConnection({ ...parts, ...connection });
}

/** Without these nothing works at all. */
const NEEDED = ["chat:write", "users:read"];

/** Who the token belongs to. Throws with what the operator has to do where it is no good. */
async function whoAmI(calls: SlackCalls, log: Log): Promise<Self & { readonly url: string }> {
  try {
    const answer = await calls.patiently(() => calls.call("auth.test"), FIRST_ANSWER_MS);
    const { team_id, user_id, url, response_metadata } = Identity.parse(answer);
    checkScopes(response_metadata?.scopes, log);
    return { team: team_id, user: user_id, url };
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    const why = error.code === "unreachable" ? "Slack cannot be reached." : error.message;
    throw new OperatorError(`The bot cannot connect to Slack. ${why}`, { cause: error });
  }
}

function checkScopes(scopes: readonly string[] | undefined, log: Log): void {
  if (scopes === undefined) return;
  const wanted = new Set(Object.values(METHOD_SCOPES).flat());
  const missing = [...wanted].filter((scope) => !scopes.includes(scope));
  const needed = missing.filter((scope) => NEEDED.includes(scope));
  const how = "Add them to your app at api.slack.com/apps (OAuth & Permissions) and reinstall it.";
  if (needed.length > 0)
    throw new OperatorError(`The Slack app lacks required scopes: ${needed.join(", ")}. ${how}`);
  if (missing.length > 0)
    log(
      "warn",
      `The Slack app lacks optional scopes, so some features are off: ${missing.join(", ")}. ${how}`,
    );
}
