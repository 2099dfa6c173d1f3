import { describe, expect, it } from "vitest";
import type { DiscordPlace } from "./contract-names.ts";
import { DiscordContractPeople } from "./contract-people.ts";
import { DiscordLab } from "./test-lab.ts";
import type { Fields } from "./values.ts";

const encode = ({ guild, channel }: DiscordPlace) => `discord:${guild}:${channel}`;
const decode = (thread: string): DiscordPlace => {
  const [, guild = "", channel = ""] = thread.split(":");
  return { guild, channel };
};

async function openPeople() {
  const lab = await DiscordLab.start();
  const kept = new Set<string>();
  const people = new DiscordContractPeople(lab.discord, {
    encode,
    decode,
    signs: { seen: "👀", done: "✅" },
    command: (text) => ({ words: `deckhand ${text}` }),
    action: (value) => value.replace(/^a:/, ""),
    hasKept: (id) => kept.has(id),
  });
  const options = [{ type: 1, name: "todos", description: "Todos." }];
  lab.discord.commands.put(undefined, { name: "deckhand", description: "Works.", options });
  const thread = await people.newThread();
  const place = lab.discord.world.channels.get(decode(thread).channel);
  if (!place) throw new Error("no thread");
  const post = (body: Fields) => lab.posted(body, place);
  const dispose = { [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose]() };
  return { lab, people, thread, kept, place, post, ada: people.person(), ...dispose };
}

describe("the people of the adapter contract, on Discord", () => {
  it("a thread begins empty, and what the bot posts is seen in it", async () => {
    await using stage = await openPeople();
    const { people, thread, post, ada } = stage;
    expect(await people.visible(thread)).toEqual([]);
    await people.say(ada, thread, "hello");
    await post({ content: "hi" });
    expect(await people.visible(thread)).toMatchObject([{ text: "hi", buttons: [], files: [] }]);
    expect(await people.visible(thread, people.person({ isOutside: true }))).toEqual([]);
    expect(await people.visible(await people.newThread())).toEqual([]);
    const direct = await people.newThread("direct");
    expect(decode(direct).guild).toBe("@me");
  });

  it("what they do is told to the app, and told again", async () => {
    await using stage = await openPeople();
    const { lab, people, thread, ada, kept } = stage;
    using client = await lab.identified();
    const said = await people.say(ada, thread, "what is it?", { quoting: "exit code 137" });
    expect(await client.event("MESSAGE_CREATE")).toMatchObject({
      id: said.messageId,
      referenced_message: { content: "exit code 137" },
    });
    expect(await people.isAcknowledged(said)).toBe(false);
    kept.add(said.messageId);
    expect(await people.isAcknowledged(said)).toBe(true);
    await people.redeliver(said);
    await expect.poll(() => client.events("MESSAGE_CREATE").length).toBe(2);
    await people.edit(ada, thread, said.messageId, "what?");
    expect(await client.event("MESSAGE_UPDATE")).toMatchObject({ content: "what?" });
    await people.remove(ada, thread, said.messageId);
    expect(await client.event("MESSAGE_DELETE")).toMatchObject({ id: said.messageId });
    await people.archive(ada, thread);
    expect(await client.event("THREAD_UPDATE")).toMatchObject({
      thread_metadata: { archived: true },
    });
  });

  it("they run commands, click, type where a window opens, and read whispers alone", async () => {
    await using stage = await openPeople();
    const { lab, people, thread, ada, post } = stage;
    const running = people.command(ada, thread, "todos");
    await lab.respond(lab.lastInteraction(), { type: 4, data: { content: "psst", flags: 64 } });
    expect(await people.isAcknowledged(await running)).toBe(true);
    const button = { type: 2, style: 1, label: "Why", custom_id: "a:ask" };
    const id = await post({ content: "?", components: [{ type: 1, components: [button] }] });
    const [shown] = await people.visible(thread);
    expect(shown?.buttons).toEqual([{ action: "ask", label: "Why", asksText: false }]);
    const typing = people.click(ada, thread, { post: id, action: "ask", typed: "so" });
    const components = [
      { type: 18, label: "Why", component: { type: 4, custom_id: "f", style: 1 } },
    ];
    const data = { custom_id: "m", title: "Why", components };
    await lab.respond(lab.lastInteraction(), { type: 9, data });
    await expect.poll(() => lab.lastInteraction().type).toBe(5);
    await lab.respond(lab.lastInteraction(), { type: 6 });
    await typing;
    const { body } = await lab.call("POST /users/@me/channels", { recipient_id: ada.id });
    await lab.call(`POST /channels/${String(body.id)}/messages`, { content: "in private" });
    const whispers = await people.whispers(thread, ada);
    expect(whispers.map(({ text }) => text)).toEqual(["psst", "in private"]);
    expect(await people.whispers(thread, people.person())).toEqual([]);
  });

  it("they are members, guests, bots and the bot itself", async () => {
    await using stage = await openPeople();
    const { lab, people, thread } = stage;
    using client = await lab.identified();
    const seen: unknown[] = [];
    for (const kind of ["member", "guest", "bot", "self"] as const) {
      await people.say(people.person({ kind }), thread, kind);
      await expect.poll(() => client.events("MESSAGE_CREATE").length).toBe(seen.length + 1);
      const { author, member } = client.events("MESSAGE_CREATE").at(-1) as Record<string, Fields>;
      seen.push([author?.bot ?? false, author?.id === lab.discord.app.user.id, member?.flags]);
    }
    expect(seen).toEqual([
      [false, false, 0],
      [false, false, 16],
      [true, false, 0],
      [true, true, 0],
    ]);
  });

  it("marks are told as signs, and faults reach Discord", async () => {
    await using stage = await openPeople();
    const { lab, people, thread, ada, place, post } = stage;
    const { messageId } = await people.say(ada, thread, "mark me");
    const path = `/channels/${place.id}/messages/${messageId}`;
    await lab.call(`PUT ${path}/reactions/${encodeURIComponent("👀")}/@me`);
    expect(await people.marks(thread, messageId)).toEqual(["seen"]);
    people.faults.loseNextAnswer();
    await expect(post({ content: "once" })).rejects.toThrow();
    const [shown] = await people.visible(thread);
    await people.faults.deletePost(thread, shown?.post ?? "");
    expect(await people.visible(thread)).toEqual([]);
    people.faults.refuseNext(100);
    expect((await lab.call("GET /users/@me")).status).toBe(429);
    await post({ content: "@everyone" });
    expect(await people.alarms(thread)).not.toEqual([]);
    await people.faults.disconnect();
    await expect(lab.call("GET /users/@me")).rejects.toThrow();
    await people.faults.reconnect();
    expect((await lab.call("GET /users/@me")).status).toBe(200);
  });
});
