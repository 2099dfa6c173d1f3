import { describe, expect, it } from "vitest";
import { ownSleep } from "../own-clock.ts";
import { until } from "../until.ts";
import { DiscordLab } from "./test-lab.ts";

const POST = "POST /channels/:channel/messages";
const words = (lab: DiscordLab) => lab.ada.sees(lab.channel).map(({ text }) => text);

describe("what can be made to go wrong", () => {
  it.each(["closed", "reset"] as const)(
    "a lost answer (%s): it was done, and nobody was told",
    async (loss) => {
      await using lab = await DiscordLab.start();
      lab.discord.faults.loseNextAnswer([POST], loss);
      expect((await lab.call("GET /users/@me")).status).toBe(200);
      await expect(lab.post({ content: "once" })).rejects.toThrow();
      await lab.post({ content: "twice" });
      expect(words(lab)).toEqual(["once", "twice"]);
    },
  );

  it("an error that was none: it was done all the same", async () => {
    await using lab = await DiscordLab.start();
    lab.discord.faults.failNext(502, { isDone: true, routes: [POST] });
    lab.discord.faults.failNext(500);
    expect((await lab.call("GET /users/@me")).status).toBe(500);
    expect((await lab.post({ content: "once" })).status).toBe(502);
    expect(words(lab)).toEqual(["once"]);
  });

  it("a refusal with a time to wait, in fractions of a second: it was not done", async () => {
    await using lab = await DiscordLab.start();
    lab.discord.faults.refuseNext(120);
    const { status, headers, body } = await lab.post();
    expect([status, headers.get("retry-after")]).toEqual([429, "1"]);
    expect(body).toMatchObject({ retry_after: 0.12, global: false });
    lab.discord.faults.refuseNext(120, { isGlobal: true });
    const global = await lab.post();
    expect(global.body).toMatchObject({ global: true });
    expect(global.headers.get("x-ratelimit-global")).toBe("true");
    expect(words(lab)).toEqual([]);
  });

  it("every third call refused", async () => {
    await using lab = await DiscordLab.start();
    lab.discord.faults.refuseEvery = 3;
    const outcomes: number[] = [];
    for (let call = 0; call < 6; call += 1)
      outcomes.push((await lab.call("GET /users/@me")).status);
    expect(outcomes).toEqual([200, 200, 429, 200, 200, 429]);
    expect(lab.discord.calls.map(({ status }) => status)).toEqual(outcomes);
  });

  it("every event three times, as the same event", async () => {
    await using lab = await DiscordLab.start();
    using client = await lab.identified();
    lab.discord.faults.copies = 3;
    lab.ada.says(lab.channel, "echo");
    await until(() => client.events("MESSAGE_CREATE").length === 3, "three of them");
    const told = client.events("MESSAGE_CREATE").map((event) => JSON.stringify(event));
    expect(new Set(told).size).toBe(1);
  });

  it("events in the opposite order", async () => {
    await using lab = await DiscordLab.start();
    using client = await lab.identified();
    lab.discord.faults.reorderNext(3);
    for (const text of ["1", "2", "3", "4"]) lab.ada.says(lab.channel, text);
    await until(() => client.events("MESSAGE_CREATE").length === 4, "four of them");
    const texts = client.events("MESSAGE_CREATE").map(({ content }) => content);
    expect(texts).toEqual(["3", "2", "1", "4"]);
  });

  it("slow answers and slow events", async () => {
    await using lab = await DiscordLab.start();
    using client = await lab.identified();
    lab.discord.faults.answerAfterMs = 60;
    lab.discord.faults.deliverAfterMs = 60;
    const before = performance.now();
    await lab.call("GET /users/@me");
    expect(performance.now() - before).toBeGreaterThanOrEqual(50);
    lab.ada.says(lab.channel, "late");
    expect(client.events("MESSAGE_CREATE")).toEqual([]);
    await client.event("MESSAGE_CREATE");
  });

  it("a connection that is dead and does not say so", async () => {
    await using lab = await DiscordLab.start();
    using client = await lab.identified();
    lab.discord.faults.ignoresHeartbeats = true;
    client.send(1, null);
    await ownSleep(30);
    expect(client.heard.some(({ op }) => op === 11)).toBe(false);
  });

  it("no way in or out, until there is one again", async () => {
    await using lab = await DiscordLab.start();
    using client = await lab.identified();
    lab.discord.disconnect();
    await client.closed();
    await expect(lab.call("GET /users/@me")).rejects.toThrow();
    lab.discord.reconnect();
    expect((await lab.call("GET /users/@me")).status).toBe(200);
  });
});

describe("rate limits", () => {
  it("five messages in five seconds, told in headers, then 429", async () => {
    await using lab = await DiscordLab.start();
    const first = await lab.post();
    expect(first.headers.get("x-ratelimit-limit")).toBe("5");
    expect(first.headers.get("x-ratelimit-remaining")).toBe("4");
    expect(first.headers.get("x-ratelimit-bucket")).toMatch(/^[0-9a-f]+$/);
    for (let more = 0; more < 4; more += 1) await lab.post();
    const refused = await lab.post();
    expect(refused.status).toBe(429);
    expect(refused.headers.get("x-ratelimit-scope")).toBe("user");
    const seconds = Number(refused.body.retry_after);
    expect(seconds).toBeGreaterThan(3);
    expect((await lab.post({ content: "x" }, lab.discord.channel())).status).toBe(200);
    lab.discord.world.clock.advance(seconds * 1_000 + 10);
    expect((await lab.post()).status).toBe(200);
  });

  it("fifty calls a second in all, answers to interactions left out", async () => {
    await using lab = await DiscordLab.start();
    // The clock stands: so do the windows.
    const channels = Array.from({ length: 51 }, () => lab.discord.channel());
    lab.discord.rates.speed = 0.01;
    const answers = await Promise.all(channels.map(({ id }) => lab.call(`GET /channels/${id}`)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(1);
    expect(refused[0]?.body).toMatchObject({ global: true });
    const interaction = await lab.ran();
    expect((await lab.respond(interaction, { type: 5 })).status).toBe(204);
  });

  it("a name twice in ten minutes", async () => {
    await using lab = await DiscordLab.start();
    const { body } = await lab.call(`POST /channels/${lab.channel.id}/threads`, {
      name: "x",
      type: 11,
    });
    const rename = () => lab.call(`PATCH /channels/${String(body.id)}`, { name: "y" });
    const outcomes = [await rename(), await rename(), await rename()].map(({ status }) => status);
    expect(outcomes).toEqual([200, 200, 429]);
  });

  it("whoever is refused too often gets no answer that is JSON", async () => {
    await using lab = await DiscordLab.start();
    lab.discord.rates.mostInvalid = 3;
    for (let call = 0; call < 3; call += 1)
      await lab.call("GET /users/@me", undefined, { headers: { authorization: "" } });
    await expect(lab.call("GET /users/@me")).rejects.toThrow(/JSON|token/);
  });
});
