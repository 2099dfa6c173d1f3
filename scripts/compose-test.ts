/**
 * Walks through the life of Deckhand under compose as an operator does, on this machine's engine and without a registry:
 * the version before compose with an approval that waits, the upgrade, the approval's answer, a killed bot, the end.
 *
 *   npm run compose:test [-- --from REVISION] [--keep-images]
 *
 * Everything that it makes has a name of its own and is removed, also when a step fails. Kept images make the next run
 * shorter: only those whose sources have changed are built again.
 */
import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { EngineApi } from "./lib/engine-api.mjs";
import { root } from "./lib/project.mjs";
import { prepareBotImage } from "./setup.d/bot-image.mjs";
import { prepareCompose } from "./setup.d/compose.mjs";

const run = promisify(execFile);
const { values } = parseArgs({
  options: { from: { type: "string" }, "keep-images": { type: "boolean", default: false } },
});

const NAME = `deckhand-compose-${randomBytes(3).toString("hex")}`;
const OWNER = `owner-${randomBytes(16).toString("hex")}`;
const MEMBER = `member-${randomBytes(16).toString("hex")}`;
const SOCKET = process.env.ENGINE_SOCKET ?? "/var/run/docker.sock";
const PATIENCE_MS = 180_000;
const directory = mkdtempSync(join(tmpdir(), `${NAME}-`));
const envFile = join(directory, "env");
const engine = new EngineApi(process.env);
const port = await freePort();
const compose = await prepareCompose();
const REPOSITORY = values["keep-images"] ? "deckhand-compose-kept" : NAME;
const images = { old: `${REPOSITORY}:old`, new: `${REPOSITORY}:new` };
const thread = `web:${randomBytes(12).toString("hex")}`;
const beganAt = performance.now();
let instance = "";

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void removeAll().finally(() => process.exit(130)));

try {
  await prepare();
  await upgrade();
  await restart();
  await leave();
  say("everything was as it should be");
} catch (error) {
  console.error(error);
  console.error(await composed("logs", "--tail", "60").catch(() => ""));
  process.exitCode = 1;
} finally {
  await removeAll();
}

/** The images of both versions, and settings as `npm run init` writes them. */
async function prepare(): Promise<void> {
  const from = values.from ?? (await beforeCompose());
  const tree = join(directory, "old");
  mkdirSync(tree);
  await run("sh", ["-c", 'git archive "$1" | tar -x -C "$2"', "sh", from, tree], { cwd: root });
  cpSync(join(root, "Dockerfile"), join(tree, "Dockerfile"));
  await prepareBotImage(engine, { tag: images.old, tree });
  await prepareBotImage(engine, { tag: images.new });
  const settings = {
    DECKHAND_ENV_FILE: envFile,
    DECKHAND_IMAGE: images.new,
    ENGINE_SOCKET: SOCKET,
    WEB_PORT: `${port}`,
    WEB_TOKEN: OWNER,
    WEB_PEOPLE: `mia:member:${MEMBER}`,
    WORKSPACE_IMAGE: process.env.TEST_IMAGE ?? "deckhand-sandbox",
    WORKSPACE_POOL: "0",
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(envFile, lines.join(""), { mode: 0o600 });
  say(`images of ${from.slice(0, 12)} and of this tree are built`);
}

/** The last revision that had no compose file. */
async function beforeCompose(): Promise<string> {
  const log = ["log", "--diff-filter=A", "--format=%H", "--", "docker-compose.yml"];
  const added = (await run("git", log, { cwd: root })).stdout.trim().split("\n").at(-1);
  // Not committed yet: then it is the revision that this tree is based on.
  return (
    await run("git", ["rev-parse", added ? `${added}^` : "HEAD"], { cwd: root })
  ).stdout.trim();
}

async function upgrade(): Promise<void> {
  const before = join(directory, "before.yml");
  // The version before had no proxy and no health server: it gets the engine itself.
  writeFileSync(
    before,
    JSON.stringify({
      services: {
        bot: {
          image: images.old,
          user: `10001:${statSync(SOCKET).gid}`,
          environment: { DOCKER_HOST: "unix:///engine.sock" },
          volumes: [`${SOCKET}:/engine.sock`],
          healthcheck: { test: ["CMD", "true"] },
        },
      },
    }),
  );
  await composed("-f", before, "up", "-d", "--no-build", "bot");
  await until("the version before answers", () => ask("GET", "/api/threads/x", OWNER));
  await ask("PUT", `/api/threads/${thread}`, OWNER, {});
  await command(OWNER, "export KEPT=variable; echo kept > file; echo be''gan", "began");
  await message(MEMBER, "$ sudo rm -rf /usr/local/games");
  const waiting = await until("an approval waits", () => approveButton());
  say("the version before runs, and an approval waits");

  await composed("up", "-d", "--no-build");
  await healthy();
  const button = await until("the approval still waits", () => approveButton());
  if (waiting !== button) throw new Error(`Another button: ${waiting} and ${button}.`);
  const typed = /"label":"To approve it, type","code":"([^"]+)"/.exec(await items())?.[1];
  const click = { id: randomUUID(), action: button, ...(typed ? { typed } : {}) };
  await ask("POST", `/api/threads/${thread}/clicks`, OWNER, click);
  await until("the approved command has run", async () => (await approveButton()) === undefined);
  await command(
    OWNER,
    "cat file; ls -d /usr/local/games || echo go''ne",
    "cannot access '/usr/local/games'",
  );
  await command(OWNER, 'echo "<$KEPT>"', "<variable>");
  const inside = await inBot("cat /data/instance.json");
  instance = (JSON.parse(inside) as { instance: string }).instance;
  say("upgraded: the approval was answered, files and the terminal are the same");
  await checkBot();
}

/** The bot has neither the engine nor any right. */
async function checkBot(): Promise<void> {
  const outside = await inBot(
    "id -u; ls /var/run/docker.sock /engine.sock 2>/dev/null; touch /app/x 2>/dev/null && echo writable; grep -E 'CapEff|NoNewPrivs' /proc/self/status",
  );
  if (!/^10001\nCapEff:\s+0+\nNoNewPrivs:\s+1$/.test(outside.trim())) throw new Error(outside);
  const create = `require("node:http").request({socketPath:"/run/deckhand/engine.sock",method:"POST",path:"/containers/create?name=x"},r=>console.log(r.statusCode)).end()`;
  const answered = await inBot(`node_modules/.bin/node -e '${create}'`);
  if (answered.trim() !== "403") throw new Error(`The proxy answered ${answered}.`);
  say("the bot is uid 10001 without rights, and its proxy refuses a container of its own making");
}

async function restart(): Promise<void> {
  const container = await idOf("bot");
  const before = await inspect(container, "{{.State.StartedAt}}");
  // Not by the engine: it would not start again what it was told to end.
  process.kill(Number(await inspect(container, "{{.State.Pid}}")), "SIGKILL");
  await until(
    "the bot is started again",
    async () => (await inspect(container, "{{.State.StartedAt}}")) !== before,
  );
  await healthy();
  await command(OWNER, 'echo "[$KEPT]"', "[variable]");
  say("killed and started again: the terminal is still the same");
}

async function leave(): Promise<void> {
  const from = performance.now();
  await composed("stop", "bot");
  const seconds = (performance.now() - from) / 1000;
  if (seconds > 12) throw new Error(`The bot took ${seconds} s to stop.`);
  const code = await inspect(await idOf("bot"), "{{.State.ExitCode}}");
  if (code !== "0") throw new Error(`The bot ended with ${code}.`);
  await removeAll();
  const left = await leftovers();
  if (left !== "") throw new Error(`Left behind: ${left}`);
  say(`stopped in ${seconds.toFixed(1)} s, and nothing is left behind`);
}

async function removeAll(): Promise<void> {
  // Without its settings nothing was started, or all of it is gone already.
  if (existsSync(envFile))
    await composed("down", "--volumes", "--remove-orphans").catch(console.error);
  if (instance !== "") {
    const label = `label=deckhand.instance=${instance}`;
    for (const id of await listed("ps", "--all", "--quiet", "--filter", label))
      await docker("rm", "--force", id);
    for (const volume of await listed("volume", "ls", "--quiet", "--filter", label))
      await docker("volume", "rm", "--force", volume);
  }
  if (!values["keep-images"])
    for (const image of Object.values(images)) await docker("rmi", image).catch(() => "");
  rmSync(directory, { recursive: true, force: true });
}

async function leftovers(): Promise<string> {
  const project = `label=com.docker.compose.project=${NAME}`;
  const found = await Promise.all([
    listed("ps", "--all", "--quiet", "--filter", project),
    listed("volume", "ls", "--quiet", "--filter", project),
    listed("network", "ls", "--quiet", "--filter", project),
    listed("ps", "--all", "--quiet", "--filter", `label=deckhand.instance=${instance}`),
    listed("volume", "ls", "--quiet", "--filter", `label=deckhand.instance=${instance}`),
    listed("images", "--quiet", NAME),
  ]);
  return found.flat().join(" ");
}

async function healthy(): Promise<void> {
  let last = "";
  const isHealthy = async () => {
    last = await inspect(await idOf("bot"), "{{.State.Health.Status}}");
    return last === "healthy";
  };
  await until("the bot is healthy", isHealthy, () => last);
  const status = await inspect(await idOf("engine-proxy"), "{{.State.Health.Status}}");
  if (status !== "healthy") throw new Error(`The proxy is ${status}.`);
}

async function command(token: string, text: string, expected: string): Promise<void> {
  await message(token, `$ ${text}`);
  let seen = "";
  const isShown = async () => {
    seen = await items();
    return seen.includes(expected);
  };
  await until(`"${text}" shows ${expected}`, isShown, () => seen.slice(-2_000));
}

async function message(token: string, text: string): Promise<void> {
  const body = { id: randomUUID(), text };
  await until(`"${text}" is taken`, () =>
    ask("POST", `/api/threads/${thread}/messages`, token, body).catch(() => undefined),
  );
}

async function approveButton(): Promise<string | undefined> {
  return /"action":"(approve:[^"]*:once)"/.exec(await items())?.[1];
}

function items(): Promise<string> {
  return ask("GET", `/api/threads/${thread}/items`, OWNER);
}

async function ask(method: string, path: string, token: string, body?: object): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  if (answer.status >= 500 || answer.status === 401) throw new Error(`${answer.status} ${text}`);
  return text || "ok";
}

async function until<T>(
  what: string,
  check: () => Promise<T>,
  seen: () => string = () => "",
): Promise<NonNullable<T>> {
  const endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await check().catch(() => undefined);
    if (found) return found;
    if (performance.now() > endMs) throw new Error(`Waited for: ${what}. ${seen()}`);
    await sleep(300);
  }
}

async function composed(...args: string[]): Promise<string> {
  const [program = "", ...words] = compose;
  const files = ["-f", join(root, "docker-compose.yml")];
  const isMore = args[0] === "-f";
  const more = isMore ? args.slice(0, 2) : [];
  const rest = isMore ? args.slice(2) : args;
  const all = [...words, "-p", NAME, "--env-file", envFile, ...files, ...more, ...rest];
  const { stdout, stderr } = await run(program, all, { cwd: root, maxBuffer: 16 * 1024 * 1024 });
  return stdout + stderr;
}

async function idOf(service: string): Promise<string> {
  const label = `label=com.docker.compose.service=${service}`;
  const project = `label=com.docker.compose.project=${NAME}`;
  const [id] = await listed("ps", "--all", "--quiet", "--filter", project, "--filter", label);
  if (!id) throw new Error(`There is no container of ${service}.`);
  return id;
}

async function inBot(script: string): Promise<string> {
  return docker("exec", await idOf("bot"), "sh", "-c", script);
}

function inspect(container: string, format: string): Promise<string> {
  return docker("inspect", "--format", format, container);
}

async function listed(...args: string[]): Promise<string[]> {
  return (await docker(...args)).split("\n").filter(Boolean);
}

async function docker(...args: string[]): Promise<string> {
  return (await run("docker", args)).stdout.trim();
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port: found } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return found;
}

function say(what: string): void {
  console.log(`${((performance.now() - beganAt) / 1000).toFixed(0).padStart(4)} s  ${what}`);
}
