import { describe, expect, it } from "vitest";
import { SlackConfig, slackSecrets } from "../../../adapters/slack/config.ts";
import { readConfig } from "../../../src/config.ts";

/** As an operator sees them all together. */
const SOCKET = { SLACK_BOT_TOKEN: "xoxb-1", SLACK_APP_TOKEN: "xapp-1" };
const SECRET = "0123456789abcdef0123456789abcdef";
const problemsOf = (env: Record<string, string>) =>
  SlackConfig.safeParse(env).error?.issues.map(
    ({ path, message }) => `${path.join(".")}: ${message}`,
  ) ?? [];

describe("Slack's settings", () => {
  it("15.22 without any of them there is no Slack", () => {
    expect(SlackConfig.parse({})).toBeUndefined();
    expect(slackSecrets(undefined)).toEqual({});
  });

  it("in Socket Mode two tokens are all", () => {
    const config = SlackConfig.parse({ SLACK_BOT_TOKEN: "xoxb-1", SLACK_APP_TOKEN: "xapp-1" });
    expect(config).toEqual({
      botToken: "xoxb-1",
      apiUrl: "https://slack.com/api/",
      connection: { mode: "socket", appToken: "xapp-1" },
    });
    expect(slackSecrets(config)).toEqual({ SLACK_BOT_TOKEN: "xoxb-1", SLACK_APP_TOKEN: "xapp-1" });
  });

  it("over HTTP it takes the signing secret and listens on loopback", () => {
    const env = {
      SLACK_BOT_TOKEN: "xoxb-1",
      SLACK_MODE: "http",
      SLACK_SIGNING_SECRET: SECRET,
      SLACK_PORT: "0",
    };
    const config = SlackConfig.parse(env);
    expect(config?.connection).toEqual({
      mode: "http",
      signingSecret: SECRET,
      host: "127.0.0.1",
      port: 0,
      path: "/slack/events",
    });
    expect(slackSecrets(config)).toEqual({
      SLACK_BOT_TOKEN: "xoxb-1",
      SLACK_SIGNING_SECRET: SECRET,
    });
  });

  it.each<[string, Record<string, string>, string]>([
    ["a bot token without an app token", { SLACK_BOT_TOKEN: "xoxb-1" }, "SLACK_APP_TOKEN"],
    [
      "HTTP without a signing secret",
      { SLACK_BOT_TOKEN: "xoxb-1", SLACK_MODE: "http" },
      "SLACK_SIGNING_SECRET",
    ],
    ["an app token alone", { SLACK_APP_TOKEN: "xapp-1" }, "SLACK_BOT_TOKEN"],
    ["tokens that were swapped", { SLACK_BOT_TOKEN: "xapp-1" }, "SLACK_BOT_TOKEN"],
    ["a mode that does not exist", { SLACK_MODE: "carrier pigeon" }, "SLACK_MODE"],
    ["a path with a query", { SLACK_PATH: "/x?y" }, "SLACK_PATH"],
    ["an address of the API without its end", { SLACK_API_URL: "http://x/api" }, "SLACK_API_URL"],
    ["a signing secret with blanks", { SLACK_SIGNING_SECRET: "my secret" }, "SLACK_SIGNING_SECRET"],
  ])("refuses %s, and says which setting it is", (_, env, name) => {
    expect(problemsOf(env).join("\n")).toContain(`${name}: `);
  });

  it("stand among the others: their secrets are known, and the web chat has to be asked for", () => {
    expect(readConfig({})).toMatchObject({ hasWebChat: true, platforms: [] });
    const config = readConfig(SOCKET);
    expect(config).toMatchObject({ hasWebChat: false, platforms: [{ name: "slack" }] });
    expect(config.secrets).toMatchObject(SOCKET);
    expect(readConfig({ ...SOCKET, WEB_CHAT: "on" }).hasWebChat).toBe(true);
    expect(() => readConfig({ SLACK_BOT_TOKEN: "xoxb-1", WORKSPACE_CAP: "0" })).toThrow(
      /WORKSPACE_CAP[\s\S]*SLACK_APP_TOKEN: is required when SLACK_MODE is socket/,
    );
  });
});
