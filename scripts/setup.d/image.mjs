// @ts-check
import { spawn } from "node:child_process";
import { completeContext, imageInputs } from "../lib/image-inputs.mjs";
import { SetupError } from "../lib/problem.mjs";
import { IMAGE, INPUTS_LABEL } from "../lib/project.mjs";
import { prepareBase } from "./base.mjs";

const BUILD_MS = 20 * 60_000;
const YOUNG_SECONDS = 10 * 60;

/**
 * The sandbox image, built when it is missing, when its inputs changed, or when `force` asks for it.
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 * @param {{ force?: boolean, tag?: string }} [options] another tag is for trying a build beside the one in use
 */
export async function prepareImage(engine, { force = false, tag = IMAGE } = {}) {
  const inputs = await imageInputs();
  try {
    const reason = force ? "requested" : await staleImage(engine, inputs.hash, tag);
    if (!reason) return;
    const base = await prepareBase(engine);
    console.log(`Building the sandbox image: ${reason}.`);
    await completeContext(inputs);
    await build(engine, inputs.directory, { tag, base, hash: inputs.hash });
    if (tag === IMAGE) await removeUnused(engine);
  } finally {
    inputs.dispose();
  }
}

/**
 * Lets go of earlier builds. The engine keeps those that a container still uses. A young one may be another checkout's,
 * which gives it its name only now.
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 */
async function removeUnused(engine) {
  const filters = JSON.stringify({ dangling: ["true"], label: [INPUTS_LABEL] });
  const old = await engine.json("GET", `/images/json?filters=${encodeURIComponent(filters)}`);
  const youngest = Date.now() / 1000 - YOUNG_SECONDS;
  for (const { Id, Created } of old)
    if (Created < youngest) await engine.request("DELETE", `/images/${Id}`);
}

/**
 * Why the image is not the one these inputs make, or undefined when it is.
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 * @param {string} hash
 * @param {string} [tag]
 */
export async function staleImage(engine, hash, tag = IMAGE) {
  const image = await engine.image(tag);
  if (!image) return "it does not exist yet";
  const made = image.Config?.Labels?.[INPUTS_LABEL];
  return made === hash ? undefined : "its inputs changed";
}

/**
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 * @param {string} context
 * @param {{ tag: string, base: string, hash: string, dockerfile?: string }} options
 */
export async function build(engine, context, { tag, base, hash, dockerfile = "Dockerfile" }) {
  const query = new URLSearchParams({
    t: tag,
    dockerfile,
    buildargs: JSON.stringify({ BASE: base }),
    labels: JSON.stringify({ [INPUTS_LABEL]: hash }),
    rm: "1",
    forcerm: "1",
  });
  const tar = spawn("tar", ["-C", context, "--owner=0", "--group=0", "-c", "."], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await engine.progress(`/build?${query}`, { body: tar.stdout, timeoutMs: BUILD_MS });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    throw new SetupError(
      `Image ${tag} could not be built: fix the errors above and run \`npm run image\`.`,
      { cause: error },
    );
  }
}
