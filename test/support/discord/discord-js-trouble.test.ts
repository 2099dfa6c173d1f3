import { Events } from "discord.js";
import { describe, expect, it } from "vitest";
import { ClientLab } from "./discord-lab.ts";

const POST = "POST /channels/:channel/messages";
const words = (lab: ClientLab) => lab.ada.sees(lab.channel).map(({ text }) => text);

/** What discord.js has heard so far. */
function hearing(lab: ClientLab): string[] {
  const heard: string[] = [];
  lab.client.on(Events.MessageCreate, ({ content }) => heard.push(content));
  return heard;
}

describe("the real discord.js, when things go wrong on the double", () => {
  it("resumes after a dropped connection, and hears what was said meanwhile", async () => {
    await using lab = await ClientLab.start();
    const heard = hearing(lab);
    const resumed = new Promise((resolve) => lab.client.once(Events.ShardResume, resolve));
    lab.discord.gateway.drop();
    await expect.poll(() => lab.discord.gateway.connections).toBe(0);
    lab.ada.says(lab.channel, "can you hear me?");
    await resumed;
    await expect.poll(() => heard).toEqual(["can you hear me?"]);
    expect(lab.discord.gateway).toMatchObject({ identifies: 1, resumes: 1 });
  });

  it("comes back when Discord asks for it, without starting anew", async () => {
    await using lab = await ClientLab.start();
    const heard = hearing(lab);
    const resumed = new Promise((resolve) => lab.client.once(Events.ShardResume, resolve));
    lab.discord.gateway.askToReconnect();
    await resumed;
    lab.ada.says(lab.channel, "still there?");
    await expect.poll(() => heard).toEqual(["still there?"]);
    expect(lab.discord.gateway.identifies).toBe(1);
  });

  it("starts anew when its session is refused: what was said meanwhile is lost", async () => {
    await using lab = await ClientLab.start();
    const heard = hearing(lab);
    lab.discord.faults.refusesResume = true;
    lab.discord.gateway.drop();
    await expect.poll(() => lab.discord.gateway.connections).toBe(0);
    lab.ada.says(lab.channel, "lost");
    await expect.poll(() => lab.discord.gateway.identifies).toBe(2);
    lab.ada.says(lab.channel, "heard");
    await expect.poll(() => heard).toEqual(["heard"]);
  });

  it("an outage of a second costs it its session, too", async () => {
    await using lab = await ClientLab.start();
    const heard = hearing(lab);
    lab.discord.disconnect();
    lab.ada.says(lab.channel, "lost");
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    lab.discord.reconnect();
    await expect.poll(() => lab.discord.gateway.identifies).toBe(2);
    lab.ada.says(lab.channel, "heard");
    await expect.poll(() => heard).toEqual(["heard"]);
  });

  it("hears a message of somebody else once, however often it is delivered", async () => {
    await using lab = await ClientLab.start();
    const heard = hearing(lab);
    lab.discord.faults.copies = 3;
    lab.ada.says(lab.channel, "echo");
    lab.discord.faults.copies = 1;
    lab.ada.says(lab.channel, "end");
    await expect.poll(() => heard).toEqual(["echo", "end"]);
  });

  it("waits out a 429 and sends again", async () => {
    await using lab = await ClientLab.start();
    const channel = await lab.text();
    lab.discord.faults.refuseNext(150);
    const before = performance.now();
    await channel.send("late");
    expect(performance.now() - before).toBeGreaterThanOrEqual(140);
    expect(words(lab)).toEqual(["late"]);
    expect(lab.discord.calls.map(({ status }) => status).slice(-2)).toEqual([429, 200]);
  });

  it("keeps to the limits that headers tell: no 429 in twelve messages", async () => {
    await using lab = await ClientLab.start({ rateSpeed: 50 });
    const channel = await lab.text();
    for (let turn = 0; turn < 12; turn += 1) await channel.send(`${turn}`);
    expect(words(lab)).toEqual(Array.from({ length: 12 }, (_, turn) => `${turn}`));
    expect(lab.discord.calls.filter(({ status }) => status === 429)).toEqual([]);
  });

  it("sends again by itself after a reset connection: twice to be seen, once with a nonce", async () => {
    await using lab = await ClientLab.start();
    const channel = await lab.text();
    lab.discord.faults.loseNextAnswer([POST], "reset");
    await channel.send("twice");
    expect(words(lab)).toEqual(["twice", "twice"]);
    lab.discord.faults.loseNextAnswer([POST], "reset");
    await channel.send({ content: "once", nonce: "k1", enforceNonce: true });
    expect(words(lab).slice(2)).toEqual(["once"]);
  });

  it("does not send again after a connection that ended in good order", async () => {
    await using lab = await ClientLab.start();
    const channel = await lab.text();
    lab.discord.faults.loseNextAnswer([POST]);
    await expect(channel.send("once")).rejects.toThrow();
    expect(words(lab)).toEqual(["once"]);
  });

  it("sends again by itself after a 502, whether it was done or not", async () => {
    await using lab = await ClientLab.start();
    const channel = await lab.text();
    lab.discord.faults.failNext(502, { isDone: true, routes: [POST] });
    await channel.send("twice");
    expect(words(lab)).toEqual(["twice", "twice"]);
  });

  it("tells Discord's numbers in its errors, and whose field is wrong", async () => {
    await using lab = await ClientLab.start();
    const channel = await lab.text();
    await expect(channel.send("x".repeat(2_001))).rejects.toMatchObject({
      code: 50035,
      status: 400,
      message: expect.stringContaining("content"),
    });
  });

  it("does not log in with intents that are not switched on", async () => {
    await expect(ClientLab.start({ privileged: [] })).rejects.toThrow("disallowed intents");
  });
});
