import type { SlackCall, SlackMethod } from "../call.ts";
import { lengthOf, SlackRefusedError } from "../values.ts";
import type { SlackChannel } from "../world.ts";

const STATUSES = ["active", "processing", "suspended", "closed"];
const TITLE_CHARS = 200;

/** docs.slack.dev/ai/agent-sessions */
export const sessions: Readonly<Record<string, SlackMethod>> = {
  "agents.sessions.setStatus": { scopes: ["chat:write"], tier: "t3", run: setStatus },
  "agents.sessions.rename": { scopes: ["chat:write"], tier: "t3", run: rename },
};

function setStatus(call: SlackCall) {
  call.require("status", "channel_id", "thread_ts");
  const channel = call.joinedChannel("channel_id");
  const root = rootOf(call, channel);
  const initiator = call.text("initiator_user_id");
  if (initiator !== undefined && !channel.members.has(initiator))
    throw new SlackRefusedError("user_not_in_channel");
  const title = call.text("title") ?? "";
  if (lengthOf(title) > TITLE_CHARS) throw new SlackRefusedError("invalid_arguments");
  const session = setSessionStatus(call, channel, root, call.text("status") ?? "", title);
  const isStoppable = call.slack.app.events.has("agent_session_stopped");
  return {
    status: session.status,
    agent_status: session.status,
    title: session.title,
    ...(!isStoppable && { warning: "missing_agent_session_stopped_event_subscription" }),
  };
}

function rename(call: SlackCall) {
  call.require("title", "channel_id", "thread_ts");
  const channel = call.joinedChannel("channel_id");
  const session = call.slack.world.sessions.get(`${channel.id}:${rootOf(call, channel)}`);
  if (!session) throw new SlackRefusedError("session_not_found");
  const title = call.text("title") ?? "";
  if (lengthOf(title) > TITLE_CHARS) throw new SlackRefusedError("invalid_arguments");
  session.title = title;
  return { title };
}

/** Only agents have sessions. Of one that exists the title stays. */
export function setSessionStatus(
  call: SlackCall,
  channel: SlackChannel,
  root: string,
  status: string,
  title = "",
) {
  if (!call.slack.app.isAgent) throw new SlackRefusedError("not_allowed");
  if (!STATUSES.includes(status)) throw new SlackRefusedError("invalid_arguments");
  const { sessions: known } = call.slack.world;
  const session = known.get(`${channel.id}:${root}`) ?? { status, title };
  session.status = status;
  known.set(`${channel.id}:${root}`, session);
  return session;
}

function rootOf(call: SlackCall, channel: SlackChannel): string {
  return call.threadRoot(channel, "invalid_thread_ts") ?? "";
}
