import type { Problems } from "./refusals.ts";
import { type Fields, fieldsIn, isFields, stringIn, stringsIn } from "./values.ts";
import type { AllowedMentions, DiscordGuild, DiscordMessage, DiscordWorld } from "./world.ts";

/** Nobody: what people's own messages are not, and what an app should be. */
export const EVERYBODY: AllowedMentions = {
  users: "all",
  roles: "all",
  everyone: true,
  repliedUser: true,
};

/** In answers to interactions only people are called where nothing else was said. */
const IN_INTERACTIONS: AllowedMentions = { ...EVERYBODY, roles: [], everyone: false };

/** docs.discord.com/developers/resources/message#allowed-mentions-object */
export function allowedMentions(
  given: unknown,
  options: { readonly problems: Problems; readonly isInteraction: boolean },
): AllowedMentions {
  if (given === undefined || given === null)
    return options.isInteraction ? IN_INTERACTIONS : EVERYBODY;
  const { problems } = options;
  const form = isFields(given) ? given : {};
  const parse = stringsIn(form.parse);
  for (const [index, kind] of parse.entries())
    problems.choice(`allowed_mentions.parse.${index}`, kind, ["users", "roles", "everyone"]);
  return {
    users: listOf("users", form, parse, problems),
    roles: listOf("roles", form, parse, problems),
    everyone: parse.includes("everyone"),
    repliedUser: form.replied_user === true,
  };
}

function listOf(kind: "users" | "roles", form: Fields, parse: string[], problems: Problems) {
  const ids = stringsIn(form[kind]);
  const path = `allowed_mentions.${kind}`;
  if (ids.length > 100)
    problems.add(path, "BASE_TYPE_MAX_LENGTH", "Must be 100 or fewer in length.");
  if (new Set(ids).size < ids.length)
    problems.add(path, "SET_TYPE_ALREADY_CONTAINS_VALUE", "The set already contains this value.");
  if (ids.length > 0 && parse.includes(kind))
    problems.add(
      "allowed_mentions",
      "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
      `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`,
    );
  return parse.includes(kind) && ids.length === 0 ? ("all" as const) : ids;
}

/** All words in a message that can call somebody: its content, or its text displays. */
export function callingText(message: Pick<DiscordMessage, "content" | "components">): string {
  return [message.content, ...message.components.flatMap(textsIn)].join("\n");
}

function textsIn(component: Fields): string[] {
  const own = component.type === 10 ? [stringIn(component.content)] : [];
  return [...own, ...fieldsIn(component.components).flatMap(textsIn)];
}

interface Called {
  readonly users: readonly string[];
  readonly roles: readonly string[];
  readonly everyone: boolean;
}

/** Whom the text names and the message may call, whether they exist or not. */
export function calledBy(message: DiscordMessage): Called {
  // What stands in code calls no one.
  const text = callingText(message).replace(
    /```[\s\S]*?```|(?<![\\`])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g,
    " ",
  );
  const { allowed } = message;
  const named = (pattern: RegExp) => [
    ...new Set([...text.matchAll(pattern)].map(([, id = ""]) => id)),
  ];
  const within = (ids: readonly string[], list: "all" | readonly string[]) =>
    ids.filter((id) => list === "all" || list.includes(id));
  return {
    users: within(named(/<@!?(\d+)>/g), allowed.users),
    roles: within(named(/<@&(\d+)>/g), allowed.roles),
    everyone: allowed.everyone && /@(?:everyone|here)/.test(text),
  };
}

/** The arrays of a message as Discord hands them out: only who is there, and what its author may. */
export function mentionsOf(
  world: DiscordWorld,
  message: DiscordMessage,
  guild: DiscordGuild | undefined,
  mayCallAll: boolean,
): Called {
  const { users, roles, everyone } = calledBy(message);
  const { reference } = message;
  const replied =
    message.type === 19 && message.allowed.repliedUser && reference?.messageId !== undefined
      ? world.find(reference.channelId, reference.messageId)?.authorId
      : undefined;
  const all = new Set([...users, ...(replied === undefined ? [] : [replied])]);
  return {
    users: [...all].filter((id) => world.users.has(id)),
    roles: roles.filter((id) => mayCallAll || guild?.roles.get(id)?.isMentionable === true),
    everyone: everyone && mayCallAll,
  };
}
