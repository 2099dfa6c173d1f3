// @ts-check
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "./command.mjs";
import { root } from "./project.mjs";

const modules = join(root, "node_modules");
const imageFolder = join(root, "sandbox-image");

/** Files of sandbox-image that go into the image as they are; server/ goes in as a bundle for each program. */
const PARTS = [
  "Dockerfile",
  "confine.c",
  "confine.h",
  "init.c",
  "packages.txt",
  "prepare",
  "rootfs",
  "supervise.c",
];

/**
 * @typedef {object} ImageInputs
 * @property {string} hash changes when the image has to be built again
 * @property {string} directory a temporary one that holds the server's programs
 * @property {() => void} dispose removes the directory
 */

/**
 * Bundles the server and hashes all that the image is made of. The bundle itself is hashed, not its
 * sources: what does not change the program does not rebuild the image.
 * @returns {Promise<ImageInputs>}
 */
export async function imageInputs() {
  const directory = mkdtempSync(join(tmpdir(), "deckhand-image-"));
  const dispose = () => rmSync(directory, { recursive: true, force: true });
  try {
    await bundlePrograms(join(directory, "programs"));
    const hash = createHash("sha256");
    hashTree(hash, join(directory, "programs"), "programs");
    for (const part of PARTS) hashTree(hash, join(imageFolder, part), part);
    for (const name of ["node", "node-pty", "npm"]) hash.update(`${name} ${versionOf(name)}\n`);
    hash.update(process.arch);
    return { hash: hash.digest("hex"), directory, dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

/** @param {string} outdir */
function bundlePrograms(outdir) {
  return run(process.execPath, [join(imageFolder, "bundle.mjs"), outdir], {
    cwd: root,
    problem: "The workspace server could not be bundled: fix the errors above and run this again.",
  });
}

/**
 * Adds what the Dockerfile copies to the inputs' directory, which then is the build context.
 * @param {ImageInputs} inputs
 */
export async function completeContext({ directory }) {
  const pty = `node-pty-linux-${process.arch}`;
  mkdirSync(join(directory, "pty"));
  const copies = [
    ...PARTS.map((part) => [join(imageFolder, part), directory]),
    [join(modules, "node/bin/node"), directory],
    [join(modules, "npm"), directory],
    [join(modules, "@lydell", pty), join(directory, "pty")],
  ];
  for (const [from, to] of copies) {
    const problem = `${from} could not be copied to ${to}: free some disk space there and run this again.`;
    await run("cp", ["-RL", `${from}`, `${to}`], { problem });
  }
  // Execute-only: the kernel then lets nobody but root trace the server or read its memory.
  chmodSync(join(directory, "node"), 0o711);
}

/**
 * @param {import("node:crypto").Hash} hash
 * @param {string} path
 * @param {string} name
 */
export function hashTree(hash, path, name) {
  const stat = statSync(path);
  if (stat.isDirectory()) {
    for (const child of readdirSync(path).sort())
      hashTree(hash, join(path, child), `${name}/${child}`);
  } else {
    hash
      .update(`${name} ${stat.mode & 0o111 ? "x" : "-"} ${stat.size}\n`)
      .update(readFileSync(path));
  }
}

/** @param {string} name */
function versionOf(name) {
  return JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8")).version;
}
