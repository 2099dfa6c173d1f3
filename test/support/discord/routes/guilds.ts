import { answer, type Call, type Routes } from "../call.ts";
import { refusal } from "../refusals.ts";
import type { DiscordMember } from "../world.ts";

export const guildRoutes: Routes = {
  "GET /guilds/:guild": (call) => answer(call.discord.wire.guild(call.guild())),
  "GET /guilds/:guild/channels": (call) => {
    const { id } = call.guild();
    const { world, wire } = call.discord;
    const channels = [...world.channels.values()].filter(
      (one) => one.guildId === id && !one.thread,
    );
    return answer(channels.map((channel) => wire.channel(channel)));
  },
  "GET /guilds/:guild/roles": (call) => {
    const roles = [...call.guild().roles.values()];
    return answer(roles.map((role) => call.discord.wire.role(role)));
  },
  "GET /guilds/:guild/members/:user": (call) => {
    const user = call.param("user");
    const member = call.guild().members.get(user === "@me" ? call.botId : user);
    if (!call.discord.world.users.has(user) && user !== "@me") throw refusal(10013);
    if (!member) throw refusal(10007);
    return answer(wireMember(call, member));
  },
  "GET /guilds/:guild/members": (call) => {
    const guild = call.guild();
    if (!call.discord.app.privileged.has("members")) throw refusal(50001);
    const limit = call.numberInQuery("limit", { least: 1, most: 1_000, usual: 1 });
    const members = [...guild.members.values()].slice(0, limit);
    return answer(members.map((member) => wireMember(call, member)));
  },
};

function wireMember({ discord: { wire } }: Call, member: DiscordMember) {
  return { ...wire.member(member), user: wire.user(member.userId) };
}
