import { problemsInLabel } from "../../own-words.ts";
import type { SlackCall, SlackMethod } from "../call.ts";
import { isFields, SlackRefusedError } from "../values.ts";
import { refuseWords } from "../words-check.ts";

const STATUS_MS = 120_000;
const LOADING_MESSAGES = 10;
const PROMPTS = 4;

/** docs.slack.dev/reference/methods/assistant.threads.setStatus and its like */
export const assistant: Readonly<Record<string, SlackMethod>> = {
  "assistant.threads.setStatus": { scopes: [], tier: "special", run: setStatus },
  "assistant.threads.setTitle": { scopes: ["assistant:write"], tier: "t4", run: setTitle },
  "assistant.threads.setSuggestedPrompts": {
    scopes: ["assistant:write"],
    tier: "t4",
    run: setPrompts,
  },
};

function setStatus(call: SlackCall) {
  call.needScope("chat:write", "assistant:write");
  const key = threadKey(call);
  if (call.args.status === undefined) call.require("status");
  const loading = call.list("loading_messages", "invalid_arguments") ?? [];
  if (loading.length > LOADING_MESSAGES) throw new SlackRefusedError("invalid_arguments");
  refuseWords([call.text("status") ?? "", ...loading.map(String)].flatMap(problemsInLabel));
  const { statuses, clock } = call.slack.world;
  const text = call.text("status");
  if (text === undefined) statuses.delete(key);
  else
    statuses.set(key, { text, untilMs: clock.nowMs() + STATUS_MS, loading: loading.map(String) });
  return {};
}

function setTitle(call: SlackCall) {
  const key = threadKey(call);
  call.require("title");
  call.slack.world.titles.set(key, call.text("title") ?? "");
  return {};
}

function setPrompts(call: SlackCall) {
  const key = threadKey(call);
  const prompts = call.list("prompts", "invalid_arguments") ?? [];
  const areWhole = prompts.every((one) => isFields(one) && one.title && one.message);
  if (prompts.length === 0 || prompts.length > PROMPTS || !areWhole)
    throw new SlackRefusedError("invalid_arguments");
  call.slack.world.prompts.set(key, prompts.filter(isFields));
  return {};
}

function threadKey(call: SlackCall): string {
  const channel = call.channel("channel_id");
  if (!channel.members.has(call.bot)) throw new SlackRefusedError("channel_not_found");
  const root = call.threadRoot(channel, "invalid_thread_ts");
  if (root === undefined) throw new SlackRefusedError("invalid_thread_ts");
  return `${channel.id}:${root}`;
}
