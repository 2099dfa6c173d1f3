import { randomBytes } from "node:crypto";
import type { DiscordUser, DiscordWorld } from "./world.ts";

export interface DiscordAppOptions {
  /** Which privileged intents are switched on in the developer portal. Default: the content of messages only. */
  readonly privileged?: readonly PrivilegedIntent[];
  /** It was made when bots had ids of their own. */
  readonly isOld?: boolean;
}

export type PrivilegedIntent = "members" | "presences" | "content";

const PRIVILEGED = { members: 1 << 1, presences: 1 << 8, content: 1 << 15 } as const;
const FLAGS = { members: 1 << 15, presences: 1 << 13, content: 1 << 19 } as const;

/** The app as it stands in the developer portal. Its bot user has the app's id, unless it is an old one. */
export class DiscordApp {
  readonly id: string;
  readonly user: DiscordUser;
  readonly token: string;
  readonly privileged: Set<PrivilegedIntent>;

  constructor(world: DiscordWorld, { privileged = ["content"], isOld = false }: DiscordAppOptions) {
    this.user = world.addUser({ username: "deckhand", isBot: true });
    this.id = isOld ? world.clock.nextId() : this.user.id;
    const name = Buffer.from(this.user.id).toString("base64url");
    this.token = `${name}.${randomBytes(4).toString("hex")}.${randomBytes(20).toString("base64url")}`;
    this.privileged = new Set(privileged);
  }

  get flags(): number {
    return [...this.privileged].reduce((flags, name) => flags | FLAGS[name], 0);
  }

  /** The privileged ones among these intents that are not switched on. */
  disallowed(intents: number): number {
    const names = Object.keys(PRIVILEGED) as PrivilegedIntent[];
    return names
      .filter((name) => !this.privileged.has(name))
      .reduce((bits, name) => bits | (intents & PRIVILEGED[name]), 0);
  }
}
