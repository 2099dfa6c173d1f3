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
  help: "Show the commands that people use most",
  tour: "Give a short demonstration; its calls really run",
  status: "Show what is running and waiting in this thread",
  todos: "Show the todo list",
  terminal: "Show the terminal: commands and their output",
  files: "List the files of the workspace",
  diff: "Show what the last turn changed",
  undo: "Undo the last turn's changes; shows them first, and asks",
  stop: "Stop the current turn and everything that runs for it",
  approvals: "List open approvals and questions",
};

/** The others, in groups: Discord takes 25 words at each place. */
const GROUPS: Readonly<Record<string, { readonly about: string; readonly verbs: Descriptions }>> = {
  permissions: {
    about: "Permissions and the audit",
    verbs: {
      auth: "List the permissions granted in this thread",
      audit: "List the last calls and decisions, with the people behind them",
      net: "List the hosts that this thread may connect to",
    },
  },
  agent: {
    about: "The agent, its model, tools and memory",
    verbs: {
      model: "Show the model in use, and whether it answers",
      prompt: "Show or choose the agent's system prompt",
      mini: "Manage standing requests to the agent",
      tools: "List the agent's tools, which you can use as well",
      mcp: "List the external MCP servers and their state",
      subagents: "List subagents and their progress",
      memory: "Show what the agent remembers here",
    },
  },
  thread: {
    about: "This thread and its workspace",
    verbs: {
      topic: "Show, join or leave a topic that shares its memory",
      history: "Show the archived parts of this thread",
      settings: "Show or change the settings of this thread",
      shell: "Show or choose the shell of this thread's terminals",
      cost: "Show the tokens and dollars that this thread has used",
      keep: "Keep the workspace even when no one uses it",
      reset: "Remove the workspace and its files; asks first",
    },
  },
};

const TERMINAL: Descriptions = {
  history: "Show all commands and their output",
  tail: "Show the last lines",
  send: "Type a line into a program that waits for input",
  resize: "Set the size, for example 40 120",
  kill: "Kill everything that runs in the workspace",
  close: "Close the terminal and what runs in it",
  select: "Show lines of the history to the agent, for example 10-20",
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
              description: "Your question or request",
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
    description: "Arguments of the command",
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
