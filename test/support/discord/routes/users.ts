import { answer, type Routes } from "../call.ts";
import { refusal } from "../refusals.ts";
import { stringIn } from "../values.ts";

const IDENTIFIES_A_DAY = 1_000;

export const userRoutes: Routes = {
  "GET /gateway": ({ discord }) => answer({ url: discord.origin.replace(/^http/, "ws") }),
  "GET /gateway/bot": ({ discord }) =>
    answer({
      url: discord.origin.replace(/^http/, "ws"),
      shards: 1,
      session_start_limit: {
        total: IDENTIFIES_A_DAY,
        remaining: Math.max(0, IDENTIFIES_A_DAY - discord.gateway.identifies),
        reset_after: 86_400_000,
        max_concurrency: 1,
      },
    }),
  "GET /users/@me": ({ discord, botId }) => answer(discord.wire.user(botId)),
  "GET /users/:user": (call) => {
    if (!call.discord.world.users.has(call.param("user"))) throw refusal(10013);
    return answer(call.discord.wire.user(call.param("user")));
  },
  "POST /users/@me/channels": ({ discord, fields, botId }) => {
    const recipient = stringIn(fields.recipient_id);
    const user = discord.world.users.get(recipient);
    if (!user || user.isBot) throw refusal(50033);
    return answer(discord.wire.channel(discord.world.directMessage(botId, recipient)));
  },
  "GET /applications/@me": ({ discord: { app, wire } }) =>
    answer({
      id: app.id,
      name: app.user.username,
      icon: null,
      description: "",
      bot_public: false,
      bot_require_code_grant: false,
      verify_key: "0".repeat(64),
      flags: app.flags,
      bot: wire.user(app.user.id),
    }),
};
