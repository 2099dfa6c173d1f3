import { describe, expect, it } from "vitest";
import { SlackLab } from "./test-lab.ts";

describe("how often Slack lets itself be called", () => {
  it.each([
    ["chat.startStream", 20],
    ["chat.update", 50],
    ["users.info", 100],
  ])(
    "%s is refused after %i calls in a minute: ratelimited (apis/web-api/rate-limits)",
    async (method, calls) => {
      await using lab = await SlackLab.start();
      for (let call = 0; call < calls; call += 1) {
        expect((await lab.call(method)).status).toBe(200);
      }
      const refused = await lab.call(method);
      expect(refused.status).toBe(429);
      expect(refused.body).toEqual({ ok: false, error: "ratelimited" });
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(50);
      lab.slack.world.clock.advance(60_000);
      expect((await lab.call(method)).status).toBe(200);
    },
  );

  it("a channel takes one post a second, and a short burst: ratelimited (apis/web-api/rate-limits)", async () => {
    await using lab = await SlackLab.start();
    lab.slack.rates.postBurst = 2;
    const post = (channel = lab.channel.id) => lab.call("chat.postMessage", { channel, text: "x" });
    expect([(await post()).status, (await post()).status]).toEqual([200, 200]);
    const refused = await post();
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toMatch(/^[12]$/);
    expect((await post(lab.slack.channel().id)).status).toBe(200);
    lab.slack.world.clock.advance(2_000);
    expect((await post()).status).toBe(200);
  });
});
