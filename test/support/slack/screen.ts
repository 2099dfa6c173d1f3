import { type Fields, fieldsIn, isFields, stringIn, unescaped } from "./values.ts";
import type { SlackMessage } from "./world.ts";

/** Something in a message or a window that can be clicked, and what it says to the app. */
export interface SlackButton {
  readonly label: string;
  readonly value: string;
  readonly actionId: string;
  readonly blockId: string;
  readonly element: Fields;
  /** The chosen option, where it is one of a list. */
  readonly option?: Fields;
}

/** What somebody reads of a message: its blocks where it has some, else its text. */
export function readableText({ text, blocks }: Pick<SlackMessage, "text" | "blocks">): string {
  if (blocks.length === 0) return plainMarkup(text);
  return blocks
    .map(wordsOf)
    .filter((words) => words !== "")
    .join("\n");
}

/** Everything that can be clicked, in reading order. */
export function buttonsIn(blocks: readonly Fields[]): SlackButton[] {
  return blocks.flatMap((block) => {
    const inner = buttonsIn(fieldsIn(block.child_blocks));
    const elements = [block.accessory, ...fieldsIn(block.elements)].filter(isFields);
    return [
      ...inner,
      ...elements.flatMap((element) => choicesOf(element, stringIn(block.block_id))),
    ];
  });
}

const LISTS = ["static_select", "overflow", "radio_buttons"];

function choicesOf(element: Fields, blockId: string): SlackButton[] {
  const actionId = stringIn(element.action_id);
  const common = { actionId, blockId, element };
  if (element.type === "button") {
    const label = plainMarkup(textOf(element.text));
    return [{ ...common, label, value: stringIn(element.value) || actionId }];
  }
  if (!LISTS.includes(stringIn(element.type))) return [];
  const groups = fieldsIn(element.option_groups).flatMap(({ options }) => fieldsIn(options));
  return [...fieldsIn(element.options), ...groups].map((option) => ({
    ...common,
    option,
    label: plainMarkup(textOf(option.text)),
    value: stringIn(option.value),
  }));
}

/** The words of a block, without those on its buttons. */
function wordsOf(block: Fields): string {
  switch (block.type) {
    case "markdown":
      return plainMarkdown(stringIn(block.text));
    case "rich_text":
      return fieldsIn(block.elements).map(richWords).join("\n");
    case "table":
    case "data_table":
      return [block.rows].flat(2).filter(isFields).map(cellWords).join(" ");
    case "task_card":
      return [taskSign(block.status), block.title, block.details, block.output]
        .map((part) => (isFields(part) ? wordsOf(part) : stringIn(part)))
        .filter(Boolean)
        .join(" ");
    case "plan":
      return [stringIn(block.title), ...fieldsIn(block.tasks).map(wordsOf)].join("\n");
    case "actions":
      return "";
    default:
      return otherWords(block);
  }
}

function otherWords(block: Fields): string {
  const parts = [block.title, block.subtitle, block.text, ...fieldsIn(block.fields), block.label];
  const texts = [...parts, ...fieldsIn(block.elements)]
    .filter(isFields)
    .filter(({ type }) => type === "plain_text" || type === "mrkdwn");
  const own = texts.map((text) =>
    text.type === "mrkdwn" ? plainMarkup(stringIn(text.text)) : stringIn(text.text),
  );
  return [...own, ...fieldsIn(block.child_blocks).map(wordsOf)].join("\n");
}

function richWords(part: Fields): string {
  const glue = part.type === "rich_text_list" ? "\n" : "";
  return fieldsIn(part.elements)
    .map((piece) => (Array.isArray(piece.elements) ? richWords(piece) : pieceWords(piece)))
    .join(glue);
}

function pieceWords({ type, text, url, user_id, name }: Fields): string {
  if (type === "user") return `@${stringIn(user_id)}`;
  if (type === "emoji") return `:${stringIn(name)}:`;
  return stringIn(text) || stringIn(url);
}

function cellWords(cell: Fields): string {
  return cell.type === "rich_text"
    ? wordsOf(cell)
    : stringIn(cell.text) || String(cell.value ?? "");
}

function taskSign(status: unknown): string {
  return status === "complete" ? "✓" : "";
}

function textOf(text: unknown): string {
  return isFields(text) ? stringIn(text.text) : "";
}

/** Slack's own markup without what it stands for: `<url|words>` shows the words. */
function plainMarkup(text: string): string {
  const shown = text.replace(/<([^<>|]+)(?:\|([^<>]*))?>/g, (_, target: string, words?: string) =>
    words === undefined ? target.replace(/^mailto:/, "") : words,
  );
  return unescaped(shown);
}

/** Escapes count before code, and code of several back quotes ends with as many. */
const MARKED =
  /\\[!-/:-@[-`{-~]|```[\s\S]*?```|(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)|&(?:lt|gt|amp);|!?\[[^\]]*\]\([^)]*\)/g;

/** Standard Markdown, with what was escaped in it. Code shows as it stands. */
function plainMarkdown(text: string): string {
  return text.replace(MARKED, (part) => {
    if (part.startsWith("\\")) return part.slice(1);
    if (part.startsWith("&")) return unescaped(part);
    return part.startsWith("`") ? part : part.replace(/^!?\[([^\]]*)\][\s\S]*$/, "$1");
  });
}
