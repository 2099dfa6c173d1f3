import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandInteractionDataOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  InteractionContextType,
  type RESTPutAPIApplicationCommandsJSONBody,
} from "discord.js";
import type { CommandHelp } from "../../../src/contract/platform/platform.ts";

type Descriptions = Readonly<Record<string, string>>;

/** The verbs that people use every day, each with what it does. */
const VERBS: Descriptions = {
  help: "What can be said here",
  tour: "What the bot can do, step by step",
  status: "What is going on in this thread",
  todos: "The list of what is to be done",
  terminal: "The terminal of this thread",
  files: "What is in the workspace",
  diff: "What has changed",
  undo: "Take back the last changes",
  stop: "Stop what is going on",
  approvals: "What waits for people",
};

/** The others, in groups: Discord takes 25 words at each place. */
const GROUPS: Readonly<Record<string, { readonly about: string; readonly verbs: Descriptions }>> = {
  permissions: {
    about: "Who may do what, and who did",
    verbs: {
      auth: "The permissions that hold here",
      audit: "What was done, by whom and by whose leave",
      net: "The hosts that this thread may reach",
    },
  },
  agent: {
    about: "The agent and what it knows",
    verbs: {
      model: "Which model answers",
      prompt: "Who the agent is told to be",
      mini: "Standing requests to the agent",
      tools: "The agent's tools",
      subagents: "The agent's helpers",
      memory: "What is remembered here",
    },
  },
  thread: {
    about: "This thread and its workspace",
    verbs: {
      topic: "The topic of this thread",
      history: "What was archived of this thread",
      settings: "The settings of this thread",
      shell: "Which shell this thread's terminals use",
      cost: "What this thread has used so far",
      keep: "Keep the workspace even when no one uses it",
      reset: "Begin anew",
    },
  },
};

const TERMINAL: Descriptions = {
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
const MENU: Descriptions = {
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
        ...subcommands(VERBS),
        ...Object.entries(GROUPS).map(([name, { about, verbs }]) => ({
          type: ApplicationCommandOptionType.SubcommandGroup as const,
          name,
          description: about,
          options: subcommands(verbs),
        })),
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
      options: subcommands(TERMINAL),
    },
    ...[ASK_ABOUT, ...Object.keys(MENU)].map((name) => ({
      type: ApplicationCommandType.Message as const,
      name,
      contexts,
    })),
  ];
}

function subcommands(described: Descriptions) {
  return Object.entries(described).map(([name, description]) => ({
    type: ApplicationCommandOptionType.Subcommand as const,
    name,
    description,
    options: [wordsOption()],
  }));
}

/**
 * How people type a verb: `deckhand agent model`.
 * @internal for tests
 */
export function typedCommand(verb: string): string {
  const group = Object.entries(GROUPS).find(([, { verbs }]) => verb in verbs);
  return [ALL, ...(group ? [group[0]] : []), verb].join(" ");
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
    // A group is no word of the verb. Apps that know the commands from before send the verb without one.
    const isGroup = first.type === ApplicationCommandOptionType.SubcommandGroup;
    return { path: isGroup ? path : [first.name, ...path], values };
  }
  if (first?.type === ApplicationCommandOptionType.Subcommand)
    return { path: [first.name], values: new Map() };
  const given = options.flatMap((option) =>
    "value" in option ? [[option.name, String(option.value)] as const] : [],
  );
  return { path: [], values: new Map(given) };
}
