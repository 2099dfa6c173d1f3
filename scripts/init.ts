/**
 * Asks for what Deckhand needs, tries each token with its server, and writes .env:
 *
 *   npm run init [-- --file PATH]
 */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs, parseEnv } from "node:util";
import { createModel } from "../src/agent/model/model.ts";
import { readConfig } from "../src/config.ts";
import { root } from "./lib/project.mjs";

const { values } = parseArgs({
  options: { file: { type: "string", default: join(root, ".env") } },
});
const CHECK_MS = 20_000;
const OPENAI = "https://api.openai.com/v1";

const kept = existsSync(values.file) ? readFileSync(values.file, "utf8") : "";
const settings: Record<string, string> = { ...(parseEnv(kept) as Record<string, string>) };
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

try {
  await askPlatforms();
  await askModel();
  readConfig(settings);
  write();
  tellNext();
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\nNothing was written.`);
  process.exitCode = 1;
}
process.stdin.destroy();

async function askPlatforms(): Promise<void> {
  console.log("Deckhand works on Slack, on Discord and in its own web chat.");
  if (await isYes("Set up Slack?", settings.SLACK_BOT_TOKEN !== undefined)) await askSlack();
  if (await isYes("Set up Discord?", settings.DISCORD_BOT_TOKEN !== undefined)) await askDiscord();
  const hasPlatform = Boolean(settings.SLACK_BOT_TOKEN ?? settings.DISCORD_BOT_TOKEN);
  const wantsWeb = !hasPlatform || (await isYes("Enable the web chat as well?", false));
  settings.WEB_CHAT = String(wantsWeb);
  if (wantsWeb) settings.WEB_TOKEN ??= randomBytes(24).toString("hex");
}

async function askSlack(): Promise<void> {
  const api = process.env.SLACK_API_URL ?? settings.SLACK_API_URL ?? "https://slack.com/api/";
  const tryToken = (method: string) => async (token: string) => {
    const answer = await post(new URL(method, api.endsWith("/") ? api : `${api}/`), token);
    if (answer.ok !== true) throw new Error(`Slack says: ${answer.error ?? "no"}`);
    return method === "auth.test" ? `${answer.user} in ${answer.team}` : "Socket Mode works";
  };
  console.log("  docs/slack.md explains how to create the app and where to find its tokens.");
  await askTried("SLACK_BOT_TOKEN", "Slack bot token (xoxb-…)", tryToken("auth.test"));
  await askTried("SLACK_APP_TOKEN", "Slack app token (xapp-…)", tryToken("apps.connections.open"));
}

async function askDiscord(): Promise<void> {
  const api = process.env.DISCORD_API_URL ?? settings.DISCORD_API_URL ?? "https://discord.com/api";
  console.log(
    "  docs/discord.md explains how to create the application and where to find its token.",
  );
  await askTried("DISCORD_BOT_TOKEN", "Discord bot token", async (token) => {
    // Discord answers 403 to every client that does not name itself like this.
    const headers = { authorization: `Bot ${token}`, "user-agent": "DiscordBot (deckhand, 1)" };
    const signal = AbortSignal.timeout(CHECK_MS);
    const answer = await fetch(`${api.replace(/\/$/, "")}/v10/users/@me`, { headers, signal });
    if (!answer.ok) throw new Error(`Discord answers ${answer.status}.`);
    return `${((await answer.json()) as { username?: string }).username}`;
  });
}

async function askModel(): Promise<void> {
  console.log("Without a model Deckhand runs explicit commands only.");
  const had = settings.OPENAI_API_KEY !== undefined || settings.OPENAI_BASE_URL !== undefined;
  if (!(await isYes("Set up a model?", had))) return;
  for (;;) {
    const address = await ask("Base URL", settings.OPENAI_BASE_URL ?? OPENAI);
    if (address === OPENAI) delete settings.OPENAI_BASE_URL;
    else settings.OPENAI_BASE_URL = address;
    keep("OPENAI_API_KEY", await ask("API key", settings.OPENAI_API_KEY ?? "", { isSecret: true }));
    keep("MODEL", await ask("Model", settings.MODEL ?? ""));
    const problem = await modelProblem();
    if (problem === undefined)
      return console.log("  ok: the server accepts the key and the model.");
    console.log(`  ${problem}`);
  }
}

async function modelProblem(): Promise<string | undefined> {
  try {
    const model = createModel(readConfig(settings).model);
    if (!model) return "Enter a key, or the base URL of a server that needs none.";
    return (await model.check(AbortSignal.timeout(CHECK_MS)))?.message;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Asks until the token's server takes it. */
async function askTried(
  name: string,
  question: string,
  attempt: (value: string) => Promise<string>,
): Promise<void> {
  for (;;) {
    const value = await ask(question, settings[name] ?? "", { isSecret: true });
    try {
      console.log(`  ok: ${await attempt(value)}`);
      settings[name] = value;
      return;
    } catch (error) {
      console.log(`  ${error instanceof Error ? error.message : error} Try another one.`);
    }
  }
}

async function post(url: URL, token: string): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(CHECK_MS);
  const answer = await fetch(url, { method: "POST", headers, signal });
  return (await answer.json()) as Record<string, unknown>;
}

async function isYes(question: string, usual: boolean): Promise<boolean> {
  return /^y/i.test(await ask(`${question} (y/n)`, usual ? "y" : "n"));
}

/** An empty answer keeps what there is. */
async function ask(question: string, usual: string, { isSecret = false } = {}): Promise<string> {
  const shown = isSecret && usual !== "" ? "keep it" : usual;
  process.stdout.write(shown === "" ? `${question}: ` : `${question} [${shown}]: `);
  const { value, done } = await lines.next();
  if (done) throw new Error("\nThe input has ended.");
  if (!process.stdin.isTTY) process.stdout.write("\n");
  return value.trim() || usual;
}

function keep(name: string, value: string): void {
  if (value === "") delete settings[name];
  else settings[name] = value;
}

/** Comments of an earlier file are lost; its settings are not. Never readable for others, not even for a moment. */
function write(): void {
  const text = Object.entries(settings).map(([name, value]) => `${name}=${quote(name, value)}\n`);
  const temporary = `${values.file}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(
    temporary,
    `# Written by \`npm run init\`. .env.example lists every setting.\n${text.join("")}`,
    {
      mode: 0o600,
      flag: "w",
    },
  );
  renameSync(temporary, values.file);
}

/** As both versions of Docker Compose, systemd and Node read it alike. */
function quote(name: string, value: string): string {
  if (/^[\w.,:;/@+=~%?&-]*$/.test(value)) return value;
  if (!/['\\\r\n]|\$\{/.test(value)) return `'${value}'`;
  throw new Error(
    `The value of ${name} contains a single quote, a backslash, a line break or \${: Docker Compose and systemd would each read something else. Change it.`,
  );
}

function tellNext(): void {
  console.log(`\nWrote ${values.file}, readable only by you. Next:\n`);
  console.log("  npm run compose:build     builds the bot's image");
  console.log("  docker compose up -d      starts it (Debian's version 1: docker-compose up -d)");
  if (settings.WEB_TOKEN) {
    const port = settings.WEB_PORT ?? "4170";
    console.log(`\nThe web chat: http://127.0.0.1:${port}/#token=${settings.WEB_TOKEN}`);
    console.log("Anyone with this address can sign in.");
  }
}
