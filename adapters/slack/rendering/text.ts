import { NAMELESS } from "../../../src/contract/platform/nameless.ts";

/** Slack's own time of a message, as everybody writes it. */
export function timeOf(ts: string): string {
  return new Date(Math.round(Number(ts) * 1000)).toISOString();
}

/** The names of people, channels and groups, by their ids. */
export type SlackNames = ReadonlyMap<string, string>;

/** Everything that a text names by an id. */
export function idsIn(markup: string): string[] {
  return [...markup.matchAll(/<(?:[@#]|!subteam\^)([A-Z0-9]+)(?:\|[^<>]*)?>/g)].map(
    ([, id = ""]) => id,
  );
}

/** What somebody wrote, without Slack's markup and without the mention of the bot. */
export function wordsOf(markup: string, self: string, names: SlackNames = new Map()): string {
  const mention = new RegExp(`<@${self}(?:\\|[^<>]*)?>`);
  const without = markup.replace(new RegExp(`^\\s*${mention.source}[ \\t\\u00a0]*`), "");
  return plainText(without.replace(new RegExp(`[ \\t\\u00a0]?${mention.source}`, "g"), ""), names);
}

/** Angle brackets that people type come as entities; those that are left are Slack's. */
function plainText(markup: string, names: SlackNames): string {
  const shown = markup.replace(/<([^<>|]+)(?:\|([^<>]*))?>/g, (_, target: string, words?: string) =>
    named(target, words, names),
  );
  const decoded = shown.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  return breakable(decoded);
}

/** Beside links, and in what is pasted, Slack puts blanks that must not break where people have typed any other. */
export function breakable(text: string): string {
  return text.replaceAll("\u00a0", " ");
}

function named(target: string, words: string | undefined, names: SlackNames): string {
  const [, sign = "", id = ""] = /^([@#]|!subteam\^)([A-Z0-9]+)$/.exec(target) ?? [];
  const name = names.get(id) ?? words?.replace(/^[@#]/, "");
  if (sign === "@") return `@${name || NAMELESS}`;
  if (sign === "#") return name ? `#${name}` : "a channel";
  if (sign !== "") return name ? `@${name}` : "a group";
  if (target.startsWith("!")) return words ?? `@${target.slice(1)}`;
  return linked(target.replace(/^mailto:/, ""), words);
}

/** Whatever ends like a domain becomes a link, such as README.md: what was typed is its text. */
function linked(address: string, words: string | undefined): string {
  if (words === undefined) return address;
  if (address === `http://${words}`) return words;
  return address.endsWith(words) ? address : `${words} (${address})`;
}

export function mentions(markup: string, self: string): boolean {
  return markup.includes(`<@${self}>`) || markup.includes(`<@${self}|`);
}

/** A quoted block, or one of code. On Slack code begins right behind its fence, which names no language. */
export function pointedAtIn(text: string): string | undefined {
  const lines = text.split("\n").filter((line) => line.startsWith(">"));
  if (lines.length > 0) return lines.map((line) => line.replace(/^> ?/, "")).join("\n");
  return /```\n?([\s\S]*?)\n?```/.exec(text)?.[1];
}
