import { everyIn } from "./checks/components.ts";
import { TYPE } from "./checks/context.ts";
import { embedTexts } from "./checks/embeds.ts";
import { FLAG } from "./checks/message.ts";
import { calledBy, callingText } from "./mentions.ts";
import { type Fields, fieldsIn, isFields, stringIn } from "./values.ts";
import type { DiscordMessage } from "./world.ts";

const ADDRESS = /\bhttps?:\/\/[^\s<>)\]]+/gi;
const HIDDEN = /[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]|(?![\n\t])\p{Cc}/u;

/** Everything in a message that Discord acts upon, in words. */
export function alarmsIn(message: DiscordMessage): string[] {
  const { users, roles, everyone } = calledBy(message);
  const texts = [callingText(message), ...message.embeds.flatMap(embedTexts)];
  const isV2 = (message.flags & FLAG.componentsV2) !== 0;
  const isSuppressed = (message.flags & FLAG.suppressEmbeds) !== 0;
  const fetched = isV2 || isSuppressed ? [] : bareLinks(message.content);
  const isHiding = [...texts, ...labels(message.components)].some((text) => HIDDEN.test(text));
  return [
    ...users.map((id) => `called user ${id}`),
    ...roles.map((id) => `called role ${id}`),
    ...(everyone ? ["called everyone"] : []),
    ...texts.flatMap(maskedLinks).map((link) => `disguised ${link}`),
    ...fetched.map((link) => `fetched ${link}`),
    ...pictures(message).map((url) => `fetched ${url}`),
    ...(isHiding ? ["hidden characters"] : []),
  ];
}

/** In code nothing happens, nor where a backslash stands before. */
function actedUpon(text: string): string {
  return text
    .replace(/```[\s\S]*?```|(?<![\\`])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, " ")
    .replace(/\\[!-/:-@[-`{-~]/g, "\u0001");
}

function maskedLinks(text: string): string[] {
  const links = [...actedUpon(text).matchAll(/\[([^\]]+)\]\(<?(https?:\/\/[^)>\s]+)>?[^)]*\)/gi)];
  return links.filter(([, words, url]) => words !== url).map(([all]) => all);
}

/** Addresses in angle brackets are not looked at. */
function bareLinks(text: string): string[] {
  return (
    actedUpon(text)
      .replace(/<https?:[^>\s]+>/gi, " ")
      .match(ADDRESS) ?? []
  );
}

function pictures({ components, embeds }: DiscordMessage): string[] {
  const media = everyIn(components).flatMap((component) =>
    component.type === TYPE.gallery
      ? fieldsIn(component.items).map((item) => item.media)
      : [component.media],
  );
  const inEmbeds = embeds.flatMap(({ image, thumbnail }) => [image, thumbnail]);
  return [...media, ...inEmbeds]
    .map((one) => (isFields(one) ? stringIn(one.url) : ""))
    .filter((url) => /^https?:/.test(url));
}

function labels(components: readonly Fields[]): string[] {
  return everyIn(components).flatMap(({ label, placeholder, options }) => [
    stringIn(label),
    stringIn(placeholder),
    ...fieldsIn(options).flatMap((option) => [
      stringIn(option.label),
      stringIn(option.description),
    ]),
  ]);
}
