import { count } from "../../../contract/display.ts";
import { actorKey } from "../../../contract/platform/actor.ts";
import { localTime } from "../../../lib/text/times.ts";
import { plainLine } from "../../../lib/text/write-markdown.ts";
import { brief } from "../brief.ts";
import type { CommandDeps } from "../deps.ts";
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

export const auth: Verb = {
  name: "auth",
  forms: [
    {
      usage: "auth",
      summary: "permissions granted in this thread",
      act: "readThread",
      run: list,
    },
    { usage: "auth list", summary: "the same", act: "readThread", run: list },
    {
      usage: "auth revoke <operation>",
      summary: "revoke the permissions of one operation, or `all`",
      takes: { operation: /^[\w.-]{1,200}$/ },
      act: "command",
      run: revoke,
    },
    {
      usage: "auth auto on [minutes]",
      summary: "approve everything except phrase calls for a while",
      takes: { minutes: /^[1-9]\d{0,4}$/ },
      act: "autoApprove",
      run: async (deps, { conversation, actor, place }, { minutes }) => {
        const by = actorKey(actor);
        const name = (await namesIn(deps, conversation, [by]))(by);
        return announced(
          await deps.autoApprove.turnOn(
            conversation,
            { actor, place, name },
            ...(minutes === undefined ? [] : [Number(minutes) * 60]),
          ),
          "warning",
        );
      },
    },
    {
      usage: "auth auto off",
      summary: "turn auto-approve off",
      act: "command",
      run: async ({ autoApprove }, { conversation, actor, place }) =>
        announced(await autoApprove.turnOff(conversation, { actor, place }), "info"),
    },
  ],
};

async function list(deps: CommandDeps, { conversation }: Asked): Promise<Answer> {
  const { grants, autoApprove } = deps;
  const active = await grants.list(conversation);
  const auto = `Auto-approve is ${(await autoApprove.isOn(conversation)) ? "**on**" : "off"}.`;
  const approved = active.flatMap(({ approvers }) => approvers);
  const nameOf = await namesIn(deps, conversation, approved);
  const lines = active.map(({ operation, shown, approvers, secondsLeft, oneTime }) => {
    const until = localTime(
      new Date(deps.now().getTime() + secondsLeft * 1000).toISOString(),
      deps.now(),
    );
    const length = oneTime ? "once, until" : "until";
    const what = shown === "" ? "" : ` (${brief(deps, shown, 100)})`;
    return `- \`${operation}\`${what} ${length} ${until}, approved by ${approvers.map(nameOf).map(plainLine).join(" and ")}`;
  });
  const text = lines.length === 0 ? "No permissions are active in this thread." : lines.join("\n");
  const revokeAll = lines.length === 0 ? [] : [button("Revoke all", ["auth", "revoke", "all"])];
  return saying(`${text}\n\n${auto}`, ...revokeAll);
}

async function revoke(
  deps: CommandDeps,
  { conversation, actor }: Asked,
  { operation = "all" }: Readonly<Record<string, string>>,
): Promise<Answer> {
  const by = actorKey(actor);
  const number = await deps.grants.revoke(conversation, {
    by,
    ...(operation === "all" ? {} : { operation }),
  });
  if (number === 0)
    throw new CommandRefusedError("There is no such permission. `auth` lists the active ones.");
  return {
    announced: [
      notice(
        `${count(number, "permission")} revoked by ${plainLine((await namesIn(deps, conversation, [by]))(by))}.`,
      ),
    ],
  };
}

/** What changes who is asked is for everybody to see. */
function announced(
  set: Awaited<ReturnType<CommandDeps["autoApprove"]["turnOn"]>>,
  level: "warning" | "info",
): Answer {
  if (set.outcome === "refused") throw new CommandRefusedError(set.reason);
  return { announced: [notice(set.announcement, { level })] };
}
