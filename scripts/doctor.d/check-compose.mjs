// @ts-check
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { outputOf } from "../lib/command.mjs";
import { BOT_IMAGE, INPUTS_LABEL, root } from "../lib/project.mjs";
import { botImageHash } from "../setup.d/bot-image.mjs";
import { findCompose } from "../setup.d/compose.mjs";

/** @typedef {import("./main.mjs").Finding} Finding */

const BUILD = "Run `npm run compose:build`, and then `docker compose up -d`.";

/**
 * What running under compose needs, and how the parts are that run. Without compose there is nothing to look at.
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 * @returns {Promise<Finding[]>}
 */
export async function checkCompose(engine) {
  const name = "Compose";
  const compose = await findCompose();
  if (!compose) {
    const found = "not installed; only docker-compose.yml needs it";
    return [{ state: "note", name, found, fix: "Install Docker Compose, or docker-compose." }];
  }
  const found =
    (await outputOf(compose[0] ?? "", [...compose.slice(1), "version", "--short"])) ?? "";
  return [
    { state: "ok", name, found: `${compose.join(" ")} ${found}` },
    settingsFile(),
    await botImage(engine),
    ...(await checkServices(engine, compose)),
  ];
}

/**
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 * @param {string[]} compose its command words
 * @returns {Promise<Finding[]>} none for a part that is not set up here
 */
export async function checkServices(engine, compose) {
  const parts = ["engine-proxy", "bot", "redis"];
  const found = await Promise.all(parts.map((part) => service(engine, compose, part)));
  return found.flatMap((one) => one ?? []);
}

/** @returns {Finding} */
function settingsFile() {
  const file = join(root, ".env");
  const name = "Settings file";
  if (!existsSync(file)) {
    return { state: "note", name, found: "no .env", fix: "Run `npm run init` before compose." };
  }
  if ((statSync(file).mode & 0o077) === 0) return { state: "ok", name, found: ".env" };
  return {
    state: "problem",
    name,
    found: ".env is readable by other users",
    fix: "chmod 600 .env",
  };
}

/**
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 * @returns {Promise<Finding>}
 */
async function botImage(engine) {
  const name = "Bot image";
  const image = await engine.image(BOT_IMAGE);
  if (!image) {
    const fix = "Run `npm run compose:build`; `npm start` does not need it.";
    return { state: "note", name, found: `no ${BOT_IMAGE}`, fix };
  }
  if (image.Config?.Labels?.[INPUTS_LABEL] === botImageHash(root))
    return { state: "ok", name, found: `${BOT_IMAGE}, current` };
  return { state: "note", name, found: `${BOT_IMAGE} was built from other sources`, fix: BUILD };
}

/**
 * The health of a part, as its own health check sees it: the bot's is /readyz.
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 * @param {string[]} compose
 * @param {string} part
 * @returns {Promise<Finding | undefined>} undefined for a part that is not set up here
 */
async function service(engine, compose, part) {
  const name = `Service ${part}`;
  const labels = [
    `com.docker.compose.service=${part}`,
    `com.docker.compose.project.working_dir=${root}`,
  ];
  const filters = encodeURIComponent(JSON.stringify({ label: labels }));
  const [listed] = await engine.json("GET", `/containers/json?all=true&filters=${filters}`);
  const container = listed && (await engine.json("GET", `/containers/${listed.Id}/json`));
  if (!container) return undefined;
  const { State, Config, Image } = container;
  const status = State.Health?.Status ?? State.Status;
  const words = compose.join(" ");
  if (!["healthy", "starting"].includes(status)) {
    const fix = `Run \`${words} up -d\`; \`${words} logs ${part}\` may say more.`;
    const why = reasonOf(State.Health?.Log?.at(-1)?.Output);
    return { state: "problem", name, found: `${status}${why && `: ${why}`}`, fix };
  }
  if ((await engine.image(Config.Image))?.Id === Image) return { state: "ok", name, found: status };
  const fix = `Run \`${words} up -d\`.`;
  return { state: "note", name, found: `${status}, from an older image than ${Config.Image}`, fix };
}

/**
 * What does not work, of an answer of /readyz; any other output as it stands.
 * @param {string} [output]
 */
function reasonOf(output = "") {
  const text = output.trim();
  try {
    /** @type {{ parts: Record<string, { ok: boolean, problem?: string }> }} */
    const { parts } = JSON.parse(text);
    const broken = Object.entries(parts).filter(([, { ok }]) => !ok);
    return broken.map(([part, { problem }]) => `${part}: ${problem}`).join("; ");
  } catch {
    return text;
  }
}
