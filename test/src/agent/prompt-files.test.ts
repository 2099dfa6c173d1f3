import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPromptFiles, type PromptFiles } from "../../../src/agent/prompt-files.ts";

let directory: string;
let files: PromptFiles;
let logged: string[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "prompt-files-"));
  mkdirSync(join(directory, "system"));
  mkdirSync(join(directory, "mini"));
  logged = [];
  files = createPromptFiles(directory, (_level, message) => logged.push(message));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const write = (path: string, text: string) => writeFileSync(join(directory, path), text);
const prompt = (id: string, text: string, more = "") =>
  `---\nid: ${id}\nname: "The: ${id}"\ndescription: For tests.\n${more}---\n\n${text}\n`;
const texts = async () => (await files.system()).map(({ id, text }) => `${id}: ${text}`);

describe("prompt files", () => {
  it("15.16 are read with their heads, in the order of their ids", async () => {
    write("system/b.md", prompt("b", "Be B.\n\n---\nand more"));
    write("system/a.md", prompt("a", "Be A.").replaceAll("\n", "\r\n"));
    write("system/notes.txt", "not a prompt");
    write("mini/one.md", prompt("one", "Do one.", "scope: [chat:C1, chat:C2:t]\nenabled: true\n"));
    write("mini/two.md", prompt("two", "Do two."));
    expect(await files.system()).toEqual([
      { id: "a", name: "The: a", description: "For tests.", text: "Be A." },
      { id: "b", name: "The: b", description: "For tests.", text: "Be B.\n\n---\nand more" },
    ]);
    const [one, two] = await files.minis();
    expect(one).toMatchObject({ scope: ["chat:C1", "chat:C2:t"], enabled: true, text: "Do one." });
    expect(two).toMatchObject({ enabled: false });
    expect(two).not.toHaveProperty("scope");
    expect(logged).toEqual([]);
  });

  it("15.16 are read anew when they change, without a restart: changed, added, removed", async () => {
    write("system/a.md", prompt("a", "First."));
    expect(await texts()).toEqual(["a: First."]);
    write("system/a.md", prompt("a", "Other."));
    expect(await texts()).toEqual(["a: Other."]);
    write("system/b.md", prompt("b", "New."));
    expect(await texts()).toEqual(["a: Other.", "b: New."]);
    rmSync(join(directory, "system/a.md"));
    expect(await texts()).toEqual(["b: New."]);
    expect(logged).toEqual([]);
  });

  it.each([
    ["no head", "Just text.", "three dashes"],
    ["an unknown field", prompt("a", "x", "colour: red\n"), "colour"],
    ["no name", "---\nid: a\ndescription: d\n---\nx\n", "name"],
    ["another id", prompt("b", "x"), "not its file's name"],
    ["an id that is no file name", prompt("../a", "x"), "lowercase letters"],
    ["no text", prompt("a", ""), "no text after its head"],
    ["broken YAML", "---\nid: [a\n---\nx\n", "a.md"],
    ["aliases that explode", "---\nid: &x a\nname: *x\ndescription: d\n---\nx\n", "a.md"],
    ["too much of it", prompt("a", "x".repeat(70_000)), "larger than"],
    ["a list for a head", "---\n- a\n---\nx\n", "head"],
  ])("a file with %s is told of once, and the last good version stays", async (_, broken, why) => {
    write("system/a.md", broken);
    expect(await texts()).toEqual([]);
    expect(await texts()).toEqual([]);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain(why);
    expect(logged[0]).toMatch(/Until you correct it, it is ignored/);

    write("system/a.md", prompt("a", "Good."));
    expect(await texts()).toEqual(["a: Good."]);
    write("system/a.md", broken);
    expect(await texts()).toEqual(["a: Good."]);
    expect(await texts()).toEqual(["a: Good."]);
    expect(logged).toHaveLength(2);
    expect(logged[1]).toContain("its last valid version is used");
  });

  it("a head that is wrong costs only its own file", async () => {
    write("system/a.md", "broken");
    write("system/b.md", prompt("b", "Fine."));
    expect(await texts()).toEqual(["b: Fine."]);
  });

  it("what cannot be read is told of once, and stays as it was", async () => {
    write("system/a.md", prompt("a", "Good."));
    expect(await texts()).toEqual(["a: Good."]);
    rmSync(join(directory, "system/a.md"));
    // Readable for nobody, whoever runs the tests.
    mkdirSync(join(directory, "system/a.md"));
    chmodSync(join(directory, "system/a.md"), 0o000);
    expect(await texts()).toEqual(["a: Good."]);
    expect(await texts()).toEqual(["a: Good."]);
    expect(logged).toHaveLength(1);
    rmSync(join(directory, "system/a.md"), { recursive: true });
    expect(await texts()).toEqual([]);
  });

  it("a folder that is not there holds nothing, and one with too many holds the first", async () => {
    rmSync(join(directory, "mini"), { recursive: true });
    expect(await files.minis()).toEqual([]);
    for (let number = 100; number < 310; number += 1) {
      write(`system/p${number}.md`, prompt(`p${number}`, "x"));
    }
    expect(await files.system()).toHaveLength(200);
    expect(await files.system()).toHaveLength(200);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain("more than 200");
  });

  it("a file is not read again while it is the same", async () => {
    write("system/a.md", prompt("a", "First."));
    const [first] = await files.system();
    const [second] = await files.system();
    expect(second).toBe(first);
  });
});

it("those that the bot brings along can all be used, and the mini prompts are off", async () => {
  const shipped = createPromptFiles(join(import.meta.dirname, "../../../prompts"), (_, message) =>
    logged.push(message),
  );
  const system = await shipped.system();
  expect(system.map(({ id }) => id)).toEqual(["default", "on-call", "reviewer"]);
  const minis = await shipped.minis();
  expect(minis.map(({ id, enabled }) => [id, enabled])).toEqual([
    ["plain-language", false],
    ["read-only", false],
    ["tests-first", false],
  ]);
  expect(logged).toEqual([]);
  expect(
    readFileSync(join(import.meta.dirname, "../../../prompts/system/default.md"), "utf8"),
  ).toContain(system[0]?.text ?? "nothing");
});
