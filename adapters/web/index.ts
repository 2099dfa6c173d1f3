import type { Adapter, AdapterLimits } from "../../src/contract/platform/adapter.ts";
import type { ThreadId } from "../../src/contract/platform/incoming.ts";
import type { UploadBudget } from "../../src/contract/platform/upload-budget.ts";
import type { Documents } from "../../src/contract/store.ts";
import type { Log } from "../../src/lib/log.ts";
import type { WebConfig } from "./config.ts";
import { Files } from "./files.ts";
import { canType, type WebHooks } from "./hooks.ts";
import { FILE_BYTES, Outbound } from "./outbound.ts";
import { buildPage, type Page } from "./page.ts";
import { People, type Person } from "./people.ts";
import type { ToPage } from "./protocol.ts";
import { startServer, type WebServer } from "./server/server.ts";
import { Threads } from "./threads.ts";
import { TypedLines } from "./typed-lines.ts";

const LIMITS: AdapterLimits = {
  replyChars: 40_000,
  cardChars: 40_000,
  editEveryMs: 150,
  fileBytes: FILE_BYTES,
};

export interface WebOptions {
  readonly config: WebConfig;
  /** For this adapter alone: here the web chat keeps its threads and all that was said in them. */
  readonly documents: Documents;
  /** For the bytes of files. */
  readonly filesDirectory: string;
  /** Of what people upload, sent or not. */
  readonly uploadBudget: UploadBudget;
  readonly hooks?: WebHooks;
  readonly log: Log;
  /** Built from its sources where none is given. */
  readonly page?: Page;
}

export interface WebAdapter extends Adapter {
  /** For the owner: whoever has it is let in. Throws before `start`. */
  readonly address: string;
}

/** The web chat: a platform of our own, so it also keeps what was said. One process serves it. */
export async function createWebAdapter(options: WebOptions): Promise<WebAdapter> {
  const { config, documents, uploadBudget, hooks = {}, log } = options;
  const people = await People.open(config, documents);
  const threads = await Threads.open(documents);
  const files = new Files(options.filesDirectory, documents);
  const typedLines = new TypedLines();
  const outbound = new Outbound({ threads, files, people, typedLines });
  let server: WebServer | undefined;

  const origin = () => {
    if (!server) throw new Error("The web chat has no address until it has started.");
    return config.origins[0] ?? `http://${shownHost(config.host)}:${server.port}`;
  };
  return {
    platform: "web",
    limits: LIMITS,
    get address() {
      return `${origin()}/#token=${people.ownerToken}`;
    },
    async start(receive) {
      const page = options.page ?? (await buildPage());
      const onError = (error: unknown) => log("error", "The web chat's server failed.", { error });
      const welcome = (person: Person) => welcomeOf(person, people, threads, hooks);
      const refuse = (thread: ThreadId, person: Person, text: string) =>
        outbound.whisper(thread, person.info.id, { kind: "notice", level: "warning", text });
      const kept = { people, threads, files, uploadBudget, typedLines };
      const given = { config, hooks, page, fileBytes: FILE_BYTES };
      server = await startServer({ ...kept, ...given, receive, refuse, welcome, onError });
    },
    post: (thread, view, key) => outbound.post(thread, view, key),
    edit: (thread, post, view) => outbound.edit(thread, post, view),
    remove: (thread, post) => outbound.remove(thread, post),
    whisper: (thread, actorId, view) => outbound.whisper(thread, actorId, view),
    upload: (thread, file, key) => outbound.upload(thread, file, key),
    fetchAttachment: (thread, { id }) => outbound.fetchAttachment(thread, id),
    earlier: (thread, before, limit) => outbound.earlier(thread, before, limit),
    mark: (thread, messageId, sign) => outbound.mark(thread, messageId, sign),
    presence: (thread, actorId) => outbound.presence(thread, actorId),
    // One person owns the bot by its token; groups there are none.
    holders: async (_, role) => ({
      ids: typeof role === "string" ? ["owner"] : [],
      isComplete: true,
    }),
    ownersName: "the owner of this web chat",
    link: async (thread, post) =>
      threads.get(thread) && `${origin()}/#thread=${thread}${post ? `&post=${post}` : ""}`,
    [Symbol.asyncDispose]: async () => server?.[Symbol.asyncDispose](),
  };
}

function welcomeOf(person: Person, people: People, threads: Threads, hooks: WebHooks): ToPage {
  return {
    type: "welcome",
    me: person.info,
    people: people.all(),
    commands: hooks.commands?.() ?? [],
    abilities: {
      terminal: hooks.terminal !== undefined,
      terminalInput: canType(hooks),
      files: hooks.files !== undefined,
      timeline: hooks.timeline !== undefined,
      settings: hooks.settings !== undefined,
    },
    status: hooks.status?.() ?? "",
    fileBytes: LIMITS.fileBytes,
    threads: threads.list(),
  };
}

/** An address that listens everywhere is nobody's name. */
function shownHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
