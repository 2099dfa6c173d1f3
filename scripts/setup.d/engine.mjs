// @ts-check
import { EngineApi } from "../lib/engine-api.mjs";
import { SetupError } from "../lib/problem.mjs";
import { MINIMUM_API } from "../lib/project.mjs";
import { installEngine } from "./install-engine.mjs";
import { startEngine } from "./start-engine.mjs";

/**
 * A Docker engine that answers: the one there is, else one installed and started here.
 * @param {NodeJS.ProcessEnv} env
 */
export async function prepareEngine(env) {
  const engine = new EngineApi(env);
  const trouble = await engine.trouble();
  if (trouble) {
    if (env.DOCKER_HOST) {
      throw new SetupError(
        `The Docker engine at DOCKER_HOST=${env.DOCKER_HOST} does not respond (${trouble}): start it, or correct or unset DOCKER_HOST.`,
      );
    }
    refuseForeignTrouble(trouble);
    await installEngine();
    await startEngine(engine);
  }
  await checkVersion(engine);
  return engine;
}

/** @param {string} trouble */
function refuseForeignTrouble(trouble) {
  if (trouble === "EACCES") {
    throw new SetupError(
      "You have no permission to use the Docker engine: run this as root, or run `sudo usermod -aG docker $USER` and log in again.",
    );
  }
  if (!["ENOENT", "ECONNREFUSED"].includes(trouble)) {
    throw new SetupError(
      `The Docker engine on this machine does not respond (${trouble}): restart it, then run this again.`,
    );
  }
}

/** @param {EngineApi} engine */
async function checkVersion(engine) {
  const { Version, ApiVersion, Arch } = await engine.version();
  if (isOlder(ApiVersion, MINIMUM_API)) {
    throw new SetupError(
      `Docker engine ${Version} is too old (API ${ApiVersion}): upgrade it to 20.10 (API ${MINIMUM_API}) or newer.`,
    );
  }
  const here = process.arch === "x64" ? "amd64" : process.arch;
  if (Arch !== here) {
    throw new SetupError(
      `The Docker engine runs on ${Arch} and this machine is ${here}: run setup on a machine with the engine's architecture.`,
    );
  }
}

/**
 * @param {string} version
 * @param {string} minimum
 */
export function isOlder(version, minimum) {
  return version.localeCompare(minimum, "en", { numeric: true }) < 0;
}
