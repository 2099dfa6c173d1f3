// @ts-check
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SetupError } from "../lib/problem.mjs";
import { IMAGE, INPUTS_LABEL, root } from "../lib/project.mjs";
import { build } from "../setup.d/image.mjs";
import { probe } from "./probe.mjs";

/**
 * Puts our server on top of a team's own image, and says what that image lacks.
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 * @param {{ from: string, tag: string }} options
 */
export async function layerOn(engine, { from, tag }) {
  if (!(await engine.image(from))) {
    throw new SetupError(
      `The Docker engine does not have the image ${from}: pull, load or build it, then run this again.`,
    );
  }
  const { needed, missed } = await probe(engine, from);
  if (needed.length > 0) {
    throw new SetupError(
      `Image ${from} cannot be used for workspaces: add ${needed.join(", ")} to it and run this again.`,
    );
  }
  await buildLayer(engine, { from, tag });
  console.log(`Built ${tag}: ${from} with Deckhand's workspace server.`);
  if (missed.length > 0) console.log(`Recommended but missing in the image: ${missed.join(", ")}.`);
}

/**
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 * @param {{ from: string, tag: string }} options
 */
async function buildLayer(engine, { from, tag }) {
  const context = mkdtempSync(join(tmpdir(), "deckhand-layer-"));
  try {
    for (const name of ["layer.Dockerfile", "prepare"]) {
      cpSync(join(root, "sandbox-image", name), join(context, name));
    }
    const { Config } = await engine.image(IMAGE);
    const hash = Config.Labels[INPUTS_LABEL];
    await build(engine, context, { tag, base: from, hash, dockerfile: "layer.Dockerfile" });
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
}
