import { z } from "zod";
import type { Actor, PlatformRole, Presence } from "../../../src/contract/platform/actor.ts";
import type { HolderIds } from "../../../src/contract/platform/adapter.ts";
import { BoundedMap } from "../../../src/lib/bounded.ts";
import { personName } from "../../shared/person-name.ts";
import { isRefusal, type SlackCalls, SlackError } from "../connection/calls.ts";
import { pages } from "../connection/pages.ts";
import { idsIn, wordsOf } from "../rendering/text.ts";
import type { SlackPlace } from "../thread.ts";

/** The bot's own name on Slack. */
export interface Self {
  readonly team: string;
  readonly user: string;
}

/** Somebody, as Slack vouches for them. */
export interface SlackPerson {
  readonly actor: Actor;
  /** As people see them. */
  readonly name: string;
}

const SlackUser = z.object({
  id: z.string(),
  team_id: z.string().nullish(),
  // What nobody has filled in is missing, empty or null.
  name: z.string().nullish(),
  deleted: z.boolean().default(false),
  is_bot: z.boolean().default(false),
  is_restricted: z.boolean().default(false),
  is_ultra_restricted: z.boolean().default(false),
  is_stranger: z.boolean().default(false),
  is_admin: z.boolean().default(false),
  is_owner: z.boolean().default(false),
  is_primary_owner: z.boolean().default(false),
  real_name: z.string().nullish(),
  profile: z.object({ display_name: z.string().nullish() }).default({}),
  enterprise_user: z.object({ teams: z.array(z.string()).default([]) }).optional(),
});
type User = z.infer<typeof SlackUser>;
const UserInfo = z.object({ user: SlackUser });
const UserPage = z.object({ members: z.array(SlackUser) });
const Members = z.object({ members: z.array(z.string()) });
const Groups = z.object({
  usergroups: z.array(
    z.object({
      id: z.string(),
      handle: z.string().nullish(),
      users: z.array(z.string()).default([]),
    }),
  ),
});
const Channel = z.object({ channel: z.object({ name: z.string().nullish() }) });

/** For how long what Slack said about somebody is taken for true, where they only speak. */
const PERSON_MS = 60_000;
const GROUPS_MS = 120_000;
const CHANNEL_MS = 10 * 60_000;
/** Of the names in one text; each may cost a call. */
const MOST_NAMES = 20;
/** Slack lets people be listed twenty times a minute. */
const ADMINISTRATORS_MS = 60_000;
const MOST_USER_PAGES = 10;
/** Where they decide or read something, it is asked anew: what was taken from somebody is gone at their next click. */
const MOMENT_MS = 500;
/** Slack lets its groups be listed twenty times a minute. */
const GROUPS_MOMENT_MS = 3_000;
const MOST_KEPT = 5_000;
/** Slack takes less than a thousand. */
const PAGE = 999;
const MOST_PAGES = 100;

/** Who people are, and to which channels they belong. */
export class SlackPeople {
  readonly #calls: SlackCalls;
  readonly #self: () => Self;
  readonly #usesGroups: () => boolean;
  readonly #people = new Kept<Promise<SlackPerson | undefined>>();
  readonly #peopleNow = new Kept<Promise<SlackPerson | undefined>>();
  readonly #users = new Kept<Promise<z.infer<typeof UserInfo>>>();
  readonly #channels = new Kept<Promise<string | undefined>>();
  readonly #pages = new Kept<Promise<unknown>>();
  readonly #administrators = new Kept<Promise<HolderIds>>();
  readonly #groups = new Kept<Promise<z.infer<typeof Groups>["usergroups"]>>();

  constructor(calls: SlackCalls, self: () => Self, usesGroups: () => boolean = () => true) {
    this.#calls = calls;
    this.#self = self;
    this.#usesGroups = usesGroups;
  }

  /** Undefined: Slack knows nobody of that id. Throws while it cannot be known. */
  find(id: string): Promise<SlackPerson | undefined> {
    return this.#people.get(id, PERSON_MS, () => this.#ask(id, GROUPS_MS));
  }

  /** What somebody wrote, with people, channels and groups by their names as far as Slack tells them. */
  async wordsOf(markup: string): Promise<string> {
    const { user: self } = this.#self();
    const ids = [...new Set(idsIn(markup))].filter((id) => id !== self).slice(0, MOST_NAMES);
    const found = ids.map(async (id) => {
      // Words count also while a name cannot be had.
      const name = await this.#nameOf(id).catch(() => undefined);
      return [id, name ?? ""] as const;
    });
    const names = new Map((await Promise.all(found)).filter(([, name]) => name !== ""));
    return wordsOf(markup, self, names);
  }

  async #nameOf(id: string): Promise<string | undefined> {
    if (/^[CGD]/.test(id)) return this.#channels.get(id, CHANNEL_MS, () => this.#askChannel(id));
    if (!id.startsWith("S")) return (await this.find(id))?.name;
    if (!this.#usesGroups()) return undefined;
    const groups = await this.#groups.get("all", GROUPS_MS, () => this.#askGroups());
    return groups.find((group) => group.id === id)?.handle ?? undefined;
  }

  async #askChannel(channel: string): Promise<string | undefined> {
    const answer = await this.#calls.call("conversations.info", { channel });
    return Channel.parse(answer).channel.name ?? undefined;
  }

  /** Asked for people who said something just now: they exist. */
  async doer(id: string): Promise<SlackPerson> {
    return existing(id, await this.#calls.patiently(() => this.find(id)));
  }

  /** The same for whoever does more than speak, by Slack's word of this moment. */
  async doerNow(id: string): Promise<SlackPerson> {
    return existing(id, await this.#calls.patiently(() => this.#findNow(id)));
  }

  /** Whether somebody belongs to a channel, by Slack's word of this moment. */
  async isMember(channel: string, id: string): Promise<boolean> {
    return this.#calls.patiently(() => this.#isMemberNow(channel, id));
  }

  /** By Slack's word of this moment. */
  async presence({ team, channel }: SlackPlace, id: string): Promise<Presence | undefined> {
    const person = await this.#findNow(id);
    if (!person) return undefined;
    const isChannelMember = await this.#isMemberNow(channel, id);
    const { actor, name } = person;
    return { actor, name, place: { platform: "slack", team, channel, isChannelMember } };
  }

  /** Who has a right in this team. Undefined where the app may not list them. */
  async holders(role: PlatformRole): Promise<HolderIds | undefined> {
    if (role === "tokenOwner") return { ids: [], isComplete: true };
    try {
      if (role === "administrators") {
        return await this.#administrators.get("all", ADMINISTRATORS_MS, () =>
          this.#askAdministrators(),
        );
      }
      const groups = await this.#groups.get("all", GROUPS_MS, () => this.#askGroups());
      const group = groups.find(({ id }) => `slack:${this.#self().team}:${id}` === role.group);
      return group && { ids: group.users, isComplete: true };
    } catch (error) {
      if (error instanceof SlackError && error.when === "never") return undefined;
      throw error;
    }
  }

  async #askAdministrators(): Promise<HolderIds> {
    const ids: string[] = [];
    const ask = (more: object) => this.#calls.call("users.list", { limit: PAGE, ...more });
    let isComplete = false;
    for await (const page of pages({ schema: UserPage, mostPages: MOST_USER_PAGES, ask })) {
      const found = page.members.filter((user) => isAdministrator(user, this.#self()));
      ids.push(...found.map(({ id }) => id));
      isComplete = page.isLast;
    }
    return { ids, isComplete };
  }

  #findNow(id: string): Promise<SlackPerson | undefined> {
    return this.#peopleNow.get(id, MOMENT_MS, () => this.#ask(id, GROUPS_MOMENT_MS));
  }

  /** To a channel that is closed to us nobody is known to belong. */
  async #isMemberNow(channel: string, id: string): Promise<boolean> {
    try {
      return await this.#isListed(channel, id);
    } catch (error) {
      if (isRefusal(error, "channel_not_found", "not_in_channel", "access_denied")) return false;
      throw error;
    }
  }

  async #isListed(channel: string, id: string): Promise<boolean> {
    const askPage = (more: { readonly cursor?: string }) =>
      this.#calls.call("conversations.members", { channel, limit: PAGE, ...more });
    // Everyone who asks about a channel at the same moment shares its first page.
    const ask = (more: { readonly cursor?: string }) =>
      more.cursor ? askPage(more) : this.#pages.get(channel, MOMENT_MS, () => askPage(more));
    for await (const { members } of pages({ schema: Members, mostPages: MOST_PAGES, ask })) {
      if (members.includes(id)) return true;
    }
    return false;
  }

  async #ask(id: string, groupsWithinMs: number): Promise<SlackPerson | undefined> {
    try {
      const { user } = await this.#users.get(id, MOMENT_MS, () => this.#askUser(id));
      const self = this.#self();
      const kind = kindOf(user, self);
      const team = kind === "external" ? (user.team_id ?? "unknown") : self.team;
      const groups = kind === "member" ? await this.#groupsOf(id, groupsWithinMs) : [];
      const name = personName(user.profile.display_name, user.real_name, user.name);
      const administers = isAdministrator(user, self) ? { isAdministrator: true } : {};
      return {
        actor: { platform: "slack", team, id: user.id, kind, groups, ...administers },
        name,
      };
    } catch (error) {
      if (isRefusal(error, "user_not_found", "user_not_visible", "users_not_found"))
        return undefined;
      throw error;
    }
  }

  async #askUser(user: string): Promise<z.infer<typeof UserInfo>> {
    return UserInfo.parse(await this.#calls.call("users.info", { user }));
  }

  async #groupsOf(id: string, withinMs: number): Promise<string[]> {
    if (!this.#usesGroups()) return [];
    const { team } = this.#self();
    const groups = await this.#groups.get("all", withinMs, () => this.#askGroups());
    return groups
      .filter(({ users }) => users.includes(id))
      .map((group) => `slack:${team}:${group.id}`);
  }

  /** Whoever may not look sees no groups: groups give rights and take none. */
  async #askGroups(): Promise<z.infer<typeof Groups>["usergroups"]> {
    try {
      const answer = await this.#calls.call("usergroups.list", { include_users: true });
      return Groups.parse(answer).usergroups;
    } catch (error) {
      if (error instanceof SlackError && error.when === "never") return [];
      throw error;
    }
  }
}

/** Slack names a user whom `users.info` does not know. */
export class UnknownPersonError extends Error {
  override readonly name = "UnknownPersonError";
}

function existing(id: string, person: SlackPerson | undefined): SlackPerson {
  if (person) return person;
  throw new UnknownPersonError(`Slack does not know the user ${id} that its event names.`);
}

function kindOf(user: User, self: Self): Actor["kind"] {
  if (user.id === self.user) return "self";
  if (user.deleted) return "deactivated";
  if (user.is_bot || user.id === "USLACKBOT") return "bot";
  const isOurs =
    user.team_id === self.team || (user.enterprise_user?.teams.includes(self.team) ?? false);
  if (user.is_stranger || !isOurs) return "external";
  return user.is_restricted || user.is_ultra_restricted ? "guest" : "member";
}

/** An organisation's people may administer another workspace than this one: that does not count here. */
function isAdministrator(user: User, self: Self): boolean {
  const isOurs = user.team_id === self.team && kindOf(user, self) === "member";
  return isOurs && (user.is_primary_owner || user.is_owner || user.is_admin);
}

/** Answers that are true for a while. Whoever asks meanwhile is told the same; a failure is not kept. */
class Kept<Answer extends Promise<unknown>> {
  readonly #answers = new BoundedMap<string, { readonly answer: Answer; readonly atMs: number }>(
    MOST_KEPT,
  );

  get(key: string, withinMs: number, ask: () => Answer): Answer {
    const kept = this.#answers.get(key);
    if (kept && performance.now() - kept.atMs < withinMs) return kept.answer;
    const answer = ask();
    const asked = { answer, atMs: performance.now() };
    this.#answers.set(key, asked);
    answer.catch(() => {
      if (this.#answers.get(key) === asked) this.#answers.delete(key);
    });
    return answer;
  }
}
