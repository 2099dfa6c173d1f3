import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { caseCount } from "../../support/thorough.ts";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

const LARGE_BYTES = 63 * 1024 * 1024;
const AT_ONCE = caseCount({ perChange: 4, all: 10 });

let workspace: TestWorkspace;
beforeEach(() => {
  workspace = makeWorkspace();
  workspace.write("small", "text\n");
});
afterEach(() => workspace[Symbol.dispose]());

/** By how many times the size of one file a process grows that makes all these calls at once. */
function growth(calls: readonly object[]): { ratio: number; failures: readonly string[] } {
  const program = fileURLToPath(new URL("./peak-memory-program.ts", import.meta.url));
  const output = execFileSync(process.execPath, [program, workspace.dir, JSON.stringify(calls)], {
    encoding: "utf8",
  });
  const { grownBytes, failures } = JSON.parse(output);
  return { ratio: grownBytes / LARGE_BYTES, failures };
}

const TEXTS: readonly (readonly [string, string])[] = [
  ["short lines", "abcdefg\n"],
  ["one line", "x"],
  ["lines that end with CR", "abcdefghi\r"],
];

describe("the memory that pages of a file near the size limit take", () => {
  it.each(TEXTS)("stays below the file's size for several at once, with %s", (_, unit) => {
    workspace.write("large", unit.repeat(Math.floor(LARGE_BYTES / unit.length)));
    const page = { operation: "read_file", filePath: "large", startLine: 40_000, endLine: 40_002 };
    const { ratio, failures } = growth(Array.from({ length: AT_ONCE }, () => page));
    expect(failures).toEqual([]);
    expect(ratio).toBeLessThan(1);
  });
});
