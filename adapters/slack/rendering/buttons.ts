import { z } from "zod";
import type { View, ViewButton, ViewForm } from "../../../src/contract/platform/view.ts";
import { visible } from "../../../src/lib/text/neutral.ts";
import { beginningOf, oneLine } from "../../shared/short-text.ts";
import { readPart } from "../connection/payloads.ts";
import { type Block, preformatted } from "./rich-text.ts";

const LABEL_CHARS = 75;
const IN_A_ROW = 5;
const MOST_BUTTONS = 100;
const OPTION_VALUE_CHARS = 75;
const MOST_OPTIONS = 100;
const ACTION_ID_CHARS = 255;
const TITLE_CHARS = 24;

export function label(text: string, mostChars = LABEL_CHARS) {
  return { type: "plain_text", text: oneLine(text, mostChars), emoji: false };
}

/** The thread of a button; with its channel where it is shown in another one. */
export interface Anchor {
  readonly root: string;
  readonly channel?: string | undefined;
}

/** The buttons of a view, in rows. Each says by its block in which thread it stands: whispers do not say it otherwise. */
export function buttonRows(view: View, anchor: Anchor): Block[] {
  if (view.kind === "picker") return pickerRows(view.options, anchor);
  return rows("buttons" in view ? (view.buttons ?? []) : [], anchor);
}

function rows(buttons: readonly ViewButton[], anchor: Anchor): Block[] {
  const elements = buttons.slice(0, MOST_BUTTONS).map(buttonElement);
  return Array.from({ length: Math.ceil(elements.length / IN_A_ROW) }, (_, row) => ({
    type: "actions",
    block_id: blockId(anchor, row),
    elements: elements.slice(row * IN_A_ROW, (row + 1) * IN_A_ROW),
  }));
}

function pickerRows(
  options: Extract<View, { kind: "picker" }>["options"],
  anchor: Anchor,
): Block[] {
  const fit = options.every(({ action }) => action.length <= OPTION_VALUE_CHARS);
  if (options.length <= IN_A_ROW || !fit) return rows(options, anchor);
  const choices = options
    .slice(0, MOST_OPTIONS)
    .map((option) => ({ text: label(option.label), value: option.action }));
  const placeholder = label("Choose …");
  const select = { type: "static_select", action_id: "0", placeholder, options: choices };
  return [{ type: "actions", block_id: blockId(anchor, 0), elements: [select] }];
}

function buttonElement(button: ViewButton, index: number) {
  return {
    type: "button",
    text: label(button.label),
    value: button.action,
    action_id: button.form ? encodeForm(button.form, index) : String(index),
    ...(button.style ? { style: button.style } : {}),
  };
}

const BLOCK_ID = /^deckhand:(?:([CDG][A-Z0-9]{2,30}):)?(\d+\.\d{6}):\d+$/;

function blockId({ root, channel }: Anchor, row: number): string {
  return `deckhand:${channel === undefined ? "" : `${channel}:`}${root}:${row}`;
}

/** Undefined for what is none of ours. */
export function anchorOfBlock(block: string): Anchor | undefined {
  const [, channel, root] = BLOCK_ID.exec(block) ?? [];
  return root === undefined ? undefined : { root, channel };
}

const FormWords = z.tuple([z.string(), z.string(), z.string(), z.string(), z.boolean()]);

/**
 * The window that a button opens stands in the button itself, so that it opens at once and after any restart. What
 * has no room is cut: its card says it in full.
 */
function encodeForm({ title, field, submit }: ViewForm, index: number): string {
  for (let most = 120; ; most -= 10) {
    const words = [title, field.label, field.hint ?? "", submit].map((text) =>
      visible(text).slice(0, most).toWellFormed(),
    );
    const id = `${index}:${JSON.stringify([...words, field.isLong === true])}`;
    if (id.length <= ACTION_ID_CHARS) return id;
  }
}

/** Undefined for a button without a window. */
export function decodeForm(actionId: string): ViewForm | undefined {
  const json = /^\d+:(\[.*\])$/s.exec(actionId)?.[1];
  if (json === undefined) return undefined;
  const [title, words, hint, submit, isLong] = readPart(FormWords, json);
  return { title, submit, field: { label: words, ...(hint && { hint }), isLong } };
}

/** The card shows it whole; here its beginning is enough to recognise it. */
const SHOWN_CHARS = 2_500;

function shownBlock(words: string, code: string): Block {
  return {
    type: "rich_text",
    elements: [
      { type: "rich_text_section", elements: [{ type: "text", text: `${visible(words)}:` }] },
      preformatted(beginningOf(code, SHOWN_CHARS)),
    ],
  };
}

export const FIELD_BLOCK = "typed";
export const FIELD = "text";
/** What a window asks for at most. */
const TYPED_CHARS = 3_000;

/** Slack's window for a form. `kept` comes back with what is typed. */
export function formWindow(form: ViewForm, kept: { readonly id: string; readonly data: string }) {
  const { title, field, submit, shows = [] } = form;
  return {
    type: "modal",
    callback_id: kept.id,
    private_metadata: kept.data,
    title: label(title, TITLE_CHARS),
    submit: label(submit, TITLE_CHARS),
    close: label("Cancel"),
    blocks: [
      ...shows.map(({ label: words, code }) => shownBlock(words, code)),
      {
        type: "input",
        block_id: FIELD_BLOCK,
        label: label(field.label, 2_000),
        ...(field.hint ? { hint: label(field.hint, 2_000) } : {}),
        element: {
          type: "plain_text_input",
          action_id: FIELD,
          multiline: field.isLong === true,
          max_length: TYPED_CHARS,
        },
      },
    ],
  };
}
