// @ts-check
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../lib/command.mjs";
import { hashTree } from "../lib/image-inputs.mjs";
import { BOT_IMAGE, INPUTS_LABEL, root } from "../lib/project.mjs";
import { prepareBase, REGISTRY_BASE } from "./base.mjs";
import { outerEnvironment } from "./dependencies.mjs";
import { build } from "./image.mjs";

/** What the Dockerfile copies, as .dockerignore lists it. */
const PARTS = [
  "Dockerfile",
  "package.json",
  "package-lock.json",
  "scripts",
  "sandbox-image",
  "prompts",
  "adapters",
  "src",
];

/**
 * Of everything that the bot's image is made from.
 * @param {string} tree
 */
export function botImageHash(tree) {
  const sum = createHash("sha256");
  for (const part of PARTS) hashTree(sum, join(tree, part), part);
  return sum.digest("hex");
}

/**
 * The bot's image for compose, built where it is missing or its inputs have changed.
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 * @param {{ tag?: string, tree?: string }} [options] another tree than this one, and another tag, for tests
 */
export async function prepareBotImage(engine, { tag = BOT_IMAGE, tree = root } = {}) {
  const hash = botImageHash(tree);
  const made = await engine.image(tag);
  if (made?.Config?.Labels?.[INPUTS_LABEL] === hash) return;
  const base = await prepareBase(engine);
  console.log(`Building ${tag}: ${made ? "its inputs changed" : "it does not exist yet"}.`);
  await inContext(async (context) => {
    for (const part of PARTS) await copy(join(tree, part), context);
    if (base !== REGISTRY_BASE) await installPackages(context);
    await build(engine, context, { tag, base, hash });
  });
}

/**
 * Here and not in the image: a base without a registry has no Node, and does not know by which certificates and mirrors
 * this machine reaches npm.
 * @param {string} context
 */
async function installPackages(context) {
  const directory = join(context, "packages");
  mkdirSync(directory);
  for (const name of ["package.json", "package-lock.json"])
    await copy(join(context, name), directory);
  await run("npm", ["ci", "--omit=dev", "--include=optional", "--no-audit", "--no-fund"], {
    cwd: directory,
    env: outerEnvironment(),
    problem: "The bot's packages could not be installed: fix the errors above and run this again.",
  });
}

/** @param {(directory: string) => Promise<void>} work */
async function inContext(work) {
  const directory = mkdtempSync(join(tmpdir(), "deckhand-context-"));
  try {
    await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * @param {string} from
 * @param {string} to
 */
async function copy(from, to) {
  const problem = `${from} could not be copied to ${to}: free some disk space there and run this again.`;
  await run("cp", ["-RL", from, to], { problem });
}
