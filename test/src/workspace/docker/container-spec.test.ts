import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { containerSpec, specHash } from "../../../../src/workspace/docker/container-spec.ts";
import { Names } from "../../../../src/workspace/names.ts";
import { WorkspaceSettings } from "../../../../src/workspace/settings.ts";
import { caseCount } from "../../../support/thorough.ts";

const input = {
  settings: WorkspaceSettings.parse({}),
  seccomp: '{"defaultAction":"SCMP_ACT_ERRNO"}',
  imageId: "sha256:0123",
  engineCpus: 8,
};
const GOLDEN = new URL("container-spec.golden.json", import.meta.url);
const names = new Names("0a1b2c3d4e5f");

describe("the container spec", () => {
  it("15.2 is exactly the hardened one of the golden file", () => {
    const spec = containerSpec(input, names, "00ff00ff00ff00ff");
    expect(spec).toStrictEqual(JSON.parse(readFileSync(GOLDEN, "utf8")));
  });

  it("15.2 has no host mount, no port, no device and no way into another namespace", () => {
    const { HostConfig } = containerSpec(input, names, "00ff00ff00ff00ff");
    for (const field of ["Binds", "Devices", "PortBindings", "PidMode", "UTSMode", "UsernsMode"]) {
      expect(HostConfig).not.toHaveProperty(field);
    }
    expect(HostConfig.Mounts.every((mount) => mount.Type === "volume")).toBe(true);
  });

  it("passes another runtime through and never asks for more processors than there are", () => {
    const settings = { ...input.settings, runtime: "runsc", cpus: 64 };
    const { HostConfig } = containerSpec({ ...input, settings }, names, "00ff00ff00ff00ff");
    expect(HostConfig).toMatchObject({ Runtime: "runsc", NanoCpus: 8e9 });
  });

  it("has a hash that changes with the image and the limits, and not with the workspace", () => {
    const other = { ...input, imageId: "sha256:4567" };
    const larger = { ...input, settings: { ...input.settings, pids: 512 } };
    expect(new Set([specHash(input), specHash(other), specHash(larger)]).size).toBe(3);
    const [one, two] = ["00aa", "00bb"].map((id) => containerSpec(input, names, id));
    expect(one?.Labels["deckhand.spec"]).toBe(two?.Labels["deckhand.spec"]);
  });

  it("is not changed by any setting that the schema does not know", () => {
    const before = specHash(input);
    fc.assert(
      fc.property(fc.object(), (extra) => {
        const settings = WorkspaceSettings.parse({ ...withoutKnown(extra) });
        expect(specHash({ ...input, settings })).toBe(before);
      }),
      { numRuns: caseCount({ perChange: 500, all: 2000 }) },
    );
  });
});

function withoutKnown(extra: Record<string, unknown>): Record<string, unknown> {
  const known = new Set(Object.keys(WorkspaceSettings.shape));
  return Object.fromEntries(Object.entries(extra).filter(([key]) => !known.has(key)));
}
