import { describe, expect, it } from "vitest";
import { SlackLab } from "../../support/slack-lab.ts";
import { weather } from "../../support/slack-weather.ts";
import { until } from "../../support/until.ts";

describe("P-C4 P-C7 a line that drops again and again, a 429 at every third call, and a busy process", () => {
  it("every mention is answered once", async () => {
    const often = { dropEveryMs: 700, sayEveryMs: 1_000 };
    const seen = await weather({ forMs: 8_000, busyMs: 2_000, ...often });
    expect(seen).toMatchObject({ missing: [], doubled: [] });
    expect(seen.drops).toBeGreaterThan(5);
    expect(seen.refused).toBeGreaterThan(5);
    expect(seen.slices).toBeGreaterThanOrEqual(3);
  });

  it("Slack's own goodbye is followed by a new line, and the core is told", async () => {
    await using lab = await SlackLab.start();
    for (const times of [1, 2, 3]) {
      lab.slack.socketMode.disconnect("refresh_requested");
      await until(() => lab.reconnects === times, "the new line");
      await lab.thread();
    }
    expect(lab.incoming).toHaveLength(3);
  });

  it("60 drops lose nothing of what is said meanwhile", async () => {
    await using lab = await SlackLab.start({ retryMs: Array(300).fill(100) });
    // Slack itself would not let anybody connect so often.
    lab.slack.rates.isEnforced = false;
    for (let drop = 0; drop < 60; drop += 1) {
      lab.slack.socketMode.drop();
      lab.ada.says(lab.channel, `number ${drop}`, { mention: true });
      await new Promise((resolve) => setTimeout(resolve, (37 * drop) % 60));
    }
    await until(() => lab.incoming.length >= 60, "all of them", { withinMs: 45_000 });
    const texts = lab.incoming.map((event) => "text" in event && event.text);
    expect(new Set(texts).size).toBe(60);
    expect(texts).toHaveLength(60);
  });
});

describe("15.22 a start that cannot succeed says what to do", () => {
  it.each<[string, (lab: SlackLab) => void, RegExp]>([
    [
      "a bot token that is not valid",
      (lab) => {
        Object.assign(lab.slack.app, { botToken: "xoxb-another" });
      },
      /cannot connect to Slack.*SLACK_BOT_TOKEN/,
    ],
    [
      "an app token that is not valid",
      (lab) => {
        Object.assign(lab.slack.app, { appToken: "xapp-another" });
      },
      /SLACK_APP_TOKEN.*connections:write/,
    ],
    [
      "an app token without its scope",
      (lab) => lab.slack.app.appScopes.clear(),
      /SLACK_APP_TOKEN.*connections:write/,
    ],
    [
      "scopes without which nothing works",
      (lab) => lab.slack.app.scopes.delete("chat:write"),
      /chat:write.*reinstall it/,
    ],
  ])("%s", async (_, spoil, message) => {
    await using lab = await SlackLab.start();
    const starting = lab.anotherLater();
    spoil(lab);
    await expect(starting()).rejects.toThrow(message);
  });

  it("scopes for single things are told, and everything else works", async () => {
    const problems: string[] = [];
    await using lab = await SlackLab.start({
      scopes: ["chat:write", "users:read", "app_mentions:read"],
      log: (_, message) => void problems.push(message),
    });
    await lab.thread();
    expect(problems.join("\n")).toMatch(/features are off.*reactions:write/);
  });
});
