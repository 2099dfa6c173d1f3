import { count } from "../../../contract/display.ts";
import type { Approval } from "../../../contract/permission/approval.ts";
import { OPEN_HOST } from "../../../contract/permission/hosts.ts";
import { actorKey } from "../../../contract/platform/actor.ts";
import { showApproval } from "../../../conversation/shown/waits.ts";
import { resultOfCall } from "../../../journal/call-result.ts";
import { sizeInWords } from "../../../lib/text/sizes.ts";
import { localTime } from "../../../lib/text/times.ts";
import { codeBlock, codeSpan, plainLine } from "../../../lib/text/write-markdown.ts";
import type { CommandDeps, NetworkDesk } from "../deps.ts";
import { namesIn } from "../names.ts";
import {
  type Answer,
  type Asked,
  button,
  CommandRefusedError,
  notice,
  saying,
  type Verb,
} from "../verb.ts";

const MOST_LINES = 15;
const TAIL_CHARS = 600;

export const net: Verb = {
  name: "net",
  forms: [
    {
      usage: "net",
      summary: "hosts that this thread may connect to, and what it has used",
      act: "readThread",
      run: show,
    },
    { usage: "net show", summary: "the same", act: "readThread", run: show },
    {
      usage: "net allow <hosts> [minutes]",
      summary:
        "open hosts for this thread, until revoked or for some minutes: `net allow example.com`, `net allow npm 60`",
      takes: { minutes: /^[1-9]\d{0,4}$/ },
      act: "command",
      run: allow,
    },
    {
      usage: "net deny <hosts>",
      summary: "refuse hosts in this thread without asking again",
      act: "command",
      run: deny,
    },
    {
      usage: "net revoke <hosts>",
      summary: "take back what was allowed or denied here for a host, or `all`",
      act: "command",
      run: revoke,
    },
    {
      usage: "net rerun <approval>",
      summary: "run the command again that wanted a host, once the host is open",
      takes: { approval: /^[\w-]{1,64}$/ },
      act: "command",
      run: rerun,
    },
  ],
};

function deskOf({ network }: CommandDeps): NetworkDesk {
  if (!network) throw new CommandRefusedError("Workspaces of this bot have no network.");
  return network;
}

async function show(deps: CommandDeps, { conversation }: Asked): Promise<Answer> {
  const desk = deskOf(deps);
  const { opened, denied, lists } = await desk.rules(conversation);
  const usage = await desk.usage(conversation);
  const refusals = desk.refusals(conversation);
  const nameOf = await namesIn(
    deps,
    conversation,
    opened.flatMap(({ approvers }) => approvers),
  );
  const openLines = opened.map(({ entry, until, approvers, isOnce }) => {
    const end = until === undefined ? "until revoked" : `until ${localTime(until, deps.now())}`;
    const people = approvers.map(nameOf).map(plainLine).join(" and ");
    return `- ${codeSpan(entry)} ${isOnce ? "for one call, " : ""}${end}, approved by ${people}`;
  });
  const listLines = lists.flatMap(({ name, allow, deny: denying }) => [
    ...(allow.length > 0 ? [`- ${name} allows ${someOf(allow)}`] : []),
    ...(denying.length > 0 ? [`- ${name} denies ${someOf(denying)}`] : []),
  ]);
  const up = usage.reduce((sum, { bytesUp }) => sum + bytesUp, 0);
  const down = usage.reduce((sum, { bytesDown }) => sum + bytesDown, 0);
  const usageLines = usage.map(
    ({ host, port, connections, bytesUp, bytesDown }) =>
      `- ${codeSpan(`${host}:${port}`)}: ${count(connections, "connection")}, ${sizeInWords(bytesUp)} sent, ${sizeInWords(bytesDown)} received`,
  );
  const refused = new Map<string, number>();
  for (const { host, port, count: times } of refusals)
    refused.set(`${host}:${port}`, (refused.get(`${host}:${port}`) ?? 0) + times);
  const refusedLines = [...refused].map(([host, times]) => `- ${codeSpan(host)}: ${times}`);
  const sections = [
    section(
      "Open in this thread",
      openLines,
      "No host is open here. A command that needs one asks.",
    ),
    section(
      "Denied in this thread",
      denied.map((entry) => `- ${codeSpan(entry)}`),
    ),
    section("Set by the operator", listLines),
    section(
      `Used, ${sizeInWords(up)} sent and ${sizeInWords(down)} received of ${sizeInWords(desk.limits.bytes)}`,
      usageLines,
    ),
    section("Refused connections", refusedLines),
  ].filter((text) => text !== "");
  const own = [...new Set([...opened.map(({ entry }) => entry), ...denied])];
  const buttons = [
    ...(own.length > 0 ? [button("Revoke all", ["net", "revoke", "all"])] : []),
    button("Refresh", ["net"]),
  ];
  return saying(sections.join("\n\n"), ...buttons);
}

function section(title: string, lines: readonly string[], otherwise = ""): string {
  if (lines.length === 0) return otherwise;
  const more = lines.length - MOST_LINES;
  const shown = lines.slice(0, MOST_LINES);
  return [`**${title}**`, ...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
}

function someOf(entries: readonly string[]): string {
  const shown = entries.slice(0, 8).map((entry) => codeSpan(entry));
  return [...shown, ...(entries.length > 8 ? [`${entries.length - 8} more`] : [])].join(", ");
}

async function allow(
  deps: CommandDeps,
  asked: Asked,
  { hosts: text = "", minutes }: Readonly<Record<string, string>>,
): Promise<Answer> {
  const { hosts, by, desk } = permitted(deps, asked, text);
  await desk.allow(asked.conversation, {
    hosts,
    by,
    ...(minutes === undefined ? {} : { minutes: Number(minutes) }),
  });
  const lasts = minutes === undefined ? "until it is revoked" : `for ${minutes} min`;
  const who = await nameOfAsker(deps, asked);
  const words = `${someOf(hosts)} opened for this thread ${lasts} by ${who}. ${EVERY_PROCESS}`;
  return { announced: [notice(words, { level: "warning" })] };
}

const EVERY_PROCESS =
  "Every process in the workspace can use an open host, also those that run already.";

async function deny(
  deps: CommandDeps,
  asked: Asked,
  { hosts: text = "" }: Readonly<Record<string, string>>,
): Promise<Answer> {
  const { hosts, by, desk } = permitted(deps, asked, text);
  await desk.deny(asked.conversation, { hosts, by });
  const who = await nameOfAsker(deps, asked);
  return {
    announced: [
      notice(`${someOf(hosts)} denied in this thread by ${who}. Open connections were ended.`),
    ],
  };
}

async function revoke(
  deps: CommandDeps,
  asked: Asked,
  { hosts: text = "" }: Readonly<Record<string, string>>,
): Promise<Answer> {
  const isAll = text.trim().toLowerCase() === "all";
  const { hosts, by, desk } = permitted(deps, asked, isAll ? "" : text);
  const gone = await desk.revoke(asked.conversation, { by, ...(isAll ? {} : { hosts }) });
  if (gone.length === 0)
    throw new CommandRefusedError(
      "Nothing was allowed or denied here for that host. `net` lists what was.",
    );
  const who = await nameOfAsker(deps, asked);
  return {
    announced: [
      notice(`Permissions for ${someOf(gone)} revoked by ${who}. Open connections were ended.`),
    ],
  };
}

/** Only those who may approve such a card may say so without one. Throws for everyone else. */
function permitted(deps: CommandDeps, { actor, place }: Asked, text: string) {
  const desk = deskOf(deps);
  const by = actorKey(actor);
  const act = {
    kind: "approve" as const,
    risk: "click" as const,
    operation: OPEN_HOST,
    requester: by,
  };
  const may = deps.authorize(actor, act, place);
  if (!may.allowed) throw new CommandRefusedError(may.reason);
  return { hosts: [...new Set(desk.readEntries(text))], by, desk };
}

async function nameOfAsker(deps: CommandDeps, { conversation, actor }: Asked): Promise<string> {
  const by = actorKey(actor);
  return plainLine((await namesIn(deps, conversation, [by]))(by));
}

/** The command runs once more, as a call of whoever clicked. */
async function rerun(
  deps: CommandDeps,
  asked: Asked,
  { approval: id = "" }: Readonly<Record<string, string>>,
): Promise<Answer> {
  const { conversation, actor, event } = asked;
  const approval = await deps.approvals.find(conversation, id);
  const origin = approval?.origin;
  if (!approval || !origin)
    throw new CommandRefusedError("There is no command to run again on this card.");
  const first = await firstAttempt(deps, conversation, origin.callId);
  if (first === "running")
    throw new CommandRefusedError(
      "The first attempt is still running. Wait for its end, or stop it.",
    );
  const by = actorKey(actor);
  if (!(await deskOf(deps).rerun(conversation, { approval: id, by, event })))
    throw new CommandRefusedError("This command was already run again.");
  // Its button has done what it was for.
  const { open, last } = await deps.journal.read(conversation);
  const done = (await deps.approvals.find(conversation, id)) ?? approval;
  showApproval({ reply: { show: deps.show.view } }, conversation, done, open ?? last?.turn);
  return {
    announced: [notice(attemptText(approval, first))],
    calls: [{ name: origin.name, arguments: origin.arguments }],
  };
}

interface Attempt {
  readonly success: boolean;
  readonly text: string;
}

/** How the call ended that wanted the host; undefined where the journal does not say any more. */
async function firstAttempt(
  { journal }: CommandDeps,
  conversation: string,
  callId: string,
): Promise<Attempt | "running" | undefined> {
  const { open } = await journal.read(conversation);
  if (open?.calls.some((call) => call.callId === callId && call.started && !call.result))
    return "running";
  const { result } = await journal.fold(conversation, resultOfCall(callId));
  if (!result) return undefined;
  const printed = result.output.additionalData.output;
  const text = typeof printed === "string" ? printed : result.output.content;
  return { success: result.success, text };
}

function attemptText({ opens = [] }: Approval, first: Attempt | undefined): string {
  const hosts = someOf(opens);
  const done =
    "Everything that it did before it was refused has happened, and happens again now if the command does it again.";
  if (!first) return `Running the command again with ${hosts}. ${done}`;
  const tail = first.text.trim().slice(-TAIL_CHARS);
  const printed = tail === "" ? "It printed nothing." : `It ended with:\n${codeBlock(tail)}`;
  return `Running the command again with ${hosts}. The first attempt ${first.success ? "ended" : "failed"}. ${done} ${printed}`;
}
