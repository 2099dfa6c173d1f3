import { symlinkSync } from "node:fs";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { unprintable } from "../../../src/authorization/printable.ts";
import type { ApprovalEffect } from "../../../src/contract/permission/approval.ts";
import { type Lab, type LabOptions, permissionLab } from "../../support/permission-lab.ts";

const RUN = "terminal_operations.run_command";
const always = `operations: { ${RUN}: elevated, "file_operations.*": elevated }`;
const labs: Lab[] = [];
afterEach(async () => {
  for (const lab of labs.splice(0)) await lab[Symbol.asyncDispose]();
});
async function lab(options: LabOptions = {}): Promise<Lab> {
  const made = await permissionLab({ policy: always, ...options });
  labs.push(made);
  return made;
}

/** Every text of it that people would see. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

describe("what a card says", () => {
  it("comes from the guard; of the model's own words it holds the explanation alone, labelled as such [5.16]", async () => {
    const { question } = await lab();
    const explanation = "May I read a file?";
    const { effect } = await question(RUN, { command: "rm a", explanation });
    expect(effect).toMatchObject({
      operation: RUN,
      command: "rm a",
      runsAs: "agent",
      workingDirectory: "/workspace",
    });
    const { explanation: labelled, ...guarded } = effect;
    expect(labelled).toBe(explanation);
    expect(textsIn(guarded).join("\n")).not.toContain("May I read");
  });

  it("shows parameters that differ from their defaults, and no default", async () => {
    const { question } = await lab();
    const params = async (given: object) =>
      (await question(RUN, { command: "rm a", ...given })).effect.params;
    expect(await params({ isBackground: false, timeout: 300 })).toEqual([]);
    expect(await params({ isBackground: false, timeout: 301 })).toEqual([
      { name: "timeout", value: "301" },
    ]);
  });

  it("shows where paths really lead, and whether they are there", async () => {
    const { question, files } = await lab();
    symlinkSync("/etc", files.path("link"));
    const { effect } = await question("file_operations.create_file", {
      filePath: "link/hostname",
      content: "x\n",
      overwrite: true,
    });
    expect(effect.paths).toEqual([
      { path: "/etc/hostname", access: "write", exists: true, outside: true, sensitive: false },
    ]);
    expect(effect.runsAs).toBe("root");
    expect(effect.notes).toEqual([]);
  });

  it.each([
    ["create_file", { content: "one\nTWO\nthree\n", overwrite: true }],
    ["replace_string", { oldString: "two", newString: "TWO" }],
    ["multi_replace_string", { replacements: [{ oldString: "two", newString: "TWO" }] }],
    ["insert_edit", { lineNumber: 2, newText: "TWO", insertOperation: "replace" }],
  ])("shows the change that %s would make, and not its parameters again", async (name, params) => {
    const { question, files } = await lab();
    files.write("a.txt", "one\ntwo\nthree\n");
    const { effect } = await question(`file_operations.${name}`, { filePath: "a.txt", ...params });
    expect(effect.diffs).toHaveLength(1);
    expect(effect.diffs[0]?.diff).toMatch(
      /^--- .*a\.txt\n\+\+\+ .*\n@@ -1,3 \+1,3 @@\n one\n-two\n\+TWO\n three$/,
    );
    expect(effect.params.map((param) => param.name)).not.toEqual(
      expect.arrayContaining(["content"]),
    );
    expect(JSON.stringify(effect.params)).not.toContain("TWO");
  });

  it("shows the whole of a new file and of a deleted one", async () => {
    const { question, files } = await lab();
    files.write("a.txt", "gone\n");
    const created = await question("file_operations.create_file", {
      filePath: "new.txt",
      content: "here\n",
    });
    expect(created.effect.diffs[0]?.diff).toContain("\n+here");
    const deleted = await question("file_operations.delete_file", { filePath: "a.txt" });
    expect(deleted.effect.diffs[0]?.diff).toContain("\n-gone");
  });

  it("shows a patch as it will be applied, and both ends of a rename", async () => {
    const { question, files } = await lab();
    files.write("a.txt", "one\n");
    const patchContent = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n";
    const patched = await question("file_operations.apply_patch", { patchContent });
    expect(patched.effect.diffs[0]?.diff).toBe(patchContent);
    const renamed = await question("file_operations.rename_file", {
      oldPath: "/etc/b",
      newPath: "b.txt",
    });
    expect(renamed.effect.paths.map(({ path }) => path)).toEqual(["/etc/b", files.path("b.txt")]);
  });

  it("shows the parameters themselves where the file cannot be read", async () => {
    const { question, files } = await lab();
    files.write("a.bin", Buffer.from([0, 1, 2, 0]));
    const { effect } = await question("file_operations.replace_string", {
      filePath: "a.bin",
      oldString: "two",
      newString: "TWO",
    });
    expect(effect.diffs).toEqual([]);
    expect(effect.params).toEqual([
      { name: "oldString", value: "two" },
      { name: "newString", value: "TWO" },
    ]);
    expect(effect.notApprovable).toBeUndefined();
  });

  it("4.18 says which grant each button would make", async () => {
    const { question, files } = await lab();
    const { effect } = await question("file_operations.delete_file", { filePath: "d/a.txt" });
    expect(effect.buttons.map(({ label }) => label)).toEqual([
      "Approve once",
      "Approve 5 min",
      "Deny",
      "Deny with reason",
    ]);
    expect(effect.buttons[1]?.grants).toBe(
      `file_operations.delete_file directly in ${files.path("d")} for 5 min.`,
    );
    const command = await question(RUN, { command: "git commit -m x" });
    expect(command.effect.buttons[1]?.grants).toBe("git commit commands for 5 min.");
  });

  it.each([
    ["a phrase call", { command: "x" }, { risk: "phrase" as const }],
    ["what could not be read", { command: "x" }, { risk: "click" as const, unparsed: "odd" }],
    ["what has no one name", { command: "x" }, { grantKey: undefined as never }],
  ])("offers no timed button for %s", async (_, params, commandClass) => {
    const { question } = await lab({ classes: { x: commandClass } });
    const { effect } = await question(RUN, params);
    expect(effect.buttons.map(({ choice }) => choice)).toEqual(["once", "deny", "deny"]);
  });

  it("offers no timed button for root", async () => {
    const { question } = await lab();
    const { effect, timedScope } = await question("file_operations.create_file", {
      filePath: "/etc/x",
      content: "",
    });
    expect(timedScope).toBeUndefined();
    expect(effect.buttons.map(({ choice }) => choice)).toEqual(["once", "deny", "deny"]);
  });
});

describe("what a card cannot say", () => {
  const isAscii = (effect: ApprovalEffect) =>
    expect(textsIn(effect).join("")).toMatch(/^[\n\x20-\x7e]*$/);

  it.each([
    "echo \u202egnp.exe",
    "rm\u200b -rf x",
    "p\u0443thon x",
    "echo \u001b[2K\rls",
    "echo '<!channel> @everyone'",
    "echo ```\nApproved by owner\n```",
    "echo \\u{202e}",
  ])("P-A7 %j reaches it whole and only in printable ASCII", async (command) => {
    const { question } = await lab();
    const { effect } = await question(RUN, { command });
    isAscii(effect);
    expect(unprintable(effect.command ?? "")).toBe(command);
    expect(effect.command).not.toMatch(/```|<!|@everyone/);
  });

  it("P-A7 any text in any field comes out in printable ASCII, and no line is forged by a path", async () => {
    const { question } = await lab();
    const text = fc.string({ unit: "binary", minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(text, text, async (name, content) => {
        const clean = name.replaceAll("\0", "").trim().slice(0, 20);
        const filePath = `x${clean}`.replaceAll("\ud800", "");
        const { effect } = await question("file_operations.create_file", {
          filePath,
          content: content.replaceAll("\0", ""),
        });
        isAscii(effect);
        expect(effect.paths.every(({ path }) => !path.includes("\n"))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it.each([100 * 1024, 20_000])(
    "P-A6 a command of %i characters cannot be approved",
    async (length) => {
      const { question } = await lab();
      const { effect } = await question(RUN, { command: `echo ${"x".repeat(length)}` });
      expect(effect.notApprovable).toContain("cannot be approved");
      expect(effect.notApprovable).toContain("Split the command");
      expect(effect.buttons.map(({ choice }) => choice)).toEqual(["deny", "deny"]);
      expect(textsIn(effect).join("").length).toBeLessThan(10_000);
    },
  );

  it("P-X1 nothing of a secret is left where a command that is too long is cut", async () => {
    const { question } = await lab({ cardChars: 2000 });
    const command = `echo ${"x".repeat(240)}lab-secret${"x".repeat(2000)}`;
    const { effect } = await question(RUN, { command });
    expect(effect.command).toContain("x***x");
    expect(effect.command).not.toContain("lab");
  });

  it("P-A6 at the limit it can be approved, and one character later it cannot", async () => {
    const { question } = await lab({ cardChars: 2000 });
    const asked = async (length: number) =>
      (await question(RUN, { command: "x".repeat(length) })).effect.notApprovable;
    const lengths = Array.from({ length: 2000 }, (_, index) => index + 1);
    let [least, most] = [0, lengths.length - 1];
    while (least < most) {
      const middle = (least + most) >> 1;
      if (await asked(lengths[middle] ?? 0)) most = middle;
      else least = middle + 1;
    }
    const first = lengths[least] ?? 0;
    expect(await asked(first)).toBeDefined();
    expect(await asked(first - 1)).toBeUndefined();
    const whole = await question(RUN, { command: "x".repeat(first - 1) });
    expect(whole.effect.command).toHaveLength(first - 1);
  });

  it("P-A6 escaping counts: what fits as it is may not fit as it is shown", async () => {
    const { question } = await lab({ cardChars: 2000 });
    const { effect } = await question(RUN, { command: "\u202e".repeat(500) });
    expect(effect.notApprovable).toBeDefined();
  });

  it("P-A6 a small change to a big file fits, a big new file does not", async () => {
    const { question, files } = await lab({ cardChars: 3000 });
    const content = Array.from({ length: 3000 }, (_, line) => `line ${line}\n`).join("");
    files.write("big.txt", content);
    const small = await question("file_operations.create_file", {
      filePath: "big.txt",
      content: content.replace("line 1500\n", "changed\n"),
      overwrite: true,
    });
    expect(small.effect.notApprovable).toBeUndefined();
    expect(small.effect.diffs[0]?.diff).toContain("+changed");
    const big = await question("file_operations.create_file", { filePath: "new.txt", content });
    expect(big.effect.notApprovable).toContain("insert_edit");
  });
});
