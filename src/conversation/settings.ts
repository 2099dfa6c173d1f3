import type { z } from "zod";
import { ConversationSettings } from "../contract/conversation/conversation-settings.ts";
import type { EventHub } from "../contract/conversation/event.ts";
import type { Documents, Json } from "../contract/store.ts";

type SettingName = keyof ConversationSettings;

/** One setting as people see it. */
interface SettingEntry {
  readonly name: SettingName;
  readonly value: boolean | number;
  readonly description: string;
  readonly isDefault: boolean;
}

type SettingChange =
  | { readonly outcome: "changed"; readonly settings: ConversationSettings }
  /** The message says what can be set, and to what. */
  | { readonly outcome: "refused"; readonly message: string };

/** What people have set for their conversations. A store that cannot answer throws. */
export interface Settings {
  /** What cannot be understood counts as not set. */
  load(conversation: string): Promise<ConversationSettings>;
  /** Takes values as people type them: on, off, yes, no, 100. */
  change(conversation: string, name: string, value: string): Promise<SettingChange>;
  list(conversation: string): Promise<SettingEntry[]>;
}

export interface SettingsDeps {
  readonly documents: Documents;
  readonly events: Pick<EventHub, "post">;
  readonly warn: (message: string) => void;
}

const DEFAULTS = ConversationSettings.parse({});
const FIELDS = ConversationSettings.shape;

export function createSettings({ documents, events, warn }: SettingsDeps): Settings {
  // Two changes at once would each write the other's old value.
  let lastChange: Promise<unknown> = Promise.resolve();

  const load = async (conversation: string) =>
    settingsFrom(await documents.get(conversation), (problem) =>
      warn(`Settings of conversation ${conversation}: ${problem}`),
    );

  const store = async (conversation: string, name: SettingName, value: Json) => {
    const settings = ConversationSettings.parse({ ...(await load(conversation)), [name]: value });
    await documents.set(conversation, settings);
    events.post(conversation, { type: "settingsChanged", settings });
    return settings;
  };

  return {
    load,
    async change(conversation, name, value) {
      const wanted = parseChange(name, value);
      if ("message" in wanted) return { outcome: "refused", message: wanted.message };
      const change = lastChange.then(() => store(conversation, wanted.name, wanted.value));
      // A failure is told to whoever asked for the change, and does not stop the next one.
      lastChange = change.catch(() => undefined);
      return { outcome: "changed", settings: await change };
    },
    async list(conversation) {
      const settings = await load(conversation);
      return Object.keys(FIELDS).map((key) => {
        const name = key as SettingName;
        const value = settings[name];
        const description = FIELDS[name].description ?? "";
        return { name, value, description, isDefault: value === DEFAULTS[name] };
      });
    },
  };
}

/** Each setting by itself, so that one broken value does not cost the others. */
function settingsFrom(stored: Json | undefined, warn: (problem: string) => void) {
  if (stored === undefined) return DEFAULTS;
  if (typeof stored !== "object" || stored === null || Array.isArray(stored)) {
    warn("the stored value is not an object, so the defaults are used.");
    return DEFAULTS;
  }
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(stored)) {
    const field = fieldOf(name);
    if (!field) warn(`there is no setting "${name}", so it is ignored.`);
    else if (field.safeParse(value).success) kept[name] = value;
    else warn(`${name} cannot be ${JSON.stringify(value)}, so its default is used.`);
  }
  return ConversationSettings.parse(kept);
}

function parseChange(
  name: string,
  text: string,
): { readonly name: SettingName; readonly value: boolean | number } | { readonly message: string } {
  const field = fieldOf(name);
  if (!field) {
    return {
      message: `There is no setting "${name}". There are: ${Object.keys(FIELDS).join(", ")}.`,
    };
  }
  const word = text.trim().toLowerCase();
  const parsed = field.safeParse(WORDS.get(word) ?? (/^\d+$/.test(word) ? Number(word) : word));
  if (parsed.success && word !== "") {
    return { name: name as SettingName, value: parsed.data as boolean | number };
  }
  const takes = typeof DEFAULTS[name as SettingName] === "boolean" ? "on or off" : "a number";
  return { message: `${name} takes ${takes}. ${field.description ?? ""}` };
}

function fieldOf(name: string): z.ZodType | undefined {
  return Object.hasOwn(FIELDS, name) ? FIELDS[name as SettingName] : undefined;
}

const WORDS = new Map([
  ["on", true],
  ["yes", true],
  ["true", true],
  ["off", false],
  ["no", false],
  ["false", false],
]);
