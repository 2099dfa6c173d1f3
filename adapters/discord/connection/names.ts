import type { APIUser, Client } from "discord.js";
import { clockTime } from "../../../src/lib/text/times.ts";
import { personName } from "../../shared/person-name.ts";

/** Somebody whom a message mentions; the gateway also tells their name on its server. */
export type Mentioned = Pick<APIUser, "id" | "username" | "global_name"> & {
  readonly member?: { readonly nick?: string | null | undefined } | undefined;
};

interface Mentions {
  /** Where it was written: only what belongs to the same server has a name there. */
  readonly channel: string;
  readonly mentions?: readonly Mentioned[] | undefined;
}

const CODE = /(```[\s\S]*?```|`[^`\n]+`)/;
const MARKUP = /<(@!?|@&|#|a?:\w+:|\/[^:<>\n]+:|t:)(-?\d{1,20})(?::[a-zA-Z])?>/g;

/** A text with Discord's markup as words: people, roles, channels and commands by their names. Code stays as it is. */
export function withNames(
  client: Client,
  content: string,
  { channel, mentions }: Mentions,
): string {
  const place = client.channels.cache.get(channel);
  const guild = place && "guild" in place ? place.guild : undefined;
  const person = (id: string) => {
    const mentioned = mentions?.find((one) => one.id === id);
    const told = [mentioned?.member?.nick, mentioned?.global_name, mentioned?.username];
    return personName(...told, guild?.members.cache.get(id)?.displayName);
  };
  const named = (kind: string, id: string): string => {
    if (kind === "@" || kind === "@!") return `@${person(id)}`;
    if (kind === "@&") return `@${guild?.roles.cache.get(id)?.name ?? "a role"}`;
    if (kind === "#") return channelName(client, id, guild?.id);
    if (kind === "t:") return clockTime(timeAt(id));
    return kind.startsWith("/") ? kind.slice(0, -1) : kind.replace(/^a/, "");
  };
  return content
    .split(CODE)
    .map((text, index) =>
      index % 2 === 1
        ? text
        : text.replace(MARKUP, (_, kind: string, id: string) => named(kind, id)),
    )
    .join("");
}

function channelName({ channels }: Client, id: string, guild: string | undefined): string {
  const found = channels.cache.get(id);
  const isHere = found && "guildId" in found && found.guildId === guild;
  return isHere && "name" in found ? `#${found.name}` : "a channel";
}

function timeAt(seconds: string): string {
  const date = new Date(Number(seconds) * 1_000);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
}
