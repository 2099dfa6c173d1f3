import { createHash } from "node:crypto";
import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  type APIComponentInMessageActionRow,
  type APIModalInteractionResponseCallbackData,
  ButtonStyle,
  ComponentType,
  TextInputStyle,
} from "discord.js";
import { z } from "zod";
import type { View, ViewButton, ViewForm } from "../../../src/contract/platform/view.ts";
import { visible } from "../../../src/lib/text/neutral.ts";
import { codeBlock } from "../../../src/lib/text/write-markdown.ts";
import { beginningOf, oneLine } from "../../shared/short-text.ts";
import { discordText } from "./markdown.ts";

export type Row = APIActionRowComponent<APIComponentInMessageActionRow>;

const LABEL_CHARS = 80;
const OPTION_CHARS = 100;
const IN_A_ROW = 5;
const MOST_ROWS = 5;
const IN_A_LIST = 25;
const MODAL_CHARS = 45;
const HINT_CHARS = 100;

/** What a button says when it is clicked: its action, the thread that it belongs to, and the window that it opens first. */
export interface Clickable {
  readonly thread: string;
  readonly form?: string;
  readonly action: string;
}

const CUSTOM_ID = /^([\w-]{9})\.([\w-]{9}|-)\.([\w:.-]{1,80})$/;

function customId(key: string, { action, form }: Pick<ViewButton, "action" | "form">): string {
  return `${key}.${form ? formKey(form) : "-"}.${action}`;
}

/** Undefined for what is none of ours. */
export function readCustomId(id: string): Clickable | undefined {
  const [, thread, form, action] = CUSTOM_ID.exec(id) ?? [];
  if (!thread || !form || !action) return undefined;
  return { thread, action, ...(form === "-" ? {} : { form }) };
}

/** The buttons of a view, in rows; `key` stands for its thread. */
export function buttonRows(key: string, view: View): Row[] {
  if (view.kind === "picker") return pickerRows(key, view.options);
  return rows(key, "buttons" in view ? (view.buttons ?? []) : []);
}

function rows(key: string, buttons: readonly ViewButton[]): Row[] {
  const elements = buttons.slice(0, IN_A_ROW * MOST_ROWS).map(
    (button): APIButtonComponentWithCustomId => ({
      type: ComponentType.Button,
      style: STYLES[button.style ?? "plain"],
      label: oneLine(button.label, LABEL_CHARS),
      custom_id: customId(key, button),
    }),
  );
  return Array.from({ length: Math.ceil(elements.length / IN_A_ROW) }, (_, row) => ({
    type: ComponentType.ActionRow,
    components: elements.slice(row * IN_A_ROW, (row + 1) * IN_A_ROW),
  }));
}

const STYLES = {
  plain: ButtonStyle.Secondary,
  primary: ButtonStyle.Primary,
  danger: ButtonStyle.Danger,
} as const;

function pickerRows(key: string, options: Extract<View, { kind: "picker" }>["options"]): Row[] {
  if (options.length <= IN_A_ROW) return rows(key, options);
  const lists = Math.min(MOST_ROWS, Math.ceil(options.length / IN_A_LIST));
  return Array.from({ length: lists }, (_, list) => ({
    type: ComponentType.ActionRow,
    components: [
      {
        type: ComponentType.StringSelect,
        custom_id: customId(key, { action: `list:${list}` }),
        placeholder: "Choose …",
        options: options
          .slice(list * IN_A_LIST, (list + 1) * IN_A_LIST)
          .map(({ action, label: words, detail }) => ({
            label: oneLine(words, OPTION_CHARS),
            value: customId(key, { action }),
            ...(detail ? { description: oneLine(detail, OPTION_CHARS) } : {}),
          })),
      },
    ],
  }));
}

/** Kept under its key, so that the window opens after a restart, too. */
export const KeptForm = z.object({
  title: z.string(),
  label: z.string(),
  hint: z.string(),
  isLong: z.boolean(),
  shows: z.array(z.object({ label: z.string(), code: z.string() })).default([]),
});
export type KeptForm = z.infer<typeof KeptForm>;

/** Every window that a view's buttons open, by its key. */
export function formsOf(view: View): Map<string, KeptForm> {
  const buttons = "buttons" in view ? (view.buttons ?? []) : [];
  return new Map(buttons.flatMap(({ form }) => (form ? [[formKey(form), keptForm(form)]] : [])));
}

export function keptForm({ title, field, shows = [] }: ViewForm): KeptForm {
  const { hint = "", isLong = false } = field;
  return { title, label: field.label, hint, isLong, shows: shows.map((one) => ({ ...one })) };
}

function formKey(form: ViewForm): string {
  const words = JSON.stringify(keptForm(form));
  return createHash("sha256").update(words).digest("base64url").slice(0, 9);
}

/** The card shows it whole; here its beginning is enough to recognise it. */
const SHOWN_CHARS = 1_800;

function shownAbove(shows: KeptForm["shows"]) {
  if (shows.length === 0) return [];
  const content = shows.map(
    ({ label: words, code }) => `${visible(words)}:\n${codeBlock(beginningOf(code, SHOWN_CHARS))}`,
  );
  const text = discordText(content.join("\n"), { mostChars: 3_900 });
  return [{ type: ComponentType.TextDisplay as const, content: text }];
}

export const FIELD = "typed";
/** What a window asks for at most. */
const TYPED_CHARS = 4_000;

/** Discord's window for a form. What has no room at the field stands above it in full. */
export function formWindow(
  form: KeptForm,
  custom_id: string,
): APIModalInteractionResponseCallbackData {
  const words = oneLine(form.label, 1_000);
  const hint = form.hint === "" ? "" : oneLine(form.hint, 2_000);
  const isLong = words.length > MODAL_CHARS || hint.length > HINT_CHARS;
  const above = isLong ? [words, hint].filter((text) => text !== "").join("\n") : undefined;
  return {
    custom_id,
    title: oneLine(form.title, MODAL_CHARS),
    components: [
      ...shownAbove(form.shows),
      ...(above === undefined
        ? []
        : [{ type: ComponentType.TextDisplay as const, content: above }]),
      {
        type: ComponentType.Label,
        label: oneLine(form.label, MODAL_CHARS),
        ...(hint !== "" && !isLong ? { description: hint } : {}),
        component: {
          type: ComponentType.TextInput,
          custom_id: FIELD,
          style: form.isLong ? TextInputStyle.Paragraph : TextInputStyle.Short,
          max_length: TYPED_CHARS,
          required: true,
        },
      },
    ],
  };
}
