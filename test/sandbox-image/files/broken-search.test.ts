import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileHandlers } from "../../../sandbox-image/server/files/handlers.ts";
import { serve } from "../../../sandbox-image/server/tools.ts";
import { fileOperations } from "../../../src/contract/tools/file-operations.ts";
import { failed, ToolError } from "../../../src/contract/tools/operation.ts";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

const SEARCHES: readonly (readonly [string, Record<string, unknown>])[] = [
  ["grep_search", { query: "needle" }],
  ["file_search", { query: "**/*.txt" }],
  ["list_usages", { symbolName: "needle" }],
  ["semantic_search", { query: "needle" }],
];

/** Calls with this shell script in the place of rg; `$RG` is the real one. */
async function callWith(
  workspace: TestWorkspace,
  script: string | undefined,
  [operation, params]: (typeof SEARCHES)[number],
) {
  const bin = join(workspace.settings.homeDir, "bin");
  mkdirSync(bin, { recursive: true });
  const rg = execFileSync("sh", ["-c", "command -v rg"], { encoding: "utf8" }).trim();
  if (script !== undefined) {
    writeFileSync(join(bin, "rg"), `#!/bin/sh\nRG=${rg}\n${script}\n`);
    chmodSync(join(bin, "rg"), 0o755);
  }
  const childEnv = {
    ...workspace.settings.childEnv,
    PATH: script === undefined ? bin : [bin, process.env.PATH].join(delimiter),
  };
  const served = serve(fileOperations, fileHandlers({ ...workspace.settings, childEnv }));
  const signal = new AbortController().signal;
  const context = { callId: "1", conversation: "main", signal, progress: () => {} };
  try {
    return await served.prepare({ operation, ...params }).run(context);
  } catch (error) {
    if (error instanceof ToolError) return failed(error);
    throw error;
  }
}

const FAILURES: readonly (readonly [string, string | undefined, string])[] = [
  ["is killed before it finds anything", "kill -KILL $$", "SIGKILL"],
  ["is killed after it has found everything", '"$RG" "$@"; kill -KILL $$', "SIGKILL"],
  ["runs out of memory", "echo 'memory allocation of 9 bytes failed' >&2; kill -ABRT $$", "memory"],
  ["has a fault", "echo 'thread main panicked' >&2; exit 101", "panicked"],
  ["fails without a word", "exit 2", "exit code 2"],
  [
    "has no permission to read the directory",
    "echo 'rg: ./: Permission denied (os error 13)' >&2; exit 2",
    "could not be read",
  ],
  ["cannot be run", "exit 126", "exit code 126"],
  ["is missing", undefined, "not installed"],
];

describe.each(FAILURES)("a search whose rg %s", (_, script, reason) => {
  it.each(SEARCHES)("is a failure of %s that says so", async (...search) => {
    using workspace = makeWorkspace();
    workspace.write("a.txt", "needle\n");
    const result = await callWith(workspace, script, search);
    expect(result).toMatchObject({ success: false, message: expect.stringContaining(reason) });
  });
});

describe("a search that breaks off", () => {
  const breakOff = '"$RG" "$@"; kill -KILL $$';
  it("hands over what it has found", async () => {
    using workspace = makeWorkspace();
    workspace.write("a.txt", "needle\n");
    const at = (index: number) => SEARCHES[index] ?? ["", {}];
    expect(await callWith(workspace, breakOff, at(0))).toMatchObject({
      success: false,
      truncated: true,
      matches: [{ filePath: "a.txt" }],
    });
    expect(await callWith(workspace, breakOff, at(1))).toMatchObject({ files: ["a.txt"] });
    expect(await callWith(workspace, breakOff, at(2))).toMatchObject({ usages: [{ line: 1 }] });
  });

  it("says which directories it could not read, beside what it found elsewhere", async () => {
    using workspace = makeWorkspace();
    workspace.write("a.txt", "needle\n");
    const locked = `"$RG" "$@"; echo "rg: ./locked: Permission denied (os error 13)" >&2; exit 2`;
    for (const search of SEARCHES) {
      expect(await callWith(workspace, locked, search)).toMatchObject({
        success: true,
        truncated: true,
        message: expect.stringContaining("locked could not be read"),
      });
    }
  });
});

describe("matches that are hard to show", () => {
  const MEGABYTE = 1024 * 1024;
  it.each([
    ["in the middle", `${"x".repeat(3 * MEGABYTE)}needle${"y".repeat(3 * MEGABYTE)}`],
    ["behind quotes and backslashes", `${'"\\'.repeat(3 * MEGABYTE)}needle`],
    ["a hundred thousand times", "needle, ".repeat(700_000)],
    ["not in UTF-8", Buffer.concat([Buffer.alloc(5 * MEGABYTE, 0xe9), Buffer.from("needle")])],
  ])("in a line over 4 MB are reported, cut: %s", async (_, text) => {
    using workspace = makeWorkspace();
    workspace.write("a.txt", "first\n");
    workspace.write("long.txt", Buffer.concat([Buffer.from("one\n"), Buffer.from(text)]));
    const grep = await workspace.call("grep_search", { query: "NEEDLE" });
    expect(grep).toMatchObject({
      totalCount: 1,
      truncated: false,
      matches: [{ filePath: "long.txt", lineNumber: 2, lineText: "…needle…", matchText: "needle" }],
    });
    const usages = await workspace.call("list_usages", { symbolName: "needle" });
    if (!String(text).includes("xneedle")) {
      expect(usages).toMatchObject({ usages: [{ file: "long.txt", line: 2 }] });
    }
  });

  it("in binary files are mentioned by the file's name", async () => {
    using workspace = makeWorkspace();
    workspace.write("early.bin", "needle\0\n");
    workspace.write("late.log", `needle\n${"x\n".repeat(100_000)}\0\nneedle\n`);
    workspace.write("none.bin", "pin\0\n");
    workspace.write("text.txt", "needle\n");
    for (const [operation, params, list] of [
      ["grep_search", { query: "needle" }, "matches"],
      ["list_usages", { symbolName: "needle" }, "usages"],
    ] as const) {
      const result = await workspace.call(operation, params);
      expect(result).toMatchObject({
        totalCount: 2,
        binaryFiles: ["early.bin", "late.log"],
        message: expect.stringContaining("2 binary files match"),
      });
      expect(result[list]).toHaveLength(2);
    }
    const only = await workspace.call("grep_search", { query: "needle", includePattern: "*.bin" });
    expect(only).toMatchObject({ success: true, totalCount: 0, binaryFiles: ["early.bin"] });
  });
});

describe("a search whose unsorted rg fails", () => {
  const grep = ["grep_search", { query: "needle", maxResults: 3 }] as const;
  const UNSORTED = 'case "$*" in *--sort=path*) ;; *) ';
  it.each([
    ["runs out of memory", `${UNSORTED}"$RG" "$@"; kill -ABRT $$ ;; esac; exec "$RG" "$@"`],
    ["breaks off", `${UNSORTED}"$RG" "$@" | head -c 700; exit 101 ;; esac; exec "$RG" "$@"`],
  ])("starts again in order when rg %s", async (_, script) => {
    using workspace = makeWorkspace();
    for (const file of ["c.txt", "a.txt", "b.txt"]) workspace.write(file, "needle\nneedle\n");
    const wanted = await callWith(workspace, `exec "$RG" "$@"`, grep);
    expect(wanted).toMatchObject({ success: true, totalCount: 6, truncated: true, nextOffset: 3 });
    expect(await callWith(workspace, script, grep)).toEqual(wanted);
  });
});
