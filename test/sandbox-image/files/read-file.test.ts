import { mkdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

let workspace: TestWorkspace;
beforeAll(() => {
  workspace = makeWorkspace();
  const numbers = Array.from({ length: 3000 }, (_, index) => `${index + 1}\n`);
  workspace.write("long", numbers.join(""));
  workspace.write("crlf", "a\r\nb\r\n");
  workspace.write("wide", `${"x".repeat(50_000)}\nend\n`);
  workspace.write("emoji", `x${"😀".repeat(30_000)}`);
  workspace.write("empty", "");
  workspace.write("image.png", Buffer.from("89504e470d0a1a0a0000", "hex"));
  mkdirSync(workspace.path("folder"));
});
afterAll(() => workspace[Symbol.dispose]());

const read = (filePath: string, range = {}) => workspace.call("read_file", { filePath, ...range });

describe("2.2 read_file", () => {
  it("returns 2000 lines of a longer file and says that there is more", async () => {
    expect(await read("long")).toMatchObject({
      totalLines: 3000,
      returnedLines: 2000,
      truncated: true,
    });
    expect(await read("long", { offset: 2001 })).toMatchObject({
      returnedLines: 1000,
      truncated: false,
    });
    expect(await read("long", { offset: 9999 })).toMatchObject({
      success: true,
      content: "",
      returnedLines: 0,
      truncated: false,
    });
    expect(await read("long", { startLine: 1, endLine: 100 })).toMatchObject({
      returnedLines: 100,
    });
    expect(await read("long", { offset: 0, limit: 2 })).toMatchObject({
      content: "1\n2\n",
      offset: 1,
      limit: 2,
    });
  });

  it("counts a CRLF as one line end and adds no phantom line", async () => {
    expect(await read("crlf")).toMatchObject({ totalLines: 2, content: "a\r\nb\r\n" });
    expect(await read("empty")).toMatchObject({ totalLines: 0, content: "" });
  });

  it("1.45 cuts at about 10,000 tokens and says so, never inside a character", async () => {
    expect(await read("wide")).toMatchObject({
      tokenLimited: true,
      truncated: true,
      estimatedTokens: 10_000,
    });
    const { content } = await read("emoji");
    expect(String(content).isWellFormed()).toBe(true);
  });

  it("15.19 names the file relative to the workspace, however it was given", async () => {
    expect(await read(workspace.path("crlf"))).toMatchObject({ filePath: "crlf" });
    expect(await read("folder/../crlf")).toMatchObject({ filePath: "crlf" });
  });

  it.each([
    ["image.png", {}, "binary"],
    ["folder", {}, "list_dir"],
    ["nothing", {}, "create_file"],
    ["long/x", {}, "is a file"],
    ["long", { startLine: 5, endLine: 4 }, "endLine 4"],
  ])("1.29 says what to do instead of reading %s %j", async (name, range, word) => {
    const result = await read(name, range);
    expect(result.success).toBe(false);
    expect(result.message).toContain(word);
  });

  it("does not wait for a pipe or read a device", async () => {
    expect((await read("/dev/zero")).message).toContain("not a regular file");
  });
});
