import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mountPoints, unmount } from "../../../../src/workspace/disk/mounts.ts";

describe("mounts", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "mounts-"));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const NAMES = ["plain", "with space", "tab\there", "line\nend", "back\\slash", "\\040"];

  it.each(NAMES)("are listed and unmounted where the directory is called %j", async (name) => {
    const point = join(dir, name);
    mkdirSync(point);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", point]);
    expect([...(await mountPoints())]).toContain(point);
    await unmount(point);
    expect([...(await mountPoints())]).not.toContain(point);
  });

  it.each(["there", "gone"])("are no error where nothing is mounted any more: %s", async (name) => {
    mkdirSync(join(dir, "there"));
    await expect(unmount(join(dir, name))).resolves.toBeUndefined();
  });

  it("may be unmounted by several at once", async () => {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", dir]);
    await Promise.all(Array.from({ length: 8 }, () => unmount(dir)));
    expect([...(await mountPoints())]).not.toContain(dir);
  });
});
