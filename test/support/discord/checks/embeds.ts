import type { Problems } from "../refusals.ts";
import { type Fields, fieldsIn, isFields, lengthOf, stringIn } from "../values.ts";

const MOST_EMBEDS = 10;
const MOST_CHARACTERS = 6_000;

/** docs.discord.com/developers/resources/message#embed-object-embed-limits */
export function checkEmbeds(embeds: readonly Fields[], problems: Problems): void {
  if (embeds.length > MOST_EMBEDS)
    problems.add("embeds", "BASE_TYPE_MAX_LENGTH", `Must be ${MOST_EMBEDS} or fewer in length.`);
  for (const [index, embed] of embeds.entries()) checkEmbed(embed, `embeds.${index}`, problems);
  if (embeds.reduce((sum, embed) => sum + sizeOf(embed), 0) > MOST_CHARACTERS)
    problems.add("embeds", "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000");
}

function checkEmbed(embed: Fields, path: string, problems: Problems): void {
  problems.optionalLength(`${path}.title`, trimmed(embed.title), { most: 256 });
  problems.optionalLength(`${path}.description`, trimmed(embed.description), { most: 4_096 });
  problems.range(`${path}.color`, embed.color, { least: 0, most: 0xff_ff_ff });
  if (isFields(embed.footer))
    problems.length(`${path}.footer.text`, trimmed(embed.footer.text), { most: 2_048 });
  if (isFields(embed.author))
    problems.length(`${path}.author.name`, trimmed(embed.author.name), { most: 256 });
  if (embed.timestamp !== undefined && Number.isNaN(Date.parse(stringIn(embed.timestamp))))
    problems.add(`${path}.timestamp`, "DATE_TIME_TYPE_PARSE", "Could not parse as date.");
  const fields = fieldsIn(embed.fields);
  if (fields.length > 25)
    problems.add(`${path}.fields`, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.");
  for (const [index, { name, value }] of fields.entries()) {
    const at = `${path}.fields.${index}`;
    if (stringIn(name).trim() === "") problems.required(`${at}.name`);
    else problems.length(`${at}.name`, trimmed(name), { most: 256 });
    if (stringIn(value).trim() === "") problems.required(`${at}.value`);
    else problems.length(`${at}.value`, trimmed(value), { most: 1_024 });
  }
}

/** The space around does not count. */
function trimmed(value: unknown): unknown {
  return typeof value === "string" ? value.trim() : value;
}

function sizeOf(embed: Fields): number {
  return embedTexts(embed).reduce((sum, text) => sum + lengthOf(text.trim()), 0);
}

/** Everything that can be read in it, in reading order. */
export function embedTexts(embed: Fields): string[] {
  const { author, footer } = embed;
  return [
    isFields(author) ? author.name : "",
    embed.title,
    embed.description,
    ...fieldsIn(embed.fields).flatMap(({ name, value }) => [name, value]),
    isFields(footer) ? footer.text : "",
  ].map(stringIn);
}
