import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pinCode } from "../../../sandbox-image/server/approved/pin-code.ts";
import { ApprovedRun } from "../../../src/contract/workspace/approved-run.ts";

describe("the check of an approved command before it starts", () => {
  let place: string;
  beforeEach(() => {
    place = realpathSync(mkdtempSync(join(tmpdir(), "pin-code-")));
    mkdirSync(join(place, "app/deep"), { recursive: true });
    mkdirSync(join(place, "other/deep"), { recursive: true });
  });
  afterEach(() => rmSync(place, { recursive: true }));

  const check = (directory: string) =>
    pinCode(
      ApprovedRun.parse({
        directory: "/",
        command: "true",
        files: [],
        missing: [],
        system: [],
        git: [],
        repositories: [],
        pushes: [],
        directories: [join(place, directory)],
      }),
    );

  it("accepts a directory that still leads to itself", () => {
    expect(() => check("app/deep")).not.toThrow();
  });

  it.each([
    ["itself became a link", "app"],
    ["lies below a new link", "app/deep"],
  ])("refuses a directory that %s", (_how, directory) => {
    renameSync(join(place, "app"), join(place, "old"));
    symlinkSync("other", join(place, "app"));
    expect(() => check(directory)).toThrow(/changed since it was approved/);
  });

  it("refuses a directory that is gone", () => {
    expect(() => check("gone")).toThrow(/changed since it was approved/);
  });
});
