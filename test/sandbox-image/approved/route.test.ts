import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { replaceablePart } from "../../../sandbox-image/server/approved/route.ts";

/** Not this test's: only directories that everyone may write are the workload's here. */
const WORKLOAD_UID = 64_000;

describe("which part of a path the workload could replace", () => {
  let root: string;
  beforeAll(() => {
    // Everyone may write to /tmp, but no one else to a home directory.
    root = mkdtempSync(join(homedir(), ".route-"));
    for (const name of ["system/deep", "open/sub"])
      mkdirSync(join(root, name), { recursive: true });
    writeFileSync(join(root, "system/file"), "x");
    writeFileSync(join(root, "open/file"), "x");
    symlinkSync("../open", join(root, "system/into"));
    symlinkSync("../open/file", join(root, "system/tool"));
    symlinkSync("deep", join(root, "system/inner"));
    symlinkSync("round", join(root, "system/round"));
    symlinkSync("../system/deep", join(root, "open/out"));
    for (const name of ["system", "system/deep"]) chmodSync(join(root, name), 0o755);
    chmodSync(join(root, "open"), 0o777);
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const partOf = (path: string, isRemoved: boolean) =>
    replaceablePart({ path: `${root}/system${path}`, isRemoved }, WORKLOAD_UID);
  const at = (path: string) => join(root, path);

  it.each([
    ["a file that only root can write", "/file", undefined],
    ["a file that does not exist yet", "/new", undefined],
    ["directories that do not exist yet", "/new/deep/file", undefined],
    ["a link that only root can change", "/inner/file", undefined],
    ["the parent of where a link leads", "/inner/../file", undefined],
    ["a link into a directory of the workload", "/into/file", "open/file"],
    ["a directory of the workload itself", "/into", "open"],
    ["a link to a file of the workload", "/tool", "open/file"],
    ["a link of the workload that leads back", "/../open/out/file", "open/out"],
    ["the way back out of a directory of the workload", "/../open/out/../file", "open/out"],
    [
      "what the text alone would take for system/file",
      "/../open/sub/../../system/file",
      "open/sub",
    ],
    ["a link that leads in a circle", "/round", "system/round"],
    ["blanks in the way", "//./into/./file", "open/file"],
  ])("for a change of %s", (_title, path, part) => {
    expect(partOf(path, false)).toBe(part === undefined ? undefined : at(part));
  });

  it.each([
    ["a link into a directory of the workload", "/into", undefined],
    ["the same with a slash, which follows it", "/into/", undefined],
    ["a file behind such a link", "/into/file", "open/file"],
    ["a link of the workload", "/../open/out", "open/out"],
  ])("for the removal of %s", (_title, path, part) => {
    expect(partOf(path, true)).toBe(part === undefined ? undefined : at(part));
  });

  it.each([
    "/proc/self/cwd/x",
    "/proc/self/root/etc/x",
    "/proc/self/fd/9",
    "/proc/thread-self/cwd",
  ])("for a link that means something else in each process: %s", (path) => {
    expect(replaceablePart({ path, isRemoved: false }, WORKLOAD_UID)).toMatch(/^\/proc\//);
  });

  it("for what belongs to the workload by its owner", () => {
    const uid = process.getuid?.() ?? 0;
    expect(replaceablePart({ path: at("system/file"), isRemoved: false }, uid)).toBeDefined();
  });
});
