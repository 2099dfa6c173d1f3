// @ts-check
import { EngineApi } from "../lib/engine-api.mjs";
import { runScript } from "../lib/problem.mjs";
import { checkApprovers } from "./check-approvers.mjs";
import { checkCompose } from "./check-compose.mjs";
import { checkEngine } from "./check-engine.mjs";
import { checkImage } from "./check-image.mjs";
import { checkDependencies, checkDiskLimit, checkNode, checkRedis } from "./check-machine.mjs";
import { checkWorkspaces } from "./check-workspaces.mjs";

/**
 * One line of the report. A problem makes the doctor fail; a note says what works less well.
 * @typedef {{ state: "ok" | "note" | "problem", name: string, found: string, fix?: string }} Finding
 */

await runScript(async () => {
  const findings = await examine();
  report(findings);
  if (findings.some(({ state }) => state === "problem")) process.exitCode = 1;
});

/** @returns {Promise<Finding[]>} */
async function examine() {
  const dependencies = checkDependencies();
  // The settings are read by the bot's own code, which needs its packages.
  const settings = dependencies.state === "ok" ? [checkApprovers()] : [];
  const machine = [checkNode(), dependencies, await checkDiskLimit(), checkRedis(), ...settings];
  const engine = new EngineApi(process.env);
  const found = await checkEngine(engine);
  if (found.some(({ state }) => state === "problem")) return [...machine, ...found];
  return [
    ...machine,
    ...found,
    ...(await checkImage(engine)),
    await checkWorkspaces(engine),
    ...(await checkCompose(engine)),
  ];
}

/** @param {Finding[]} findings */
function report(findings) {
  const width = Math.max(...findings.map(({ name }) => name.length));
  for (const { state, name, found, fix } of findings) {
    console.log(`${state.padEnd(7)}  ${name.padEnd(width)}  ${found}`);
    if (fix) console.log(`${" ".repeat(9 + width)}  → ${fix}`);
  }
}
