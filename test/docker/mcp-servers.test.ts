import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { createServerContainers } from "../../src/workspace/docker/server-containers.ts";
import { WorkspaceSettings } from "../../src/workspace/settings.ts";
import { McpLab, SCRIPTED } from "../src/mcp/lab.ts";
import { IMAGE } from "../support/run-in-image.ts";
import { until } from "../support/until.ts";

const labs: McpLab[] = [];
afterEach(async () => {
  for (const lab of labs.splice(0)) await lab[Symbol.asyncDispose]();
});

/** The scripted server, as a file that the operator has put beside its description. */
async function lab(scenario: string, own: object = {}): Promise<McpLab> {
  const made = await McpLab.make({
    containers: (directory) =>
      createServerContainers({
        settings: WorkspaceSettings.parse({ image: IMAGE }),
        dataDir: directory,
      }),
    image: IMAGE,
    prepare: (directory) => {
      const servers = join(directory, "mcp-servers");
      mkdirSync(servers, { mode: 0o755 });
      copyFileSync(SCRIPTED, join(servers, "scripted.mjs"));
      const entry = {
        command: "node",
        args: ["scripted.mjs", scenario, "/tmp"],
        "x-deckhand": { files: ["scripted.mjs"], ...own },
      };
      writeFileSync(join(servers, "boxed.json"), JSON.stringify(entry));
      // It is only a file of the other one.
      writeFileSync(join(servers, "scripted.json"), "{}");
    },
  });
  labs.push(made);
  await made.servers.start();
  return made;
}

const docker = (...args: string[]) => execFileSync("docker", args, { encoding: "utf8" }).trim();
const containers = () =>
  docker("ps", "-a", "--filter", "label=deckhand.mcp-server=boxed", "-q")
    .split("\n")
    .filter(Boolean);
const volumes = () => docker("volume", "ls", "-q").split("\n");

it("runs a server in a container of its own, without network, rights and anything of the bot [12.3] [12.21] [P-X3]", async () => {
  const made = await lab("answers with its environment");
  expect(made.summary("boxed")).toMatchObject({ state: "active", runs: "container" });
  const [id = ""] = containers();
  const [{ HostConfig, Config, Mounts }] = JSON.parse(docker("inspect", id));
  expect(HostConfig).toMatchObject({ NetworkMode: "none", ReadonlyRootfs: true, PidsLimit: 128 });
  expect(HostConfig.CapDrop).toEqual(["ALL"]);
  expect(Config.User).toBe("1000:1000");
  expect(Mounts.map(({ Destination }: { Destination: string }) => Destination)).toEqual([
    "/server",
  ]);
  const own = Mounts.flatMap(({ Name }: { Name?: string }) => Name ?? []);
  const { output } = await made.call("boxed.add", { a: 1, b: 2 });
  const variables = Object.keys(JSON.parse(/\{.*\}/.exec(output.content)?.[0] ?? "{}"));
  expect(variables.sort()).toEqual(expect.arrayContaining(["HOME", "HOSTNAME", "PATH"]));
  expect(variables.filter((name) => /TOKEN|KEY|DECKHAND|SLACK/.test(name))).toEqual([]);
  await made.servers[Symbol.asyncDispose]();
  expect(containers()).toEqual([]);
  expect(volumes().filter((name) => own.includes(name))).toEqual([]);
});

it("starts a new container for a server whose container is killed, and tells the call in flight [12.13]", async () => {
  const made = await lab("never answers calls");
  const calling = made.call("boxed.add", { a: 1, b: 2 });
  const [id = ""] = containers();
  await until(
    () => made.box.entries.some(({ states }) => states.includes("Executing")),
    "the call",
  );
  docker("kill", id);
  const { output } = await calling;
  expect(output.content).toContain("was lost during the call");
  expect(output.content).toContain('"outcome":"unknown"');
  await until(() => made.summary("boxed").state === "active", "it to be active again");
  expect(containers()).toHaveLength(1);
  expect(containers()).not.toContain(id);
});

it("removes the containers that a killed bot has left, and no others", async () => {
  const made = await lab("ignores the end of its input");
  const [id] = containers();
  const elsewhere = createServerContainers({
    settings: WorkspaceSettings.parse({ image: IMAGE }),
    dataDir: join(made.directory, "another"),
  });
  await elsewhere.removeLeft();
  expect(containers()).toEqual([id]);
  await createServerContainers({
    settings: WorkspaceSettings.parse({ image: IMAGE }),
    dataDir: made.directory,
  }).removeLeft();
  expect(containers()).not.toContain(id);
});

it("says so where the image is missing", async () => {
  const made = await lab("steady", { image: "no-such-image" });
  expect(made.summary("boxed").lastError).toContain('the image "no-such-image" is missing');
});
