import { readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

let workspace: TestWorkspace;
beforeEach(() => {
  workspace = makeWorkspace();
});
afterEach(() => workspace[Symbol.dispose]());

const replace = (oldString: string, newString: string, extra = {}) =>
  workspace.call("replace_string", { filePath: "f", oldString, newString, ...extra });

/** A large file is read, searched and written piece by piece. */
const PIECE_BYTES = 256 * 1024;
const MEGABYTE = 1024 * 1024;

describe("2.12 replace_string in a large file", () => {
  it("finds text that two pieces share, wherever it is cut", async () => {
    const needle = "nädel 𝄞 end";
    const length = Buffer.byteLength(needle);
    for (let before = PIECE_BYTES - length - 1; before <= PIECE_BYTES + 1; before += 1) {
      const [front, back] = ["x".repeat(before), "ö".repeat(PIECE_BYTES)];
      workspace.write("f", `${front}${needle}${back}${needle}`);
      expect(await replace(needle, "pin")).toMatchObject({ replacementCount: 2 });
      expect(workspace.read("f") === `${front}pin${back}pin`, `at ${before}`).toBe(true);
    }
  });

  it("does not take half of one occurrence for another", async () => {
    const text = "a".repeat(2 * PIECE_BYTES + 1);
    workspace.write("f", text);
    expect(await replace("aaa", "b")).toMatchObject({ success: true });
    expect(workspace.read("f") === text.replaceAll("aaa", "b")).toBe(true);
  });

  it.each([2, 9])("replaces a quarter of a million occurrences in %i MB", async (megabytes) => {
    const line = `${"-".repeat(8 * megabytes - 2)}\n\n`;
    workspace.write("f", line.repeat(MEGABYTE / 8));
    expect(await replace("\n", "<end>")).toMatchObject({ replacementCount: MEGABYTE / 4 });
    const after = line.replaceAll("\n", "<end>").repeat(MEGABYTE / 8);
    expect(workspace.read("f") === after).toBe(true);
  });

  it("keeps CRLF, however late the first line ends", async () => {
    const [front, back] = ["x".repeat(PIECE_BYTES), "line\r\n".repeat(PIECE_BYTES)];
    workspace.write("f", `${front}a\r\nb\r\n${back}`);
    expect(await replace("a\nb", "c\nd\ne")).toMatchObject({ replacementCount: 1 });
    expect(workspace.read("f") === `${front}c\r\nd\r\ne\r\n${back}`).toBe(true);
    workspace.write("f", `${front}a\nb\n${back}`);
    expect(await replace("a\nb", "c\nd\ne")).toMatchObject({ replacementCount: 1 });
    expect(workspace.read("f") === `${front}c\nd\ne\n${back}`).toBe(true);
  });

  it.each([
    ["another number of occurrences", Buffer.from("needle"), /occurs 2 times/],
    ["bytes that are no text", Buffer.from([0xc3, 0x28]), /binary/],
    ["half a character", Buffer.from([0xf0, 0x9d]), /binary/],
    ["a NUL", Buffer.from([0]), /binary/],
  ])("leaves everything as it was when the end holds %s", async (_what, end, sentence) => {
    const before = Buffer.concat([Buffer.from(`${" ".repeat(3 * MEGABYTE)}needle`), end]);
    workspace.write("f", before);
    const result = await replace("needle", "pin", { expectedReplacements: 1 });
    expect(result).toMatchObject({ success: false });
    expect(result.message).toMatch(sentence);
    expect(workspace.read("f") === before.toString()).toBe(true);
    expect(readdirSync(workspace.dir)).toEqual(["f"]);
  });

  it("says that it was not found without having written anything", async () => {
    workspace.write("f", "Needle\n".repeat(MEGABYTE));
    expect((await replace("needle", "pin")).message).toContain("upper and lower case");
    expect(await replace("Needle", "Needle")).toMatchObject({ success: false });
    expect(readdirSync(workspace.dir)).toEqual(["f"]);
  });
});
