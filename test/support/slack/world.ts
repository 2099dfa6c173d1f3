import { randomBytes } from "node:crypto";
import { SlackClock } from "./clock.ts";
import type { Fields } from "./values.ts";

export type UserKind =
  | "member"
  | "admin"
  | "owner"
  | "primaryOwner"
  | "guest"
  | "external"
  | "bot"
  | "deactivated";

export interface SlackUser {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly team: string;
  kind: UserKind;
  readonly botId?: string;
  readonly appId?: string;
  /** What Slack says of them in another way than of everybody: it leaves things out, and says null of others. */
  readonly said?: Fields;
}

export interface SlackChannel {
  readonly id: string;
  readonly name: string;
  readonly type: "channel" | "group" | "im" | "mpim";
  readonly members: Set<string>;
  /** Shared with another team: files in its events come without their contents. */
  readonly isExternallyShared: boolean;
  isArchived: boolean;
}

export interface SlackFile {
  readonly id: string;
  readonly name: string;
  title: string;
  readonly user: string;
  readonly bytes: Uint8Array;
  readonly channels: Set<string>;
  readonly shares: { readonly channel: string; readonly ts: string; readonly threadTs?: string }[];
  isDeleted: boolean;
}

export interface SlackMessage {
  readonly ts: string;
  readonly channel: string;
  readonly user: string;
  readonly botId?: string;
  readonly appId?: string;
  readonly threadTs?: string;
  readonly files: SlackFile[];
  readonly reactions: Map<string, Set<string>>;
  /** The one person who sees it; everybody where it is absent. */
  readonly onlyFor?: string;
  readonly unfurls: { readonly links?: boolean; readonly media?: boolean };
  readonly parsesNames: boolean;
  text: string;
  blocks: Fields[];
  subtype?: string;
  metadata?: Fields;
  edited?: { readonly user: string; readonly ts: string };
  stream?: "open" | "stopped-by-user" | "done";
  streamedBlocks?: number;
}

export interface SlackSession {
  status: string;
  title: string;
}

/** A modal or a home tab, as Slack keeps it. */
export interface SlackView {
  readonly id: string;
  readonly user: string;
  readonly appId: string;
  readonly rootId: string;
  readonly previousId?: string;
  content: Fields;
  hash: string;
  errors: Fields;
}

/** Everything that one team has on Slack. */
export class SlackWorld {
  readonly clock = new SlackClock();
  readonly team: { readonly id: string; readonly domain: string; readonly name: string };
  readonly users = new Map<string, SlackUser>();
  readonly channels = new Map<string, SlackChannel>();
  readonly files = new Map<string, SlackFile>();
  readonly views = new Map<string, SlackView>();
  /** The windows in front of each person, topmost last. */
  readonly windows = new Map<string, SlackView[]>();
  readonly homes = new Map<string, SlackView>();
  readonly groups = new Map<string, { readonly handle: string; readonly users: Set<string> }>();
  /** By `channel:thread`. */
  readonly statuses = new Map<string, { text: string; untilMs: number; loading: string[] }>();
  readonly titles = new Map<string, string>();
  readonly prompts = new Map<string, Fields[]>();
  readonly sessions = new Map<string, SlackSession>();
  readonly #messages = new Map<string, SlackMessage[]>();

  constructor(teamId = newId("T")) {
    this.team = { id: teamId, domain: teamId.toLowerCase(), name: `Team ${teamId}` };
  }

  addUser(options: Partial<Omit<SlackUser, "id">> & { readonly id?: string } = {}): SlackUser {
    const id = options.id ?? newId("U");
    const { kind = "member", name = `person-${id.toLowerCase()}`, ...rest } = options;
    const team = kind === "external" ? newId("T") : this.team.id;
    const user = { realName: `Person ${id}`, team, ...rest, id, name, kind };
    this.users.set(id, user);
    return user;
  }

  addChannel(options: ChannelOptions = {}): SlackChannel {
    const { type = "channel", members = [], isExternallyShared = false } = options;
    const id = newId(type === "im" ? "D" : "C");
    const { name = type === "im" ? "directmessage" : `channel-${id.toLowerCase()}` } = options;
    const channel = { id, name, type, members: new Set(members), isExternallyShared };
    this.channels.set(id, { ...channel, isArchived: false });
    return this.channels.get(id) as SlackChannel;
  }

  /** The conversation of two people; made when there is none. */
  directMessage(one: string, other: string): SlackChannel {
    for (const channel of this.channels.values()) {
      if (channel.type === "im" && channel.members.has(one) && channel.members.has(other))
        return channel;
    }
    return this.addChannel({ type: "im", members: [one, other] });
  }

  messages(channel: string): SlackMessage[] {
    const known = this.#messages.get(channel) ?? [];
    this.#messages.set(channel, known);
    return known;
  }

  find(channel: string, ts: string | undefined): SlackMessage | undefined {
    return this.messages(channel).find((one) => one.ts === ts && one.onlyFor === undefined);
  }

  /** The root and what stands below it, oldest first. */
  thread(channel: string, root: string): SlackMessage[] {
    return this.messages(channel).filter(({ ts, threadTs }) => ts === root || threadTs === root);
  }

  remove(message: SlackMessage): void {
    const kept = this.messages(message.channel).filter((one) => one !== message);
    this.#messages.set(message.channel, kept);
  }
}

interface ChannelOptions {
  readonly name?: string;
  readonly type?: SlackChannel["type"];
  readonly members?: readonly string[];
  readonly isExternallyShared?: boolean;
}

/** Slack's ids: a letter for what it is, and what cannot be guessed. */
export function newId(letter: string): string {
  const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ0123456789";
  return letter + [...randomBytes(10)].map((byte) => letters[byte % letters.length]).join("");
}
