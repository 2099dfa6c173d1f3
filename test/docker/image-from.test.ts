import { execFile } from "node:child_process";
import { promisify } from "node:util";
import Docker from "dockerode";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IMAGE, runInImage } from "../support/run-in-image.ts";

const run = promisify(execFile);
const docker = new Docker();
const TEAM = "deckhand-test-team";
const BARE = "deckhand-test-bare";
const LAYERED = "deckhand-test-layered";

/** Commits what a script leaves in a container of the sandbox image as a team's own image. */
async function makeImage(repo: string, script: string): Promise<void> {
  const container = await docker.createContainer({
    Image: IMAGE,
    User: "0",
    Cmd: ["bash", "-c", script],
    HostConfig: { NetworkMode: "none" },
  });
  await container.start();
  await container.wait();
  await container.commit({ repo, changes: "USER 1000" });
  await container.remove();
}

const layer = (from: string) => run("scripts/image", ["--from", from, "--tag", LAYERED]);

beforeAll(async () => {
  const ours = "/opt/deckhand /usr/local/bin/sudo /usr/local/bin/doas /var/lib/deckhand";
  await makeImage(TEAM, `rm -rf ${ours} /workspace /usr/bin/rg /usr/bin/jq; userdel -r agent`);
  await makeImage(BARE, "rm /usr/bin/setpriv /bin/bash");
});

afterAll(async () => {
  for (const name of [LAYERED, TEAM, BARE]) await docker.getImage(name).remove({ force: true });
});

describe("npm run image -- --from", () => {
  it("puts the server on a team's image and says what people will miss there", async () => {
    const { stdout } = await layer(TEAM);
    expect(stdout).toContain(`Built ${LAYERED}`);
    expect(stdout).toContain("missing in the image: rg, jq.");
    const { output } = await runInImage("id -un; pwd; stat -c %a /opt/deckhand/node; sudo id", {
      image: LAYERED,
    });
    expect(output.split("\n").slice(0, 3)).toEqual(["agent", "/workspace", "711"]);
    expect(output).toContain("sudo: not root.");
  });

  it("refuses an image that cannot be a workspace, with what to add", async () => {
    await expect(layer(BARE)).rejects.toMatchObject({
      stderr: expect.stringMatching(
        /^Image \S+ cannot be used for workspaces: add bash, setpriv .* to it/m,
      ),
    });
  });

  it("says what to do about an image that the engine has not got", async () => {
    await expect(layer("deckhand-test-nowhere")).rejects.toMatchObject({
      stderr: expect.stringContaining(
        "does not have the image deckhand-test-nowhere: pull, load or build it",
      ),
    });
  });
});
