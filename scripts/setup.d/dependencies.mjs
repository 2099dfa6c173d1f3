// @ts-check
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { run } from "../lib/command.mjs";
import { root } from "../lib/project.mjs";

const stampFile = join(root, "node_modules/.deckhand-lock-hash");

/** Why the installed packages are not those of the lock file, or undefined when they are. */
export function staleDependencies() {
  if (!existsSync(join(root, "node_modules"))) return "node_modules does not exist";
  if (!existsSync(join(root, "node_modules/.bin/node"))) return "node_modules has no Node";
  if (!existsSync(stampFile)) return "it is unknown which package-lock.json they came from";
  if (readFileSync(stampFile, "utf8") !== lockHash()) return "package-lock.json changed";
  return undefined;
}

export async function prepareDependencies() {
  const reason = staleDependencies();
  if (!reason) return;
  console.log(`Installing dependencies: ${reason}.`);
  // Development packages too, whatever NODE_ENV says: the same tree starts, tests and builds the image.
  await run("npm", ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund"], {
    cwd: root,
    env: outerEnvironment(),
    problem:
      "Dependencies could not be installed: make the npm registry reachable (see the lines above), then run this again.",
  });
  writeFileSync(stampFile, lockHash());
}

/** `npm ci` deletes node_modules first, so neither npm nor Node may run out of it meanwhile. */
export function outerEnvironment() {
  const path = (process.env.PATH ?? "").split(delimiter);
  const outer = path.filter((directory) => !directory.endsWith("node_modules/.bin"));
  return { ...process.env, PATH: outer.join(delimiter) };
}

function lockHash() {
  return createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
}
