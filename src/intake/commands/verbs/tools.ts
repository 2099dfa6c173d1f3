import { plainLine } from "../../../lib/text/write-markdown.ts";
import type { CommandDeps } from "../deps.ts";
import { saying, type Verb } from "../verb.ts";
import { settingLines } from "./settings.ts";

export const tools: Verb = {
  name: "tools",
  forms: [
    {
      usage: "tools",
      summary: "tools of the agent, which you can use as well",
      act: "talk",
      needsThread: false,
      run: async (deps) => saying(listed(deps.tools.help() ?? "")),
    },
    {
      usage: "tools list",
      summary: "the same",
      act: "talk",
      needsThread: false,
      run: async (deps) => saying(listed(deps.tools.help() ?? "")),
    },
    {
      usage: "tools search <words…>",
      summary: "search the tools",
      act: "talk",
      run: async (deps, _, { words = "" }) => saying(found(deps.tools.search(words))),
    },
    {
      usage: "tools settings",
      summary: "tools that this thread allows",
      act: "readThread",
      run: async (deps, { conversation }) => saying(await settingLines(deps, conversation)),
    },
  ],
};

function found(operations: ReturnType<CommandDeps["tools"]["search"]>): string {
  if (operations.length === 0) return "No tool matches. `tools` lists them all.";
  const lines = operations.map(({ key, summary }) => `- \`${key}\`: ${plainLine(summary)}`);
  return `${lines.join("\n")}\n\n\`help <operation>\` tells more of each.`;
}

const listed = (text: string) =>
  `${text.replace(/^[\w.-]+(?=:)/gm, "- `$&`")}\n\n\`help <tool>\` tells more of each.`;
