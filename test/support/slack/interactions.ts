import type { SlackButton } from "./screen.ts";
import type { SlackServices } from "./services.ts";
import type { Fields } from "./values.ts";
import { viewOnWire } from "./wire-forms.ts";
import type { SlackChannel, SlackMessage, SlackUser, SlackView } from "./world.ts";

/** What Slack tells the app about what a person did: docs.slack.dev/reference/interaction-payloads */
export function clickPayload(
  slack: SlackServices,
  user: SlackUser,
  button: SlackButton,
  where: { readonly message: SlackMessage } | { readonly view: SlackView },
): Fields {
  const common = {
    ...commonFields(slack, user),
    type: "block_actions",
    trigger_id: slack.triggers.issue(user.id),
  };
  const actions = [actionOf(slack, button)];
  if ("view" in where) {
    const view = viewOnWire(where.view, slack.world);
    return { ...common, container: { type: "view", view_id: where.view.id }, view, actions };
  }
  const { message } = where;
  const { ts, channel, threadTs, onlyFor } = message;
  const isWhisper = onlyFor !== undefined;
  const thread = threadTs !== undefined && { threadTs };
  const target = { channel, user: user.id, messageTs: ts, ...thread };
  return {
    ...common,
    container: {
      type: "message",
      message_ts: ts,
      channel_id: channel,
      is_ephemeral: isWhisper,
      ...(threadTs !== undefined && { thread_ts: threadTs }),
    },
    channel: { id: channel, name: slack.world.channels.get(channel)?.name ?? "" },
    // Of a message that one person sees, Slack keeps nothing.
    ...(!isWhisper && { message: slack.events.wire(message) }),
    state: { values: {} },
    response_url: slack.origin + slack.responseUrls.issue(target),
    actions,
  };
}

export function submissionPayload(
  slack: SlackServices,
  user: SlackUser,
  view: SlackView,
  values: Fields,
): Fields {
  return {
    ...commonFields(slack, user),
    type: "view_submission",
    trigger_id: slack.triggers.issue(user.id),
    view: viewOnWire(view, slack.world, values),
    response_urls: [],
  };
}

export function closingPayload(slack: SlackServices, user: SlackUser, view: SlackView): Fields {
  return {
    ...commonFields(slack, user),
    type: "view_closed",
    view: viewOnWire(view, slack.world),
    is_cleared: false,
  };
}

/** Slack does not say in which thread a command was typed: in threads it takes none. */
export function commandPayload(
  slack: SlackServices,
  user: SlackUser,
  channel: SlackChannel,
  { command, text }: { readonly command: string; readonly text: string },
): Fields {
  return {
    token: slack.app.verificationToken,
    team_id: slack.world.team.id,
    team_domain: slack.world.team.domain,
    channel_id: channel.id,
    channel_name: channel.name,
    user_id: user.id,
    user_name: user.name,
    command,
    text,
    api_app_id: slack.app.id,
    is_enterprise_install: "false",
    response_url: slack.origin + slack.responseUrls.issue({ channel: channel.id, user: user.id }),
    trigger_id: slack.triggers.issue(user.id),
  };
}

export function shortcutPayload(
  slack: SlackServices,
  user: SlackUser,
  callbackId: string,
  message?: SlackMessage,
): Fields {
  const common = {
    ...commonFields(slack, user),
    callback_id: callbackId,
    trigger_id: slack.triggers.issue(user.id),
    action_ts: slack.world.clock.nextTs(),
  };
  if (!message) return { ...common, type: "shortcut" };
  const { ts, channel, threadTs } = message;
  const thread = threadTs !== undefined && { threadTs };
  const target = { channel, user: user.id, messageTs: ts, ...thread };
  return {
    ...common,
    type: "message_action",
    message_ts: ts,
    channel: { id: channel, name: slack.world.channels.get(channel)?.name ?? "" },
    message: slack.events.wire(message),
    response_url: slack.origin + slack.responseUrls.issue(target),
  };
}

function commonFields({ world, app }: SlackServices, user: SlackUser): Fields {
  return {
    team: { id: world.team.id, domain: world.team.domain },
    user: { id: user.id, username: user.name, name: user.name, team_id: user.team },
    api_app_id: app.id,
    token: app.verificationToken,
    enterprise: null,
    is_enterprise_install: false,
  };
}

function actionOf({ world }: SlackServices, { element, option, blockId, actionId }: SlackButton) {
  const { type, text, value, style } = element;
  return {
    type,
    action_id: actionId,
    block_id: blockId,
    action_ts: world.clock.nextTs(),
    ...(option
      ? { selected_option: option }
      : { text, ...(value !== undefined && { value }), ...(style !== undefined && { style }) }),
  };
}
