// @ts-check
import { parseArgs } from "node:util";
import { EngineApi } from "../lib/engine-api.mjs";
import { withLock } from "../lib/lock.mjs";
import { runScript, SetupError } from "../lib/problem.mjs";
import { IMAGE } from "../lib/project.mjs";
import { prepareDependencies } from "../setup.d/dependencies.mjs";
import { prepareEngine } from "../setup.d/engine.mjs";
import { prepareImage } from "../setup.d/image.mjs";
import { layerOn } from "./layer.mjs";

const USAGE = "Usage: npm run image -- [--from IMAGE] [--tag NAME]";

await runScript(async () => {
  const { from, tag } = readArguments();
  await withLock(async () => {
    await prepareDependencies();
    const engine = await prepareEngine(process.env);
    await prepareImage(engine, from === undefined ? { force: true, tag } : {});
  });
  if (from !== undefined) await layerOn(new EngineApi(process.env), { from, tag });
});

function readArguments() {
  try {
    const options = /** @type {const} */ ({ from: { type: "string" }, tag: { type: "string" } });
    const { values } = parseArgs({ options });
    const { from } = values;
    const usual = from === undefined ? IMAGE : `${IMAGE}:from-${slug(from)}`;
    return { from, tag: values.tag ?? usual };
  } catch (error) {
    throw new SetupError(`${/** @type {Error} */ (error).message}. ${USAGE}`, { cause: error });
  }
}

/** @param {string | undefined} name */
function slug(name = "") {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}
