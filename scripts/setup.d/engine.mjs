// @ts-check
import { EngineApi } from "../lib/engine-api.mjs";
import { SetupProblem } from "../lib/problem.mjs";
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
      throw new SetupProblem(
        `The Docker engine at DOCKER_HOST=${env.DOCKER_HOST} does not answer (${trouble}): start it, correct DOCKER_HOST, or unset it.`,
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
    throw new SetupProblem(
      "A Docker engine runs here but you may not use it: run this as root, or run `sudo usermod -aG docker $USER` and log in again.",
    );
  }
  if (!["ENOENT", "ECONNREFUSED"].includes(trouble)) {
    throw new SetupProblem(
      `The Docker engine of this machine does not answer (${trouble}): restart it, then run this again.`,
    );
  }
}

/** @param {EngineApi} engine */
async function checkVersion(engine) {
  const { Version, ApiVersion, Arch } = await engine.version();
  if (isOlder(ApiVersion, MINIMUM_API)) {
    throw new SetupProblem(
      `Docker engine ${Version} is too old (API ${ApiVersion}): upgrade it to 20.10 (API ${MINIMUM_API}) or newer.`,
    );
  }
  const here = process.arch === "x64" ? "amd64" : process.arch;
  if (Arch !== here) {
    throw new SetupProblem(
      `The Docker engine runs on ${Arch} and this machine is ${here}: run set-up on a machine of the engine's kind.`,
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
