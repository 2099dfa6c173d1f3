import { saying, type Verb } from "../verb.ts";
import { settingLines } from "./settings.ts";

export const tools: Verb = {
  name: "tools",
  forms: [
    {
      usage: "tools",
      summary: "what the agent can use, and you with it",
      act: "talk",
      run: async (deps) => saying(listed(deps.tools.help() ?? "")),
    },
    {
      usage: "tools list",
      summary: "the same",
      act: "talk",
      run: async (deps) => saying(listed(deps.tools.help() ?? "")),
    },
    {
      usage: "tools settings",
      summary: "what this thread's settings permit them",
      act: "readThread",
      run: async (deps, { conversation }) => saying(await settingLines(deps, conversation)),
    },
  ],
};

const listed = (text: string) =>
  `${text.replace(/^/gm, "- ")}\n\`help <tool>\` tells more of each.`;
