import type { APIMessage } from "discord.js";

/** What somebody wrote, without the mention of the bot. */
export function withoutSelf(content: string, self: SelfMention): string {
  const mention = `(?:${callsOf(self).join("|")})`;
  return content
    .replace(new RegExp(`^\\s*${mention}[ \\t]*`), "")
    .replace(new RegExp(`[ \\t]?${mention}`, "g"), "");
}

/** The bot, and the role that Discord has made for it: people take one for the other. */
export interface SelfMention {
  readonly user: string;
  readonly role?: string | undefined;
}

export function isMentioned(
  { content, mentions, mention_roles }: Pick<APIMessage, "content" | "mentions" | "mention_roles">,
  self: SelfMention,
): boolean {
  const { user, role } = self;
  if (mentions?.some(({ id }) => id === user)) return true;
  if (role !== undefined && mention_roles?.includes(role)) return true;
  return new RegExp(callsOf(self).join("|")).test(content);
}

function callsOf({ user, role }: SelfMention): string[] {
  return [`<@!?${user}>`, ...(role === undefined ? [] : [`<@&${role}>`])];
}

/** A quoted block, or one of code. */
export function pointedAtIn(text: string): string | undefined {
  const lines = text.split("\n").filter((line) => line.startsWith("> "));
  if (lines.length > 0) return lines.map((line) => line.slice(2)).join("\n");
  return /```[^\n]*\n([\s\S]*?)\n?```/.exec(text)?.[1];
}

/** All words of a message, also where they stand in components. */
export function allWords({ content, components }: Pick<APIMessage, "content" | "components">) {
  return [content, ...textsIn(components ?? [])].filter((text) => text !== "").join("\n");
}

function textsIn(components: readonly unknown[]): string[] {
  return components.flatMap((component) => {
    if (typeof component !== "object" || component === null) return [];
    const own = "content" in component ? [String(component.content)] : [];
    const inside =
      "components" in component && Array.isArray(component.components) ? component.components : [];
    return [...own, ...textsIn(inside)];
  });
}

const NAME_CHARS = 90;

/** What a thread is called: the first words that were said. */
export function threadName(words: string): string {
  const line =
    words
      .trim()
      .split("\n", 1)[0]
      ?.replaceAll(/[`*_~|<>\s]+/g, " ")
      .trim() ?? "";
  if (line === "") return "A conversation";
  return line.length <= NAME_CHARS ? line : `${line.slice(0, NAME_CHARS - 1).toWellFormed()}…`;
}
