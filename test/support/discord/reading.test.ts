import { describe, expect, it } from "vitest";
import { DiscordLab } from "./test-lab.ts";
import { type Fields, fieldsIn } from "./values.ts";

const contents = ({ list }: Fields) => fieldsIn(list).map(({ content }) => content);

describe("what can be read on the double", () => {
  it("messages come newest first, before, after and around one of them", async () => {
    await using lab = await DiscordLab.start();
    const said = ["1", "2", "3", "4", "5"].map((text) => lab.ada.says(lab.channel, text).message);
    const third = said[2]?.id ?? "";
    const read = async (query: string) =>
      contents((await lab.call(`GET /channels/${lab.channel.id}/messages?${query}`)).body);
    expect(await read("")).toEqual(["5", "4", "3", "2", "1"]);
    expect(await read("limit=2")).toEqual(["5", "4"]);
    expect(await read(`before=${third}&limit=1`)).toEqual(["2"]);
    expect(await read(`after=${third}&limit=1`)).toEqual(["4"]);
    expect(await read(`around=${third}&limit=3`)).toEqual(["4", "3", "2"]);
    lab.discord.deny(lab.channel, "READ_MESSAGE_HISTORY");
    expect(await read("")).toEqual([]);
  });

  it("whispers are nowhere to be read", async () => {
    await using lab = await DiscordLab.start();
    await lab.respond(await lab.ran(), { type: 4, data: { content: "psst", flags: 64 } });
    const { body } = await lab.call(`GET /channels/${lab.channel.id}/messages`);
    expect(contents(body)).toEqual([]);
    expect(lab.ada.sees(lab.channel)).toHaveLength(1);
  });

  it("threads are listed while they are awake, and apart from them when archived", async () => {
    await using lab = await DiscordLab.start();
    const thread = lab.ada.startsThread(lab.channel, "Topic");
    const active = `GET /guilds/${lab.discord.guild.id}/threads/active`;
    const archived = `GET /channels/${lab.channel.id}/threads/archived/public`;
    const listed = async (what: string) =>
      fieldsIn((await lab.call(what)).body.threads).map(({ id }) => id);
    expect([await listed(active), await listed(archived)]).toEqual([[thread.id], []]);
    await lab.call(`PUT /channels/${thread.id}/thread-members/@me`);
    lab.ada.archives(thread);
    expect([await listed(active), await listed(archived)]).toEqual([[], [thread.id]]);
    await lab.call(`PATCH /channels/${thread.id}`, { archived: false });
    expect(await listed(active)).toEqual([thread.id]);
  });

  it("private threads are there for those who were asked in", async () => {
    await using lab = await DiscordLab.start();
    const { body } = await lab.call(`POST /channels/${lab.channel.id}/threads`, { name: "secret" });
    const thread = lab.discord.world.channels.get(String(body.id));
    if (!thread) throw new Error("no thread");
    await lab.posted({ content: "psst" }, thread);
    expect(lab.ada.sees(thread)).toEqual([]);
    const member = `/channels/${thread.id}/thread-members/${lab.ada.user.id}`;
    expect((await lab.call(`PUT ${member}`)).status).toBe(204);
    expect(lab.ada.sees(thread)).toHaveLength(1);
    expect((await lab.call(`GET ${member}`)).body).toMatchObject({ user_id: lab.ada.user.id });
    expect((await lab.call(`DELETE ${member}`)).status).toBe(204);
    expect(lab.ada.sees(thread)).toEqual([]);
  });

  it("members, roles, channels and reactions are told", async () => {
    await using lab = await DiscordLab.start({ privileged: ["members"] });
    const { world, guild } = lab.discord;
    const role = world.addRole(guild, { name: "ops" });
    guild.members.get(lab.ada.user.id)?.roles.add(role.id);
    const at = `/guilds/${guild.id}`;
    const { body } = await lab.call(`GET ${at}/members/${lab.ada.user.id}`);
    expect(body).toMatchObject({ roles: [role.id], user: { username: "ada" } });
    const members = await lab.call(`GET ${at}/members?limit=1000`);
    expect(fieldsIn(members.body.list)).toHaveLength(3);
    const roles = fieldsIn((await lab.call(`GET ${at}/roles`)).body.list);
    expect(roles.map(({ name }) => name)).toEqual(["@everyone", "ops"]);
    const channels = fieldsIn((await lab.call(`GET ${at}/channels`)).body.list);
    expect(channels).toMatchObject([{ id: lab.channel.id }]);
    const { message } = lab.ada.says(lab.channel, "x");
    lab.ada.reacts(message, "👀");
    const reactions = `/channels/${lab.channel.id}/messages/${message.id}/reactions`;
    const who = await lab.call(`GET ${reactions}/${encodeURIComponent("👀")}`);
    expect(fieldsIn(who.body.list)).toMatchObject([{ id: lab.ada.user.id }]);
  });

  it("commands of a guild and those for all are kept apart, and all are overwritten at once", async () => {
    await using lab = await DiscordLab.start();
    const all = `/applications/${lab.discord.app.id}/commands`;
    const own = `/applications/${lab.discord.app.id}/guilds/${lab.discord.guild.id}/commands`;
    const go = { name: "go", description: "Goes." };
    expect((await lab.call(`POST ${all}`, go)).status).toBe(201);
    expect((await lab.call(`POST ${all}`, { ...go, description: "Runs." })).status).toBe(200);
    await lab.call(`POST ${own}`, go);
    const described = async (path: string) =>
      fieldsIn((await lab.call(`GET ${path}`)).body.list).map(({ description }) => description);
    expect([await described(all), await described(own)]).toEqual([["Runs."], ["Goes."]]);
    await lab.call(`PUT ${all}`, [{ type: 2, name: "Who is it" }]);
    expect([await described(all), await described(own)]).toEqual([[""], ["Goes."]]);
  });
});
