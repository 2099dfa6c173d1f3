import { mkdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Lab, permissionLab } from "../../../support/permission-lab.ts";

const RENAME = "file_operations.rename_file";
const PATCH = "file_operations.apply_patch";

const moving = (from: string, to: string) =>
  `*** Begin Patch\n*** Update File: ${from}\n*** Move to: ${to}\n@@\n-one\n+two\n*** End Patch\n`;

describe("files that root would move out of the workspace", () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await permissionLab();
    lab.files.write("a.txt", "one\n");
    mkdirSync(lab.files.path("sub"));
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  it.each([
    [RENAME, { oldPath: "a.txt", newPath: "/etc/cron.d/a" }],
    [RENAME, { oldPath: "sub", newPath: "/etc/sub" }],
    [RENAME, { oldPath: "later.txt", newPath: "/etc/later" }],
    [RENAME, { oldPath: "/tmp/x", newPath: "/etc/x" }],
    [PATCH, { patchContent: moving("a.txt", "/etc/a") }],
    [PATCH, { patchContent: moving("/etc/a", "/etc/b") }],
    [
      PATCH,
      {
        patchContent:
          "diff --git a/a.txt b/../etc/a\nsimilarity index 100%\nrename from a.txt\nrename to ../../../../../etc/a\n",
      },
    ],
    [
      PATCH,
      {
        patchContent:
          "diff --git a/a.txt b/../etc/a\nsimilarity index 100%\ncopy from a.txt\ncopy to ../../../../../etc/a\n",
      },
    ],
  ])("are refused, because they may hold something else by then: %s %j", async (key, params) => {
    expect(await lab.check(key, params)).toMatchObject({
      outcome: "denied",
      reason: expect.stringMatching(/^Root does not move.*sudo install/),
    });
  });

  it.each([
    [RENAME, { oldPath: "/etc/hostname", newPath: "/etc/x" }, "ask"],
    [RENAME, { oldPath: "/etc/missing", newPath: "a-copy.txt" }, "ask"],
    [RENAME, { oldPath: "a.txt", newPath: "b.txt" }, "allowed"],
    [PATCH, { patchContent: moving("a.txt", "sub/a.txt") }, "allowed"],
  ])(
    "are others than those of the system and those that stay: %s %j",
    async (key, params, expected) => {
      expect(await lab.check(key, params)).toMatchObject({ outcome: expected });
    },
  );
});
