import type { Adapter, PostId, Receipt } from "../../../src/contract/platform/adapter.ts";
import type { Incoming, ThreadId } from "../../../src/contract/platform/incoming.ts";
import { until } from "../../support/until.ts";

/** Somebody on the platform. "bot" is another program, "self" the bot under test. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly kind: "member" | "guest" | "bot" | "self" | "owner";
}

/** What somebody who looks at a thread sees of one message. */
export interface VisiblePost {
  readonly post: PostId;
  /** All words that can be read in it, in reading order, buttons and files left out. Markup may be gone. */
  readonly text: string;
  readonly buttons: readonly VisibleButton[];
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

interface VisibleButton {
  readonly action: string;
  readonly label: string;
  /** True where a click opens a window with a field first. */
  readonly asksText: boolean;
}

/** Something that a platform may not have. Its cases are left out. */
type Lack =
  | "direct"
  | "non-mentions"
  | "other people"
  | "other bots"
  | "edits by people"
  | "commands"
  | "native stop"
  /** It shows messages itself, and nothing any more once it is closed. */
  | "a server elsewhere"
  | "archiving"
  | "quotes"
  | "marks"
  | "links"
  /** It has no connection to a platform that could be lost. */
  | "reconnects";

/** People and their platform, driven from outside: nothing here goes through the adapter. */
export interface People {
  /** A thread that nobody has used, named as the adapter names it. */
  newThread(kind?: "channel" | "direct"): Promise<ThreadId>;
  /** Belongs to every channel, unless `isOutside`: then they see nothing and belong nowhere. */
  person(options?: { readonly kind?: Person["kind"]; readonly isOutside?: boolean }): Person;
  say(person: Person, thread: ThreadId, text: string, options?: SayOptions): Promise<Said>;
  edit(person: Person, thread: ThreadId, messageId: string, text: string): Promise<Said>;
  remove(person: Person, thread: ThreadId, messageId: string): Promise<Said>;
  /** Clicks what is visible, and types where a window opens. Throws when there is no such button for this person. */
  click(
    person: Person,
    thread: ThreadId,
    button: { readonly post: PostId; readonly action: string; readonly typed?: string },
  ): Promise<Said>;
  command(person: Person, thread: ThreadId, text: string): Promise<Said>;
  stop(person: Person, thread: ThreadId): Promise<Said>;
  archive(person: Person, thread: ThreadId): Promise<Said>;
  /** The platform delivers the same event once more. */
  redeliver(event: Said): Promise<void>;
  /** Whether the platform was told that the event has arrived. */
  isAcknowledged(event: Said): Promise<boolean>;

  /** The bot's messages in their order, as this person sees them (default: any member). Whispers are not among them. */
  visible(thread: ThreadId, person?: Person): Promise<readonly VisiblePost[]>;
  /** What only this person sees. */
  whispers(thread: ThreadId, person: Person): Promise<readonly VisiblePost[]>;
  /** The bot's signs at a message, in any order. */
  marks(thread: ThreadId, messageId: string): Promise<readonly string[]>;
  /**
   * Everything in the bot's messages that the platform acted upon: people who were called, links that were fetched
   * or made clickable under another text, images, scripts. Each in words.
   */
  alarms(thread: ThreadId): Promise<readonly string[]>;

  readonly faults: Faults;
}

export interface SayOptions {
  /** True: the bot is called by its name. */
  readonly mention?: boolean;
  readonly files?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  /** Something that the author points at. */
  readonly quoting?: string;
}

/** The driver's own handle of something that somebody did. */
export interface Said {
  readonly event: string;
  /** Of a message; empty for all else. */
  readonly messageId: string;
}

/** What goes wrong on platforms. */
export interface Faults {
  /** The next post or upload is carried out, but its answer never reaches the adapter. */
  loseNextAnswer(): void;
  /** The next call is refused with 429 and this time to wait. */
  refuseNext(retryAfterMs: number): void;
  /** Nothing goes in or out until `reconnect`. */
  disconnect(): Promise<void>;
  reconnect(): Promise<void>;
  /** Somebody with the right to do it deletes a message of the bot. */
  deletePost(thread: ThreadId, post: PostId): Promise<void>;
}

/** The adapter's own thread names. */
export interface ThreadNames<Place> {
  /** Different places, awkward ones among them. */
  readonly places: readonly Place[];
  encode(place: Place): ThreadId;
  /** Throws for what it did not encode. */
  decode(thread: string): Place;
}

/** One adapter, not yet started, and its platform. */
export interface AdapterRig extends AsyncDisposable {
  readonly adapter: Adapter;
  readonly people: People;
}

export interface AdapterUnderTest<Place = unknown> {
  readonly name: string;
  readonly lacks?: readonly Lack[];
  readonly threadNames: ThreadNames<Place>;
  open(): Promise<AdapterRig>;
}

/** What reached the core, and a way to wait for it. */
export class Received {
  readonly events: Incoming[] = [];

  /** Resolves with the events once there are so many. */
  async atLeast(number: number, withinMs = 30_000): Promise<readonly Incoming[]> {
    await until(() => this.events.length >= number, `${number} events`, {
      withinMs,
      seen: () => this.events,
    });
    return this.events;
  }
}

/** One rig per case, its adapter started, with a person and a thread to begin with. */
export interface Stage {
  readonly rig: AdapterRig;
  readonly received: Received;
  readonly thread: ThreadId;
  readonly ada: Person;
  /** What the core does with an event from here on. */
  receive: (incoming: Incoming) => Promise<Receipt>;
  /** How often the adapter has told that its connection is back. */
  reconnects: number;
  readonly lacks: ReadonlySet<Lack>;
}
