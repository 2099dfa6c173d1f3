import type { CommandDeps } from "../deps.ts";
import { CommandRefusedError, saying, type Verb } from "../verb.ts";

const DIRECT = [
  "**Commands of your own**, without asking a model:",
  "- `$ npm test` runs in this thread's terminal; a block of code after the `$` works, too",
  '- `file_operations.read_file filePath=notes.md` calls an operation: `key=value`, `key="some words"`, `key=@"two\\nlines"`, `key=[1, 2]`, or one JSON object',
  "- `queue <text…>` keeps a request for a turn of its own, after the one that runs",
].join("\n");

/** What people need first, within a screen; `help all` is made from the definitions themselves. */
export function helpVerb(verbs: () => readonly Verb[]): Verb {
  return {
    name: "help",
    forms: [
      {
        usage: "help [topic]",
        summary:
          "the basics; `help all` lists everything, `help <topic>` explains a verb, a tool or an operation",
        takes: { topic: /^[\w.-]{1,200}$/ },
        act: "talk",
        needsThread: false,
        run: async (deps, _asked, { topic }) => ({
          ...saying(helpText(deps, verbs(), topic)),
          isPrivate: true,
        }),
      },
    ],
  };
}

function helpText(deps: CommandDeps, verbs: readonly Verb[], topic: string | undefined): string {
  if (topic === undefined) return basics(deps);
  return topic.toLowerCase() === "all" ? everything(deps, verbs) : about(deps, verbs, topic);
}

function basics({ model }: CommandDeps): string {
  const first = model
    ? "Tell me what you want done, in plain words. I work in this thread's own workspace and ask before anything risky."
    : "No model is configured, so I only run explicit commands, in this thread's own workspace.";
  return [
    first,
    "- `$ npm test` runs a command in the terminal",
    "- `status`: what is going on · `stop`: end it",
    "- `todos`, `terminal`, `files`: look at the work",
    "- `diff`: what changed · `undo`: take it back",
    "- `approvals`: what waits for a decision",
    "- `queue <text…>`: a request for after the current one",
    "- `tour`: a short demonstration",
    // Without an empty line Markdown takes it for a part of the last point.
    "\n`help all` lists everything else, `help terminal` explains one command.",
  ].join("\n");
}

function everything({ tools }: CommandDeps, verbs: readonly Verb[]): string {
  const lines = verbs.map(({ name, forms: [first] }) => `- \`${name}\`: ${first.summary}`);
  return [
    `**Verbs** (\`/\` or \`!\` before them is fine; \`help <verb>\` tells more):\n${lines.join("\n")}`,
    DIRECT,
    `**Tools** (\`help <tool>\` tells more):\n${listed(tools.help() ?? "")}`,
  ].join("\n\n");
}

function about({ tools }: CommandDeps, verbs: readonly Verb[], topic: string): string {
  const verb = verbs.find(({ name }) => name === topic.toLowerCase());
  if (verb) {
    return verb.forms.map(({ usage, summary }) => `- \`${usage}\`: ${summary}`).join("\n");
  }
  const found = tools.help(topic);
  if (found === undefined)
    throw new CommandRefusedError(`There is no help for ${topic}. \`help all\` lists everything.`);
  return `\`\`\`\n${found}\n\`\`\``;
}

function listed(text: string): string {
  return text
    .split("\n")
    .map((line) => `- ${line.replace(/^[\w.-]+(?=:)/, "`$&`")}`)
    .join("\n");
}
