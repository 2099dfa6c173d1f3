// @ts-check
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { imageInputs } from "../lib/image-inputs.mjs";
import { IMAGE, root } from "../lib/project.mjs";
import { staleDependencies } from "../setup.d/dependencies.mjs";
import { staleImage } from "../setup.d/image.mjs";

/** @typedef {import("./main.mjs").Finding} Finding */
/** @typedef {import("../lib/engine-api.mjs").EngineApi} EngineApi */

const FIX = "Run scripts/setup, or `npm run image` to build it now.";

/**
 * @param {EngineApi} engine
 * @returns {Promise<Finding[]>}
 */
export async function checkImage(engine) {
  const name = "Sandbox image";
  if (!(await engine.image(IMAGE))) {
    return [{ state: "problem", name, found: `${IMAGE} does not exist`, fix: FIX }];
  }
  return [await currency(engine), await container(engine), await landlock(engine)];
}

/**
 * @param {EngineApi} engine
 * @returns {Promise<Finding>}
 */
async function currency(engine) {
  const name = "Sandbox image";
  if (staleDependencies()) {
    const found = "present; install the dependencies to check that it is current";
    return { state: "note", name, found };
  }
  const inputs = await imageInputs();
  inputs.dispose();
  const stale = await staleImage(engine, inputs.hash);
  if (stale) return { state: "problem", name, found: stale, fix: FIX };
  return { state: "ok", name, found: `${IMAGE}, current` };
}

/**
 * @param {EngineApi} engine
 * @returns {Promise<Finding>}
 */
async function container(engine) {
  const name = "Container";
  const { code, output } = await engine.runIn(IMAGE, ["locale", "-a"]);
  if (code !== 0) {
    const fix = "Fix the engine so that `docker run --rm deckhand-sandbox true` works.";
    return { state: "problem", name, found: `does not run: ${output.trim()}`, fix };
  }
  if (!output.includes("en_US.utf8")) {
    return { state: "problem", name, found: "has no locale en_US.UTF-8", fix: FIX };
  }
  return { state: "ok", name, found: "starts, has locale en_US.UTF-8" };
}

/**
 * Asked in a container with the profile of workspaces, which must not hide it.
 * @param {EngineApi} engine
 * @returns {Promise<Finding>}
 */
async function landlock(engine) {
  const name = "Landlock";
  const seccomp = readFileSync(join(root, "sandbox-image/seccomp.json"), "utf8");
  const { code, output } = await engine.runIn(IMAGE, ["/opt/deckhand/supervise", "--landlock"], {
    securityOpt: [`seccomp=${seccomp}`],
  });
  if (code === 0) {
    const found = `version ${output.trim()}: root can use only the workspace files that its card names`;
    return { state: "ok", name, found };
  }
  return {
    state: "note",
    name,
    found: "missing: every root command asks for a phrase",
    fix: "Run the engine on Linux 5.13 or newer with landlock among its security modules (lsm=).",
  };
}
