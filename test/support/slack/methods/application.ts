import { checkMessageBlocks, checkView } from "../block-check.ts";
import type { SlackCall, SlackMethod } from "../call.ts";
import { SlackRefusedError } from "../values.ts";

/** The app itself: who it is, its connection, and whether Slack would take its blocks. */
export const application: Readonly<Record<string, SlackMethod>> = {
  "auth.test": { tier: "special", run: test },
  "apps.connections.open": { token: "app", tier: "t3", run: connect },
  "blocks.validate": { tier: "t3", run: validate },
};

function test({ slack }: SlackCall) {
  const { world, app } = slack;
  return {
    url: `https://${world.team.domain}.slack.com/`,
    team: world.team.name,
    user: app.user.name,
    team_id: world.team.id,
    user_id: app.user.id,
    bot_id: app.botId,
    is_enterprise_install: false,
  };
}

function connect({ slack }: SlackCall) {
  const { app, socketMode, origin } = slack;
  if (!app.appScopes.has("connections:write")) {
    const provided = [...app.appScopes].join(",");
    throw new SlackRefusedError("missing_scope", { needed: "connections:write", provided });
  }
  if (!socketMode.isEnabled || app.requestUrl !== undefined)
    throw new SlackRefusedError("socket_mode_not_enabled");
  const address = origin.replace("http", "ws");
  return { url: `${address}/link/?ticket=${socketMode.newTicket()}&app_id=${app.id}` };
}

function validate(call: SlackCall) {
  const blocks = call.list("blocks", "invalid_blocks_format");
  const view = call.object("view", "invalid_arguments");
  if (blocks) checkMessageBlocks(blocks);
  if (view) checkView(view, view.type === "home" ? "home" : "modal");
  return {};
}
