// @ts-check
import { execFile, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { SetupError } from "./problem.mjs";

const LINES_SHOWN = 15;

/**
 * Runs a program silently. When it fails, the last lines it printed and then `problem` are shown.
 * @param {string} program
 * @param {string[]} args
 * @param {{ problem: string, cwd?: string, env?: NodeJS.ProcessEnv }} options
 */
export async function run(program, args, { problem, cwd, env }) {
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const keep = (/** @type {Buffer} */ chunk) => {
    output = (output + chunk).slice(-20_000);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const code = await new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", resolve);
  });
  if (code === 0) return;
  console.error(output.trimEnd().split("\n").slice(-LINES_SHOWN).join("\n"));
  throw new SetupError(problem);
}

/**
 * What a program prints, or undefined when it fails or does not exist.
 * @param {string} program
 * @param {string[]} args
 */
export async function outputOf(program, args) {
  try {
    return (await promisify(execFile)(program, args)).stdout.trim();
  } catch {
    return undefined;
  }
}

/** @param {string} program */
export function isInstalled(program) {
  return (process.env.PATH ?? "").split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return directory !== "";
    } catch {
      return false;
    }
  });
}
