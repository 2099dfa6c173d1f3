import { alarmsIn } from "./alarms.ts";
import { TYPE } from "./checks/context.ts";
import { embedTexts } from "./checks/embeds.ts";
import { FLAG } from "./checks/message.ts";
import { type Fields, fieldsIn, isFields, stringIn } from "./values.ts";
import type { DiscordFile, DiscordMessage } from "./world.ts";

/** Something in a message that can be clicked, and what it says to the app. */
interface DiscordButton {
  readonly label: string;
  /** Of a button its custom_id, of an option of a list its value. */
  readonly value: string;
  readonly isDisabled: boolean;
  readonly component: Fields;
  /** Where it is an option of a list. */
  readonly isOption: boolean;
}

/** A message on somebody's screen. */
export interface Seen {
  readonly message: DiscordMessage;
  readonly text: string;
  readonly buttons: readonly DiscordButton[];
  readonly files: readonly DiscordFile[];
  /** Only they see it. */
  readonly isWhisper: boolean;
  /** The app is thinking. */
  readonly isLoading: boolean;
  readonly alarms: readonly string[];
}

export function onScreen(message: DiscordMessage): Seen {
  return {
    message,
    text: readableText(message),
    buttons: buttonsIn(message.components),
    files: filesIn(message),
    isWhisper: message.onlyFor !== undefined,
    isLoading: (message.flags & FLAG.loading) !== 0,
    alarms: alarmsIn(message),
  };
}

/** What somebody reads of a message, buttons and files left out. */
function readableText(message: DiscordMessage): string {
  const parts = [
    message.content,
    ...message.embeds.flatMap(embedTexts),
    ...message.components.flatMap(componentTexts),
  ];
  return parts
    .filter((part) => part !== "")
    .map(plainMarkdown)
    .join("\n");
}

/** Everything that can be clicked, in reading order. Links lead away and are no buttons of the app. */
function buttonsIn(components: readonly Fields[]): DiscordButton[] {
  return components.flatMap((component) => [
    ...ownButtons(component),
    ...buttonsIn(fieldsIn(component.components)),
    ...buttonsIn([component.accessory].filter(isFields)),
  ]);
}

/** With the new components a file that none of them shows is not seen. */
function filesIn(message: DiscordMessage): DiscordFile[] {
  if ((message.flags & FLAG.componentsV2) === 0) return message.files;
  const shown = JSON.stringify(message.components);
  return message.files.filter(({ filename }) => shown.includes(`"attachment://${filename}"`));
}

function ownButtons(component: Fields): DiscordButton[] {
  const isDisabled = component.disabled === true;
  if (component.type === TYPE.button) {
    const emoji = isFields(component.emoji) ? stringIn(component.emoji.name) : "";
    const label = stringIn(component.label) || emoji;
    const value = stringIn(component.custom_id);
    return value === "" ? [] : [{ label, value, isDisabled, component, isOption: false }];
  }
  if (component.type !== TYPE.stringSelect) return [];
  return fieldsIn(component.options).map((option) => ({
    label: stringIn(option.label),
    value: stringIn(option.value),
    isDisabled,
    component,
    isOption: true,
  }));
}

function componentTexts(component: Fields): string[] {
  const own = component.type === TYPE.text ? [stringIn(component.content)] : [];
  return [...own, ...fieldsIn(component.components).flatMap(componentTexts)];
}

/** Escapes count before code, and code of several back quotes ends with as many. */
const MARKED =
  /\\[!-/:-@[-`{-~]|```[\s\S]*?```|(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)|\[[^\]]*\]\((?:<[^>]*>|[^)\s]*)\)/g;

/** Discord's Markdown with what was escaped in it. Code shows as it stands. */
function plainMarkdown(text: string): string {
  return text.replace(MARKED, (part) => {
    if (part.startsWith("\\")) return part.slice(1);
    return part.startsWith("`") ? part : part.replace(/^\[([^\]]*)\][\s\S]*$/, "$1");
  });
}
