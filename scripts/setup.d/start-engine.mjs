// @ts-check
import { spawn } from "node:child_process";
import { existsSync, openSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { run } from "../lib/command.mjs";
import { SetupError } from "../lib/problem.mjs";

const PID_FILE = "/var/run/docker.pid";
const CONTAINERD_PID_FILE = "/var/run/docker/containerd/containerd.pid";
const LOG = "/var/log/deckhand-dockerd.log";
const WAIT_MS = 60_000;
const POLL_MS = 250;

/**
 * Starts the installed engine, by systemd where that runs, and waits until it answers.
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 */
export async function startEngine(engine) {
  // A package's own post-install step may just be starting it.
  if (await answersWithin(engine, 1_000)) return;
  console.log("Starting the Docker engine: it is installed but not running.");
  if (existsSync("/run/systemd/system")) {
    const problem =
      "systemd could not start Docker: see `journalctl -u docker` for the reason, fix it, and run this again.";
    await run("systemctl", ["start", "docker"], { problem });
  } else {
    startDetached();
  }
  if (await answersWithin(engine, WAIT_MS)) return;
  throw new SetupError(
    `The Docker engine did not start within ${WAIT_MS / 1000} s: see ${LOG} for the reason, fix it, and run this again.`,
  );
}

function startDetached() {
  // One that is alive may still be coming up; a second one beside it would do harm.
  if (livesBy(PID_FILE, "dockerd")) return;
  rmSync(PID_FILE, { force: true });
  if (!livesBy(CONTAINERD_PID_FILE, "containerd")) rmSync(CONTAINERD_PID_FILE, { force: true });
  const log = openSync(LOG, "a");
  spawn("dockerd", [], { detached: true, stdio: ["ignore", log, log] }).unref();
}

/**
 * Whether the process named in a pid file is that program. A killed engine leaves its pid files behind,
 * and the next one refuses to start while they are there.
 * @param {string} pidFile
 * @param {string} program
 */
function livesBy(pidFile, program) {
  try {
    const pid = readFileSync(pidFile, "utf8").trim();
    // A zombie has no executable any more, a reused pid another one.
    return basename(readlinkSync(`/proc/${pid}/exe`)).startsWith(program);
  } catch {
    return false;
  }
}

/**
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 * @param {number} ms
 */
async function answersWithin(engine, ms) {
  for (const end = Date.now() + ms; Date.now() < end; ) {
    if (!(await engine.trouble())) return true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}
