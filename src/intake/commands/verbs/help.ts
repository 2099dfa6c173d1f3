import type { CommandDeps } from "../deps.ts";
import { Refusal, saying, type Verb } from "../verb.ts";

const DIRECT = [
  "**Commands of your own**, without asking a model:",
  "- `$ npm test` runs in this thread's terminal; a block of code after the `$` works, too",
  '- `file_operations.read_file filePath=notes.md` calls an operation: `key=value`, `key="some words"`, `key=@"two\\nlines"`, `key=[1, 2]`, or one JSON object',
  "- `queue <text…>` keeps a request for a turn of its own, after the one that runs",
].join("\n");

/** Everything that can be said here, from the definitions themselves. */
export function helpVerb(verbs: () => readonly Verb[]): Verb {
  return {
    name: "help",
    forms: [
      {
        usage: "help [topic]",
        summary: "what can be said here; about a verb, a tool or an operation",
        takes: { topic: /^[\w.-]{1,200}$/ },
        act: "talk",
        run: async (deps, _asked, { topic }) =>
          saying(topic === undefined ? overview(deps, verbs()) : about(deps, verbs(), topic)),
      },
    ],
  };
}

function overview({ tools, model }: CommandDeps, verbs: readonly Verb[]): string {
  const mode = model
    ? "Say what you want done, or use one of these."
    : "There is no model here, so I do what you command, and only that.";
  const lines = verbs.map(({ name, forms: [first] }) => `- \`${name}\`: ${first.summary}`);
  return [
    mode,
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
  if (found === undefined) throw new Refusal(`There is nothing called ${topic}. Say \`help\`.`);
  return `\`\`\`\n${found}\n\`\`\``;
}

function listed(text: string): string {
  return text
    .split("\n")
    .map((line) => `- ${line}`)
    .join("\n");
}
