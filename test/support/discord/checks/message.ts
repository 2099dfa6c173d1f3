import { allowedMentions } from "../mentions.ts";
import { Problems, refusal } from "../refusals.ts";
import { cleaned, type Fields, fieldsIn, numberIn, stringIn } from "../values.ts";
import type { DiscordMessage } from "../world.ts";
import { checkComponents } from "./components.ts";
import { TYPE } from "./context.ts";
import { checkEmbeds } from "./embeds.ts";
import { checkWords } from "./words.ts";

export const FLAG = {
  suppressEmbeds: 1 << 2,
  ephemeral: 1 << 6,
  loading: 1 << 7,
  suppressNotifications: 1 << 12,
  componentsV2: 1 << 15,
} as const;

export interface MessageForm {
  readonly content: string;
  readonly embeds: Fields[];
  readonly components: Fields[];
  readonly flags: number;
  readonly allowed: DiscordMessage["allowed"];
  readonly nonce?: string | number;
}

interface MessageContext {
  /** The message as it stands, where it is edited. */
  readonly existing?: DiscordMessage | undefined;
  /** Names of the files that the message will have. */
  readonly fileNames: readonly string[];
  readonly flags: "message" | "interaction" | "edit";
}

const SETTABLE = {
  message: FLAG.suppressEmbeds | FLAG.suppressNotifications | FLAG.componentsV2,
  interaction:
    FLAG.suppressEmbeds | FLAG.suppressNotifications | FLAG.componentsV2 | FLAG.ephemeral,
  edit: FLAG.suppressEmbeds | FLAG.componentsV2,
} as const;

/** What a message shall be, or everything that is wrong with it. */
export function messageForm(body: Fields, context: MessageContext): MessageForm {
  const problems = new Problems();
  const { existing } = context;
  const flags = flagsOf(body, context);
  const isV2 = (flags & FLAG.componentsV2) !== 0;
  const content = cleaned(stringIn(given(body.content, existing?.content, "")));
  const embeds = fieldsIn(given(body.embeds, existing?.embeds, []));
  const components = fieldsIn(given(body.components, existing?.components, []));
  if (body.content !== undefined && body.content !== null)
    problems.length("content", cleaned(stringIn(body.content)), { most: 2_000 });
  checkEmbeds(embeds, problems);
  checkComponents(components, { problems, isV2, fileNames: new Set(context.fileNames) });
  if (isV2) checkNoOldFields({ content, embeds }, body, problems);
  checkNonce(body.nonce, problems);
  checkWords(components, "components", problems);
  const isInteraction = context.flags === "interaction";
  const allowed = allowedMentions(body.allowed_mentions, { problems, isInteraction });
  problems.throwIfAny();
  if (content === "" && embeds.length + components.length + context.fileNames.length === 0)
    throw refusal(50006);
  const nonce = body.nonce as string | number | undefined;
  return {
    content,
    embeds: embeds.map((embed) => ({ ...embed, type: "rich" })),
    components: numbered(components),
    flags,
    allowed,
    ...(nonce !== undefined && nonce !== null && { nonce }),
  };
}

/** Absent: as it was. Null: nothing. */
function given(value: unknown, before: unknown, nothing: unknown): unknown {
  if (value === undefined) return before ?? nothing;
  return value ?? nothing;
}

/** What cannot be set is left out without a word; what was once set for the new components stays. */
function flagsOf(body: Fields, { existing, flags }: MessageContext): number {
  const settable = SETTABLE[flags];
  if (!existing) return numberIn(body.flags) & settable;
  const before = existing.flags;
  if (body.flags === undefined || body.flags === null) return before;
  const kept = before & ~FLAG.suppressEmbeds;
  return kept | (numberIn(body.flags) & settable);
}

function checkNoOldFields(
  { content, embeds }: { content: string; embeds: readonly Fields[] },
  body: Fields,
  problems: Problems,
): void {
  const code = "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2";
  const message = (field: string) =>
    `The '${field}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`;
  if (content !== "") problems.add("content", code, message("content"));
  if (embeds.length > 0) problems.add("embeds", code, message("embeds"));
  for (const field of ["poll", "sticker_ids"]) {
    const value = body[field];
    const isEmpty = value === undefined || value === null || fieldsOrLength(value) === 0;
    if (!isEmpty) problems.add(field, code, message(field));
  }
}

function fieldsOrLength(value: unknown): number {
  return Array.isArray(value) ? value.length : 1;
}

function checkNonce(nonce: unknown, problems: Problems): void {
  if (nonce === undefined || nonce === null) return;
  if (typeof nonce !== "string" && !Number.isSafeInteger(nonce))
    problems.add("nonce", "NONCE_TYPE_INVALID", "A nonce is an integer or a string.");
  else problems.length("nonce", String(nonce), { most: 25 });
}

/** Discord gives every component a number that none of the others has. */
function numbered(components: readonly Fields[]): Fields[] {
  const taken = new Set<number>();
  collectIds(components, taken);
  let next = 0;
  const nextId = () => {
    do next += 1;
    while (taken.has(next));
    return next;
  };
  const number = (component: Fields): Fields => {
    const id = numberIn(component.id) || nextId();
    const accessory = component.accessory as Fields | undefined;
    return {
      ...component,
      id,
      ...(Array.isArray(component.components) && {
        components: fieldsIn(component.components).map(number),
      }),
      ...(accessory && { accessory: number(accessory) }),
      ...(component.type === TYPE.text && { content: cleaned(stringIn(component.content)) }),
    };
  };
  return components.map(number);
}

function collectIds(components: readonly Fields[], taken: Set<number>): void {
  for (const component of components) {
    if (numberIn(component.id) > 0) taken.add(numberIn(component.id));
    collectIds(fieldsIn(component.components), taken);
    collectIds(fieldsIn([component.accessory]), taken);
  }
}
