import { describe, expect, it } from "vitest";
import { ownMs } from "../../support/own-clock.ts";
import { BuildLab } from "./workspace.ts";

// biome-ignore lint/suspicious/noTemplateCurlyInString: the variable of tasks.json
const FOLDER = "${workspaceFolder}";

describe("2.44 run_task", () => {
  const tasksJson = `{
    // the editor's own file
    "version": "2.0.0", /* with "comments" */
    "options": { "env": { "SHARED": "yes" } },
    "tasks": [
      { "label": "say", "type": "shell", "command": "echo", "args": ["http://x // y", {"value": "c d", "quoting": "strong"}], },
      { "label": "where", "type": "shell", "command": "pwd; echo $SHARED $OWN", "options": { "cwd": "${FOLDER}/sub", "env": { "OWN": "it's" } } },
      { "label": "program", "type": "process", "command": "${FOLDER}/my prog", "args": ["1 2"] },
      { "label": "both", "type": "shell", "command": "echo no", "linux": { "command": "echo linux" }, "windows": { "command": "dir" } },
      { "label": "same", "type": "shell", "command": "echo from tasks.json" },
      { "label": "compound", "dependsOn": ["say", "where"] },
      { "label": "compile", "type": "shell", "command": "cat errors; exit 2", "problemMatcher": "$gcc", "group": { "kind": "build", "isDefault": true } },
      42,
    ],
  }`;

  it("finds tasks of tasks.json, with comments and commas, and their options", async () => {
    await using lab = new BuildLab();
    lab.write(".vscode/tasks.json", tasksJson);
    lab.write("sub/x", "");
    lab.write("my prog", '#!/bin/sh\necho "prog <$1>"\n');
    lab.git(["init", "-q"]);
    await lab.task({ label: "chmod", command: "chmod +x 'my prog'" });
    lab.write("errors", "a.c:1:2: error: bad\n");
    const run = async (label: string) => (await lab.call("run_task", { label })).output;
    expect(await run("say")).toBe("http://x // y c d\n");
    expect(await run("where")).toBe(`${lab.path("sub")}\nyes it's\n`);
    expect(await run("program")).toBe("prog <1 2>\n");
    expect(await run("both")).toBe("linux\n");
    expect(await lab.call("run_task", { label: "compile" })).toMatchObject({
      success: false,
      exitCode: 2,
      errors: [{ file: "a.c", line: 1 }],
    });
  });

  it("looks in the conversation, tasks.json, package.json and the Makefile, in this order", async () => {
    await using lab = new BuildLab();
    const makefile = "same other:\n\t@echo from make $@\nVAR := x\n.PHONY: same\n%.o: %.c\n\tcc\n";
    lab.write("Makefile", makefile);
    const same = async (label = "same") => (await lab.call("run_task", { label })).output;
    expect(await same()).toBe("from make same\n");
    expect(await same("make other")).toBe("from make other\n");
    const scripts = { same: "echo from npm", "it's; x": "echo odd" };
    lab.write("package.json", JSON.stringify({ name: "p", scripts }));
    expect(await lab.call("run_task", { label: "nope" })).toMatchObject({ success: false });
    lab.write(".vscode/tasks.json", tasksJson);
    expect(await same()).toBe("from tasks.json\n");
    await lab.task({ label: "same", command: "echo from here" });
    expect(await same()).toBe("from here\n");
    const { message } = await lab.call("run_task", { task_label: "nope" });
    for (const known of ["same", "say", "it's; x", "other"]) expect(message).toContain(known);
    for (const other of ["compound", "%.o", ".PHONY", "VAR"]) expect(message).not.toContain(other);
  });

  it("runs scripts of package.json by npm", async () => {
    await using lab = new BuildLab();
    lab.write("bin/npm", '#!/bin/sh\necho npm "$@"\n');
    await lab.task({ label: "chmod", command: "chmod +x bin/npm" });
    lab.write(
      "package.json",
      '{ "scripts": { "it\'s; x": "echo odd", "-x": "", "build": "tsc" } }',
    );
    Object.assign(lab.settings.childEnv, { PATH: `${lab.path("bin")}:/usr/bin:/bin` });
    for (const label of ["build", "npm: build", "npm run build"]) {
      expect(await lab.call("run_task", { label })).toMatchObject({ output: "npm run build\n" });
    }
    expect(await lab.call("run_task", { label: "it's; x" })).toMatchObject({
      output: "npm run it's; x\n",
    });
    expect(await lab.call("run_task", { label: "-x" })).toMatchObject({ success: false });
  });

  it("takes task_label for label", async () => {
    await using lab = new BuildLab();
    await lab.task({ label: "t", command: "echo hi" });
    expect(await lab.call("run_task", { task_label: "t" })).toMatchObject({ output: "hi\n" });
  });

  it("goes on when one of the files is broken, and says so", async () => {
    await using lab = new BuildLab();
    lab.write("package.json", "{ broken");
    lab.write("Makefile", "all:\n\t@echo made\n");
    expect(await lab.call("run_task", { label: "all" })).toMatchObject({ output: "made\n" });
    const { message } = await lab.call("run_task", { label: "x" });
    expect(message).toContain("package.json cannot be read");
    expect(message).toContain("all");
  });

  it("is not held up by task files without an end", async () => {
    await using lab = new BuildLab();
    await lab.task({ label: "pipes", command: "mkfifo Makefile; ln -s /dev/zero package.json" });
    lab.write(".vscode/tasks.json", `${'/* "'.repeat(250_000)}`);
    const began = ownMs();
    expect(await lab.call("run_task", { label: "x" })).toMatchObject({ success: false });
    expect(ownMs() - began).toBeLessThan(20_000);
  });
});
