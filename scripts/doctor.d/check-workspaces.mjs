// @ts-check

/** @typedef {import("./main.mjs").Finding} Finding */
/** @typedef {import("../lib/engine-api.mjs").EngineApi} EngineApi */

/**
 * The workspaces of every bot on this engine whose server fails the engine's health checks.
 * @param {EngineApi} engine
 * @returns {Promise<Finding>}
 */
export async function checkWorkspaces(engine) {
  const name = "Workspaces";
  /** @type {{ Names: string[], Status: string }[]} */
  const running = await engine.json("GET", `/containers/json?filters=${RUNNING}`);
  const unhealthy = running.filter(({ Status }) => Status.endsWith("(unhealthy)"));
  if (unhealthy.length === 0) return { state: "ok", name, found: `${running.length} running` };
  const names = unhealthy.map(({ Names }) => (Names[0] ?? "").slice(1)).join(", ");
  return {
    state: "note",
    name,
    found: `${unhealthy.length} of ${running.length} running do not respond: ${names}`,
    fix: "No action needed: the bot restarts each one at its next use and keeps its files.",
  };
}

const RUNNING = encodeURIComponent(JSON.stringify({ label: ["deckhand.instance"] }));
