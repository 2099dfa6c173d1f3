import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Workspace } from "../../src/contract/workspace/workspace.ts";
import { command, docker, startEngine, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/until.ts";

const run = promisify(execFile);
const health = { everyMs: 500, answerWithinMs: 1_500, retries: 2 };
const CHECK = "/opt/deckhand/init health 1500";
const SOCKET = "/run/deckhand-health";

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine({ health, sweepEveryMs: 500, settings: { pids: 128 } });
});
afterAll(() => engine[Symbol.asyncDispose]());

// Each workspace that is left costs a check every half second.
afterEach(async () => {
  const left = (await engine.workspaces.list()).filter((one) => one.conversation !== "hostile");
  await Promise.all(left.map(({ conversation }) => engine.workspaces.reset(conversation)));
});

interface Patient {
  readonly workspace: Workspace;
  readonly container: string;
}

async function open(conversation: string): Promise<Patient> {
  const workspace = await engine.workspaces.open(conversation, { fence: 1 });
  await command(workspace, "echo kept > file");
  return { workspace, container: await engine.containerOf(conversation) };
}

const asRoot = (container: string, script: string) =>
  docker("exec", "-u", "0", container, "bash", "-c", script);

const stopSupervisor = ({ container }: Patient) =>
  asRoot(container, "kill -STOP $(pgrep -xf '.*blob server supervisor gate')");

const inspectHealth = ({ container }: Patient, field: string) =>
  docker("inspect", "--format", `{{.State.Health.${field}}}`, container);

const becomes = (patient: Patient, status: string) =>
  eventually(async () => expect(await inspectHealth(patient, "Status")).toBe(status));

async function isListedUnhealthy(conversation: string): Promise<boolean> {
  const found = (await engine.workspaces.list()).find((one) => one.conversation === conversation);
  return found?.isUnhealthy ?? false;
}

describe("the health check of a workspace", () => {
  it("passes while the supervisor answers", async () => {
    const patient = await open("well");
    await becomes(patient, "healthy");
    expect(await isListedUnhealthy("well")).toBe(false);
    expect((await command(patient.workspace, "cat file")).notice).toBeUndefined();
  });

  it("finds a stopped supervisor, and the next use restarts the workspace with its files", async () => {
    const patient = await open("stopped");
    await becomes(patient, "healthy");
    await stopSupervisor(patient);
    await becomes(patient, "unhealthy");
    expect(await isListedUnhealthy("stopped")).toBe(true);
    const { stdout } = await run("scripts/doctor").catch((error: { stdout: string }) => error);
    expect(stdout).toContain(patient.container);
    const result = await command(patient.workspace, "cat file");
    expect(result).toMatchObject({ success: true, output: "kept\n" });
    expect(result.notice).toContain("did not respond");
    expect((await command(patient.workspace, "true")).notice).toBeUndefined();
    await becomes(patient, "healthy");
  });

  it("leaves no process behind when it fails", async () => {
    const patient = await open("clean");
    await stopSupervisor(patient);
    await expect(asRoot(patient.container, CHECK)).rejects.toThrow();
    await becomes(patient, "unhealthy");
    await eventually(async () =>
      expect(await asRoot(patient.container, "pgrep -cf 'init health' || true")).toMatch(/^[01]$/),
    );
  });

  it.each([
    ["remove the socket", `rm -f ${SOCKET}`],
    ["rename the socket", `mv ${SOCKET} /tmp/s`],
    ["put a socket in its place", `python3 -c 'import socket; socket.socket(1).bind("${SOCKET}")'`],
    ["hide it below a link", "mv /run /run2"],
    ["change its mode", `chmod 0777 ${SOCKET}`],
    ["connect to it", `python3 -c 'import socket; socket.socket(1).connect("${SOCKET}")'`],
    ["replace the check", "cp /bin/true /opt/deckhand/init"],
    ["run the check itself", CHECK],
  ])("cannot be faked or broken by the workload: %s", async (_how, script) => {
    const { workspace, container } = await open("hostile");
    expect(await command(workspace, script)).toMatchObject({ success: false });
    await asRoot(container, CHECK);
  });

  it("fails once root removes the socket (control), and a server that still answers is not restarted", async () => {
    const patient = await open("control");
    await command(patient.workspace, "STATE=kept");
    await asRoot(patient.container, `${CHECK} && rm -f ${SOCKET}`);
    await expect(asRoot(patient.container, CHECK)).rejects.toThrow("deckhand-health");
    await becomes(patient, "unhealthy");
    const result = await command(patient.workspace, "echo $STATE");
    expect(result).toMatchObject({ success: true, output: "kept\n" });
    expect(result.notice).toBeUndefined();
  });

  it("passes while the workload uses all pids", async () => {
    const { workspace, container } = await open("pids");
    const forks = "import os\ntry:\n  while os.fork(): pass\nexcept OSError: open('full', 'w')";
    await command(workspace, `python3 -c "${forks}\nimport time; time.sleep(300)"`, {
      background: true,
    });
    await eventually(() =>
      docker("exec", container, "test", "-e", "/workspace/full").then(() => {}),
    );
    await eventually(async () => {
      await docker("exec", "-u", "0", container, "/opt/deckhand/init", "health");
    });
    await workspace.killAll();
  });
});
