import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandInteractionDataOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  InteractionContextType,
  type RESTPutAPIApplicationCommandsJSONBody,
} from "discord.js";
import type { CommandHelp } from "./hooks.ts";

/** What can be said to the bot, each word with what it does. */
const VERBS: Readonly<Record<string, string>> = {
  help: "What can be said here",
  tour: "What the bot can do, step by step",
  status: "What is going on in this thread",
  todos: "The list of what is to be done",
  terminal: "The terminal of this thread",
  files: "What is in the workspace",
  diff: "What has changed",
  undo: "Take back the last changes",
  stop: "Stop what is going on",
  subagents: "The agent's helpers",
  approvals: "What waits for people",
  auth: "The permissions that hold here",
  audit: "What was done, by whom and by whose leave",
  history: "What was archived of this thread",
  memory: "What is remembered here",
  topic: "The topic of this thread",
  prompt: "Who the agent is told to be",
  mini: "Standing requests to the agent",
  tools: "The agent's tools",
  settings: "The settings of this thread",
  model: "Which model answers",
  cost: "What this thread has used so far",
  keep: "Keep the workspace however long nobody uses it",
  reset: "Begin anew",
};

const TERMINAL: Readonly<Record<string, string>> = {
  history: "The commands that ran, and what they printed",
  tail: "The last lines",
  send: "Type something into it",
  resize: "Give it another size",
  kill: "End what runs in it",
  close: "Close it",
  select: "Point at some of its lines",
};

const WORDS = "words";
const TEXT = "text";
const WORDS_CHARS = 1_000;
const TEXT_CHARS = 4_000;
/** The one command with everything in it, and the word in it that asks the agent. */
const ALL = "deckhand";
const ASK = "ask";

const EVERYWHERE = [InteractionContextType.Guild, InteractionContextType.BotDM];

/** What stands in the menu of a message. The first asks about it. */
export const ASK_ABOUT = "Ask about this";
const MENU: Readonly<Record<string, string>> = {
  "Todos of this thread": "todos",
  "Status of this thread": "status",
};

/** Everything that Discord has to know of, for `PUT /applications/…/commands`. */
export function commandDefinitions(): RESTPutAPIApplicationCommandsJSONBody {
  const contexts = EVERYWHERE;
  return [
    {
      name: ALL,
      description: "Talk to the bot",
      contexts,
      options: [
        ...Object.entries(VERBS).map(([name, description]) => subcommand(name, description)),
        {
          type: ApplicationCommandOptionType.Subcommand,
          name: ASK,
          description: "Ask the agent something",
          options: [
            {
              type: ApplicationCommandOptionType.String,
              name: TEXT,
              description: "What you want",
              required: true,
              max_length: TEXT_CHARS,
            },
          ],
        },
      ],
    },
    { name: "todos", description: VERBS.todos ?? "", contexts, options: [wordsOption()] },
    {
      name: "terminal",
      description: VERBS.terminal ?? "",
      contexts,
      options: Object.entries(TERMINAL).map(([name, description]) => subcommand(name, description)),
    },
    ...[ASK_ABOUT, ...Object.keys(MENU)].map((name) => ({
      type: ApplicationCommandType.Message as const,
      name,
      contexts,
    })),
  ];
}

function subcommand(name: string, description: string) {
  const options = [wordsOption()];
  return { type: ApplicationCommandOptionType.Subcommand as const, name, description, options };
}

function wordsOption(): APIApplicationCommandBasicOption {
  return {
    type: ApplicationCommandOptionType.String,
    name: WORDS,
    description: "What else belongs to it",
    autocomplete: true,
    max_length: WORDS_CHARS,
  };
}

/** A command that somebody has filled in. */
export type Said =
  | { readonly kind: "command"; readonly text: string }
  /** For the agent. */
  | { readonly kind: "ask"; readonly text: string };

export interface FilledIn {
  readonly name: string;
  readonly options?: readonly APIApplicationCommandInteractionDataOption[] | undefined;
}

export function readCommand({ name, options = [] }: FilledIn): Said {
  const { path, values } = flattened(options);
  if (name === ALL && path[0] === ASK) return { kind: "ask", text: values.get(TEXT) ?? "" };
  const first = MENU[name] ?? (name === ALL ? "" : name);
  const text = [first, ...path, values.get(WORDS) ?? ""].filter((word) => word !== "").join(" ");
  return { kind: "command", text: text || "help" };
}

const MOST_CHOICES = 25;
const CHOICE_CHARS = 100;

/** What could be meant by what somebody is typing. */
export function completions(
  { name, options = [] }: FilledIn,
  help: readonly CommandHelp[],
): { readonly name: string; readonly value: string }[] {
  const { path, values } = flattened(options);
  const said = [name === ALL ? "" : name, ...path].filter((word) => word !== "").join(" ");
  const typed = (values.get(WORDS) ?? "").toLowerCase();
  const choices = new Map<string, string>();
  for (const { usage, summary } of help) {
    if (!usage.startsWith(`${said} `)) continue;
    const rest = usage.slice(said.length + 1);
    const value = rest.replace(/[<[].*$/s, "").trim();
    if (value === "" || !value.toLowerCase().startsWith(typed) || choices.has(value)) continue;
    choices.set(value, `${rest}: ${summary}`.slice(0, CHOICE_CHARS));
  }
  return [...choices].slice(0, MOST_CHOICES).map(([value, shown]) => ({ name: shown, value }));
}

function flattened(options: readonly APIApplicationCommandInteractionDataOption[]): {
  readonly path: readonly string[];
  readonly values: ReadonlyMap<string, string>;
} {
  const [first] = options;
  if (first && "options" in first && first.options) {
    const { path, values } = flattened(first.options);
    return { path: [first.name, ...path], values };
  }
  if (first?.type === ApplicationCommandOptionType.Subcommand)
    return { path: [first.name], values: new Map() };
  const given = options.flatMap((option) =>
    "value" in option ? [[option.name, String(option.value)] as const] : [],
  );
  return { path: [], values: new Map(given) };
}
