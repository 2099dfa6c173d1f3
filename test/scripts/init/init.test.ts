import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseEnv } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { DiscordServer } from "../../support/discord/server.ts";
import { discordEnv } from "../../support/discord-rig.ts";
import { startModelServer } from "../../support/model-server.ts";
import { SlackServer } from "../../support/slack/server.ts";
import { fromManifest, slackEnv } from "../../support/slack-rig.ts";

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "init-"));
  file = join(directory, ".env");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** What the operator types, a line each, and what becomes of it. */
async function init(answers: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, ["scripts/init.ts", "--file", file], {
    env: { ...process.env, ...env },
  });
  child.stdin.on("error", () => {}); // It may end before it has read everything.
  child.stdin.end(`${answers.join("\n")}\n`);
  const [out, problems, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return {
    out,
    problems,
    code,
    settings: existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {},
  };
}

describe("npm run init", () => {
  it("tries every token with its server, asks again for those that it refuses, and writes what the bot reads", async () => {
    await using slack = await SlackServer.start(fromManifest());
    await using discord = await DiscordServer.start();
    await using model = await startModelServer();
    const { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_API_URL } = slackEnv(slack);
    const { DISCORD_BOT_TOKEN, DISCORD_API_URL } = discordEnv(discord);
    const { OPENAI_BASE_URL, OPENAI_API_KEY, MODEL } = model.env;
    const platforms = { SLACK_API_URL, DISCORD_API_URL };
    const { out, problems, code, settings } = await init(
      [
        ...["y", "xoxb-wrong", SLACK_BOT_TOKEN, "xapp-wrong", SLACK_APP_TOKEN],
        ...["y", "wrong.wrong.wrong", DISCORD_BOT_TOKEN],
        "n", // no web chat
        ...["y", OPENAI_BASE_URL, "wrong", MODEL],
        ...["", OPENAI_API_KEY, "no-such-model"],
        ...["", "", MODEL],
      ],
      platforms,
    );
    expect(problems).toBe("");
    expect(code).toBe(0);
    expect(out.match(/Slack says: invalid_auth Try another one\./g)).toHaveLength(2);
    expect(out).toContain("Discord answers 401.");
    expect(out).toContain("Socket Mode works");
    expect(out).toContain("no-such-model");
    expect(out).toContain("docker compose up -d");
    expect(settings).toEqual({
      ...{ SLACK_BOT_TOKEN, SLACK_APP_TOKEN, DISCORD_BOT_TOKEN },
      ...{ WEB_CHAT: "false", OPENAI_BASE_URL, OPENAI_API_KEY, MODEL },
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readConfig(settings)).toMatchObject({
      platforms: [{ name: "slack" }, { name: "discord" }],
      hasWebChat: false,
    });
    for (const token of [SLACK_BOT_TOKEN, DISCORD_BOT_TOKEN, OPENAI_API_KEY])
      expect(out).not.toContain(token);
  });

  it("keeps what an earlier file says when the answers are empty", async () => {
    writeFileSync(file, "OWNERS=slack:T1:U1\nWEB_TOKEN=0123456789abcdef0123\nWEB_PORT=4999\n");
    const { out, settings } = await init(["", "", ""]);
    expect(settings).toMatchObject({
      OWNERS: "slack:T1:U1",
      WEB_TOKEN: "0123456789abcdef0123",
      WEB_CHAT: "true",
    });
    expect(out).toContain("http://127.0.0.1:4999/#token=0123456789abcdef0123");
  });

  it("quotes what compose and systemd would read differently, and keeps it over the next run", async () => {
    const prices = '{"gpt-5":{"input":1.25,"output":10}}';
    writeFileSync(
      file,
      `MODEL_PRICES='${prices}'\nREDIS_URL='redis://x:a$b#c d@h:1'\nMODEL=gpt-5\n`,
    );
    for (let run = 0; run < 2; run += 1) {
      const { problems, settings } = await init(["", "", ""]);
      expect(problems).toBe("");
      expect(settings).toMatchObject({ MODEL_PRICES: prices, REDIS_URL: "redis://x:a$b#c d@h:1" });
    }
    const lines = readFileSync(file, "utf8").split("\n");
    expect(lines).toEqual(
      expect.arrayContaining([
        `MODEL_PRICES='${prices}'`,
        "REDIS_URL='redis://x:a$b#c d@h:1'",
        "MODEL=gpt-5",
      ]),
    );
  });

  it.each(['"a\'b"', "a\\b", '"a\nb"', "a\x24{B}"])("refuses to write %j", async (value) => {
    writeFileSync(file, `REDIS_PREFIX=${value}\n`);
    const { code, problems } = await init(["", "", ""]);
    expect(code).toBe(1);
    expect(problems).toMatch(/REDIS_PREFIX contains a single quote[\s\S]*Nothing was written\./);
    expect(readFileSync(file, "utf8")).toBe(`REDIS_PREFIX=${value}\n`);
  });

  it.each([
    ["the input ends", ["y"], "The input has ended."],
    ["an earlier setting cannot be used", ["", "", ""], "WORKSPACE_CAP"],
  ])("writes nothing when %s", async (_, answers, problem) => {
    writeFileSync(file, "WORKSPACE_CAP=none\n");
    const { code, problems } = await init(answers);
    expect(code).toBe(1);
    expect(problems).toContain(problem);
    expect(problems).toContain("Nothing was written.");
    expect(readFileSync(file, "utf8")).toBe("WORKSPACE_CAP=none\n");
  });
});
