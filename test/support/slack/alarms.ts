import { type Fields, isFields, stringIn, unescaped } from "./values.ts";
import type { SlackMessage } from "./world.ts";

const ADDRESS = /\b[a-z][a-z0-9+.-]*:\/\/[^\s<>|)\]]+/gi;
const HIDDEN = /[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]|(?![\n\t])\p{Cc}/u;

/** What one text makes Slack do. */
interface Effects {
  readonly calls: string[];
  /** Addresses that Slack may fetch to show what is behind them. */
  readonly links: string[];
  /** Links that do not say where they lead, and pictures. */
  readonly disguised: string[];
}

/** Everything in a message that Slack acts upon, in words. */
export function alarmsIn(message: SlackMessage): string[] {
  const all = [
    ...message.blocks.flatMap(effectsOf),
    ...(isMarkdown(message) ? [] : [topEffects(message)]),
  ];
  const { links, media } = message.unfurls;
  const isFetched = links !== false || media !== false;
  return [
    ...all.flatMap(({ calls }) => calls.map((who) => `called ${who}`)),
    ...all.flatMap(({ disguised }) => disguised.map((what) => `disguised ${what}`)),
    ...(isFetched ? all.flatMap((one) => one.links.map((link) => `fetched ${link}`)) : []),
    ...(hasHidden([message.text, message.blocks]) ? ["hidden characters"] : []),
  ];
}

/** Its text is the one of its Markdown, and Slack reads it as such. */
function isMarkdown({ text, blocks, stream }: SlackMessage): boolean {
  return stream !== undefined || (blocks[0]?.type === "markdown" && blocks[0].text === text);
}

function topEffects({ text, parsesNames }: SlackMessage): Effects {
  return markupEffects(text, { linksAddresses: true, parsesNames });
}

function hasHidden(value: unknown): boolean {
  if (typeof value === "string") return value.search(HIDDEN) !== -1;
  return typeof value === "object" && value !== null && Object.values(value).some(hasHidden);
}

function effectsOf(value: unknown): Effects[] {
  if (Array.isArray(value)) return value.flatMap(effectsOf);
  if (!isFields(value)) return [];
  const own = ownEffects(value);
  const inner = Object.values(value).flatMap((one) =>
    typeof one === "object" ? effectsOf(one) : [],
  );
  return own ? [own, ...inner] : inner;
}

function ownEffects(value: Fields): Effects | undefined {
  const text = stringIn(value.text);
  switch (value.type) {
    case "mrkdwn": {
      const isVerbatim = value.verbatim === true;
      return markupEffects(text, { linksAddresses: !isVerbatim, parsesNames: !isVerbatim });
    }
    case "markdown":
      return markdownEffects(text);
    case "link":
      return linkEffects(stringIn(value.url), text);
    case "user":
      return nothingBut({ calls: [`user ${stringIn(value.user_id)}`] });
    case "usergroup":
      return nothingBut({ calls: [`group ${stringIn(value.usergroup_id)}`] });
    case "broadcast":
      return nothingBut({ calls: [stringIn(value.range)] });
    case "image":
      return nothingBut({ disguised: [`image ${stringIn(value.image_url)}`] });
    default:
      return undefined;
  }
}

interface Parsing {
  readonly linksAddresses: boolean;
  readonly parsesNames: boolean;
}

/** Slack's markup: what stands in angle brackets is acted upon even in code. */
function markupEffects(text: string, { linksAddresses, parsesNames }: Parsing): Effects {
  const brackets = [...text.matchAll(/<([^<>|\n]+)(?:\|([^<>]*))?>/g)];
  const calls = brackets.filter(([, target = ""]) => /^[!@#]/.test(target)).map(([all]) => all);
  const targets = brackets.filter(([, target = ""]) => /^[a-z][a-z0-9+.-]*:/i.test(target));
  const disguised = targets
    .filter(([, target, words]) => words !== undefined && unescaped(words) !== target)
    .map(([all]) => all);
  const words = text.replace(/```[\s\S]*?```|`[^`\n]+`|<[^<>]*>/g, " ");
  const bare = linksAddresses ? (words.match(ADDRESS) ?? []) : [];
  const names = parsesNames ? (words.match(/@(?:everyone|here|channel)\b/gi) ?? []) : [];
  const links = [...targets.map(([, target = ""]) => target), ...bare];
  return { calls: [...calls, ...names], links, disguised };
}

/** Standard Markdown: in code nothing happens. */
function markdownEffects(text: string): Effects {
  const words = text.replace(/```[\s\S]*?(?:```|$)|(?<![\\`])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, " ");
  const acted = words.replace(/\\[!-/:-@[-`{-~]/g, "\u0000");
  return {
    calls: acted.match(/<[!@#][^>\n]*>/g) ?? [],
    disguised: acted.match(/!?\[[^\]]*\]\([^)]+\)|<[a-z]+:[^>|\n]+\|[^>\n]+>/gi) ?? [],
    links: acted.match(ADDRESS) ?? [],
  };
}

function linkEffects(url: string, text: string): Effects {
  const isHonest = text === "" || text === url;
  return nothingBut({ links: [url], ...(!isHonest && { disguised: [`${text} -> ${url}`] }) });
}

function nothingBut(effects: Partial<Effects>): Effects {
  return { calls: [], links: [], disguised: [], ...effects };
}
