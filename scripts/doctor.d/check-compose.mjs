// @ts-check
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { outputOf } from "../lib/command.mjs";
import { BOT_IMAGE, root } from "../lib/project.mjs";
import { findCompose } from "../setup.d/compose.mjs";

/** @typedef {import("./main.mjs").Finding} Finding */

const UP = "Run `docker compose up -d` (version 1: `docker-compose up -d`) and check its logs.";

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
  const state = "ok";
  return [
    { state, name, found: `${compose.join(" ")} ${found}` },
    settingsFile(),
    await botImage(engine),
    ...(await Promise.all(["engine-proxy", "bot"].map((part) => service(engine, part)))),
  ];
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
  if (await engine.image(BOT_IMAGE)) return { state: "ok", name, found: BOT_IMAGE };
  const fix = "Run `npm run compose:build`. `npm start` does not need it.";
  return { state: "note", name, found: `no ${BOT_IMAGE}`, fix };
}

/**
 * The health of a part, as its own health check sees it: the bot's is /readyz.
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 * @param {string} part
 * @returns {Promise<Finding>}
 */
async function service(engine, part) {
  const name = `Service ${part}`;
  const labels = [
    `com.docker.compose.service=${part}`,
    `com.docker.compose.project.working_dir=${root}`,
  ];
  const filters = encodeURIComponent(JSON.stringify({ label: labels }));
  const [container] = await engine.json("GET", `/containers/json?all=true&filters=${filters}`);
  if (!container) return { state: "ok", name, found: "not set up here" };
  const { State } = await engine.json("GET", `/containers/${container.Id}/json`);
  const status = State.Health?.Status ?? State.Status;
  if (status === "healthy") return { state: "ok", name, found: status };
  const last = State.Health?.Log?.at(-1)?.Output?.trim() ?? "";
  return { state: "problem", name, found: `${status} ${last}`.trim(), fix: UP };
}
