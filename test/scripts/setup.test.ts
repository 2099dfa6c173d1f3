import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

const NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
const isRoot = process.getuid?.() === 0;

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "deckhand-test-"));
  chmodSync(directory, 0o755);
});
afterEach(() => rmSync(directory, { recursive: true }));

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(script: string, { env = {}, through = [] as string[] } = {}): Promise<Outcome> {
  const { DOCKER_HOST: _, ...inherited } = process.env;
  const [program = "", ...args] = [...through, process.execPath, `scripts/${script}`];
  return new Promise((resolve) => {
    execFile(program, args, { env: { ...inherited, ...env } }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

/** Shows the script a machine on which no engine runs and only the named programs are installed. */
function machineWith(programs: string[], user: string[] = []): { env: object; through: string[] } {
  for (const name of programs) symlinkSync("/bin/false", join(directory, name));
  const hide = `mount -t tmpfs none /run && PATH=${directory} exec "$@"`;
  const inside = user.map((word) => word.replace(/^setpriv$/, "/usr/bin/setpriv"));
  return { env: {}, through: ["unshare", "--mount", "sh", "-c", hide, "sh", ...inside] };
}

const WAITING = "Waiting for another setup on this machine to finish.\n";

/** What a person is told: one sentence, on standard error, and nothing else. */
function sentence({ code, stdout, stderr }: Outcome): string {
  expect(code).toBe(1);
  expect(stdout.replace(WAITING, "")).toBe("");
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  return stderr.trimEnd();
}

// Somebody may have edited the server since the tests began.
beforeAll(() => run("setup"), 60_000);

describe("scripts/setup", () => {
  it("says in one line that all is ready, and installs, builds and starts nothing", async () => {
    const started = join(directory, "started");
    for (const name of ["npm", "apt-get", "debootstrap", "tar", "systemctl", "dockerd"]) {
      writeFileSync(join(directory, name), `#!/bin/sh\necho "$0" >>${started}\nexit 1\n`, {
        mode: 0o755,
      });
    }
    const { code, stdout, stderr } = await run("setup", {
      env: { DOCKER_HOST: process.env.DOCKER_HOST, PATH: `${directory}:${process.env.PATH}` },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.replace(WAITING, "")).toMatch(/^Ready: [^\n]+\n$/);
    expect(existsSync(started)).toBe(false);
  });

  it("lets two run at once", async () => {
    const both = await Promise.all([run("setup"), run("setup")]);
    for (const { code, stdout } of both) {
      expect(code).toBe(0);
      expect(stdout).toMatch(/^(Waiting for another setup[^\n]+\n)?Ready: [^\n]+\n$/);
    }
  });

  it("installs nothing when DOCKER_HOST names an engine that does not answer", async () => {
    const DOCKER_HOST = `unix://${directory}/none.sock`;
    expect(sentence(await run("setup", { env: { DOCKER_HOST } }))).toBe(
      `The Docker engine at DOCKER_HOST=${DOCKER_HOST} does not respond (ENOENT): start it, or correct or unset DOCKER_HOST.`,
    );
  });

  it("says which addresses DOCKER_HOST may hold", async () => {
    const said = sentence(await run("setup", { env: { DOCKER_HOST: "ssh://somewhere" } }));
    expect(said).toContain("set it to unix:///path or tcp://host:port, or unset it.");
  });

  it("asks for an upgrade of an engine that is too old", async () => {
    const socket = join(directory, "old.sock");
    const version = { Version: "19.03.5", ApiVersion: "1.40", Arch: "amd64" };
    const engine = createServer((_, response) => response.end(JSON.stringify(version)));
    await new Promise<void>((resolve) => engine.listen(socket, resolve));
    const outcome = await run("setup", { env: { DOCKER_HOST: `unix://${socket}` } });
    engine.close();
    expect(sentence(outcome)).toBe(
      "Docker engine 19.03.5 is too old (API 1.40): upgrade it to 20.10 (API 1.41) or newer.",
    );
  });

  it.runIf(isRoot)("tells a user who may not use the engine how to be allowed", async () => {
    expect(sentence(await run("setup", { through: NOBODY }))).toContain(
      "sudo usermod -aG docker $USER",
    );
  });

  it.runIf(isRoot)("asks for Docker where there is no apt-get", async () => {
    expect(sentence(await run("setup", machineWith([])))).toBe(
      "No Docker engine answers and this system has no apt-get: install Docker 20.10 or newer, start it, and run this again.",
    );
  });

  it.runIf(isRoot)("asks for root where Docker has to be installed", async () => {
    expect(sentence(await run("setup", machineWith(["apt-get"], NOBODY)))).toContain(
      "only root can install one: run this as root, or install Docker 20.10 or newer",
    );
  });

  it.runIf(isRoot)("asks for root where Docker has to be started", async () => {
    expect(sentence(await run("setup", machineWith(["dockerd"], NOBODY)))).toContain(
      "start it with `sudo systemctl start docker`, or run this as root",
    );
  });
});

describe("npm run doctor", () => {
  it("finds everything in order after setup", async () => {
    const { code, stdout } = await run("doctor");
    expect(stdout).not.toContain("problem");
    expect(stdout).toMatch(/^ok +Docker engine +\S+, API /m);
    expect(stdout).toMatch(/^ok +Sandbox image +deckhand-sandbox, current$/m);
    expect(stdout).toMatch(/^ok +Landlock +version \d+: /m);
    expect(code).toBe(0);
  });

  it("fails with a fix when no engine answers", async () => {
    const { code, stdout } = await run("doctor", { env: { DOCKER_HOST: "tcp://127.0.0.1:1" } });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^problem +Docker engine +tcp:\/\/127\.0\.0\.1:1: ECONNREFUSED\n +→ Run scripts\/setup/m,
    );
  });
});
