import { actorKey } from "../../../contract/platform/actor.ts";
import { plainLine } from "../../../lib/text/write-markdown.ts";
import type { CommandDeps } from "../deps.ts";
import {
  type Answer,
  type Asked,
  button,
  CommandRefusedError,
  notice,
  saying,
  type Verb,
} from "../verb.ts";

type Summary = ReturnType<CommandDeps["servers"]["list"]>[number];
const NAME = /^[A-Za-z0-9_-]{1,32}$/;

export const mcp: Verb = {
  name: "mcp",
  forms: [
    {
      usage: "mcp",
      summary: "external MCP servers, their state and their tools",
      act: "talk",
      needsThread: false,
      run: async ({ servers }) => saying(listed(servers)),
    },
    {
      usage: "mcp status",
      summary: "the same",
      act: "talk",
      needsThread: false,
      run: async ({ servers }) => saying(listed(servers)),
    },
    {
      usage: "mcp show <server>",
      summary: "one server with its tools, and what waits for an approval",
      takes: { server: NAME },
      act: "talk",
      needsThread: false,
      run: async ({ servers }, _, { server = "" }) => show(summaryOf(servers, server)),
    },
    {
      usage: "mcp reload <server>",
      summary: "read a server's entry again and restart it",
      takes: { server: NAME },
      act: "admin",
      run: reload,
    },
    {
      usage: "mcp approve <server> <changes>",
      summary: "accept the changed tools of a server, as `mcp show` shows them",
      takes: { server: NAME, changes: /^[0-9a-f]{8}$/ },
      act: "admin",
      run: approve,
    },
  ],
};

function listed(servers: CommandDeps["servers"]): string {
  const lines = servers.list().map(lineOf);
  const problems = servers.problems.map((problem) => `- ${plainLine(problem)}`);
  if (lines.length + problems.length === 0) return "No MCP servers are configured.";
  return [...lines, ...problems, "`mcp show <server>` tells more of each."].join("\n");
}

function lineOf({ name, state, runs, tools, restarts, quarantined, lastError }: Summary): string {
  const parts = [
    `${state} (${PLACES[runs]})`,
    `${tools.length} tools`,
    ...(restarts > 0 ? [`${restarts} restarts`] : []),
    ...(quarantined.length > 0
      ? [`**${quarantined.length} changed tools wait for an owner**`]
      : []),
    ...(lastError === undefined ? [] : [`last error: ${plainLine(lastError)}`]),
  ];
  return `- \`${name}\`: ${parts.join(", ")}`;
}

const PLACES = {
  container: "in a container",
  host: "on the bot's machine",
  remote: "remote",
} as const;

function show(summary: Summary): Answer {
  const { name, tools, problems, quarantined, changes } = summary;
  const lines = [
    lineOf(summary),
    ...(tools.length > 0 ? [`Tools: ${tools.map((tool) => `\`${tool}\``).join(", ")}`] : []),
    ...problems.map((problem) => `- ${plainLine(problem)}`),
    ...quarantined.flatMap(differenceOf),
  ];
  if (changes === undefined) return saying(lines.join("\n"));
  lines.push(`An owner can accept this with \`mcp approve ${name} ${changes}\`.`);
  return saying(lines.join("\n"), button("Accept", ["mcp", "approve", name, changes]));
}

function differenceOf({ name, before, after }: Summary["quarantined"][number]): string[] {
  if (!before) return [`New tool \`${name}\`: ${asText(after)}`];
  return [`Changed tool \`${name}\``, `was: ${asText(before)}`, `is: ${asText(after)}`];
}

/** Whole: what cannot be seen cannot be accepted. */
function asText(tool: object): string {
  return plainLine(JSON.stringify(tool));
}

async function reload(
  { servers, audit }: CommandDeps,
  { conversation, actor }: Asked,
  { server = "" }: Readonly<Record<string, string>>,
): Promise<Answer> {
  const by = actorKey(actor);
  await audit.record({
    kind: "setting.changed",
    actor: by,
    conversation,
    setting: "mcp.reload",
    to: server,
  });
  const summary = await servers.reload(server);
  if (!summary)
    throw new CommandRefusedError(`No MCP server ${server} is configured. \`mcp\` lists them.`);
  return saying(lineOf(summary));
}

async function approve(
  { servers, audit }: CommandDeps,
  { conversation, actor }: Asked,
  { server = "", changes = "" }: Readonly<Record<string, string>>,
): Promise<Answer> {
  const { quarantined } = summaryOf(servers, server);
  await audit.record({
    kind: "setting.changed",
    actor: actorKey(actor),
    conversation,
    setting: `mcp.approve ${server}`,
    to: { changes, tools: quarantined.map(({ name }) => name) },
  });
  if (!(await servers.approve(server, changes))) {
    throw new CommandRefusedError(
      `The tools of ${server} are not those that were shown. Look at them again with \`mcp show ${server}\`.`,
    );
  }
  return { announced: [notice(`The changed tools of the MCP server ${server} are accepted.`)] };
}

function summaryOf(servers: CommandDeps["servers"], name: string): Summary {
  const found = servers.list().find((one) => one.name === name);
  if (!found) throw new CommandRefusedError(`There is no MCP server ${name}. \`mcp\` lists them.`);
  return found;
}
