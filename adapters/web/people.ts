import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Actor, Presence } from "../../src/contract/platform/actor.ts";
import type { Documents } from "../../src/contract/store.ts";
import type { WebConfig } from "./config.ts";
import type { PersonInfo } from "./protocol.ts";

/** The web chat is one channel, and everybody who has a token is in it. */
export const CHANNEL = "web";

export interface Person {
  readonly info: PersonInfo;
  readonly presence: Presence;
}

interface KnownPerson extends Person {
  readonly digest: Buffer;
}

/** Who may come in, each known by a token. */
export class People {
  readonly #known: readonly KnownPerson[];
  readonly ownerToken: string;

  private constructor(ownerToken: string, known: readonly KnownPerson[]) {
    this.ownerToken = ownerToken;
    this.#known = known;
  }

  /** A token that was made here is kept, so that open pages and bookmarks outlive a restart. */
  static async open(config: WebConfig, documents: Documents): Promise<People> {
    const token = config.token ?? (await keptToken(documents));
    return new People(token, [
      person("owner", "owner", token),
      ...config.people.map(({ id, kind, token }) => person(id, kind, token)),
    ]);
  }

  /** Looks at every token, in the same time whether one fits or not. */
  byToken(token: string): Person | undefined {
    const given = digest(token);
    return this.#known.filter((one) => timingSafeEqual(one.digest, given))[0];
  }

  byId(id: string): Person | undefined {
    return this.#known.find(({ info }) => info.id === id);
  }

  all(): PersonInfo[] {
    return this.#known.map(({ info }) => info);
  }
}

async function keptToken(documents: Documents): Promise<string> {
  const kept = await documents.get("token");
  if (typeof kept === "string") return kept;
  const token = randomBytes(24).toString("base64url");
  await documents.set("token", token);
  return token;
}

function person(id: string, kind: Actor["kind"], token: string): KnownPerson {
  const actor: Actor = { platform: "web", id, kind, groups: [] };
  return {
    info: {
      id,
      name: kind === "owner" ? "Owner" : id,
      isOwner: kind === "owner",
      isBot: kind === "bot",
    },
    presence: {
      actor,
      name: kind === "owner" ? "Owner" : id,
      place: { platform: "web", channel: CHANNEL, isChannelMember: true },
    },
    digest: digest(token),
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
