import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { apparmorProfile } from "../../../../src/workspace/docker/apparmor.ts";
import { containerSpec } from "../../../../src/workspace/docker/container-spec.ts";
import { Names } from "../../../../src/workspace/names.ts";
import { WorkspaceSettings } from "../../../../src/workspace/settings.ts";

const OURS = "unconfined-thing (complain)\ndeckhand-sandbox (enforce)\ndocker-default (enforce)\n";
const PROFILE = fileURLToPath(
  new URL("../../../../sandbox-image/apparmor.profile", import.meta.url),
);
const PARSER = "/usr/sbin/apparmor_parser";

describe("the AppArmor profile of a workspace", () => {
  it.each([
    [["name=seccomp,profile=default"], OURS, undefined],
    [[], OURS, undefined],
    [["name=seccomp,profile=apparmor"], OURS, undefined],
    [["name=apparmor", "name=seccomp,profile=default"], "", "docker-default"],
    [["name=apparmor"], "deckhand-sandbox (complain)\n", "docker-default"],
    [["name=apparmor"], "not-deckhand-sandbox (enforce)\n", "docker-default"],
    [["name=apparmor"], OURS, "deckhand-sandbox"],
  ])("on an engine with %j is chosen by what its host has loaded", (options, loaded, profile) => {
    expect(apparmorProfile(options, loaded)).toBe(profile);
  });

  it("stands in the container's spec, and only where there is one", () => {
    const spec = (apparmor: string | undefined) =>
      containerSpec(
        {
          settings: WorkspaceSettings.parse({}),
          seccomp: "{}",
          imageId: "i",
          engineCpus: 2,
          apparmor,
        },
        new Names("00000000"),
        "w",
      ).HostConfig.SecurityOpt;
    expect(spec("deckhand-sandbox")).toContain("apparmor=deckhand-sandbox");
    expect(spec(undefined)).toEqual(["no-new-privileges", "seccomp={}"]);
  });

  it("has the name that the bot asks for", () => {
    expect(readFileSync(PROFILE, "utf8")).toContain("profile deckhand-sandbox flags=");
  });

  it.runIf(existsSync(PARSER))("is one that the parser accepts", () => {
    const args = ["--skip-kernel-load", "--skip-cache", PROFILE];
    expect(() => execFileSync(PARSER, args, { stdio: "pipe" })).not.toThrow();
  });
});
