import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Workspace } from "../../src/contract/workspace/workspace.ts";
import { command, startEngine, type TestEngine } from "../support/engine.ts";
import { until } from "../support/until.ts";

let engine: TestEngine;
let workspace: Workspace;
let calls = 0;
beforeAll(async () => {
  engine = await startEngine();
  workspace = await engine.workspaces.open("screens", { fence: 1 });
  await command(workspace, "seq -f 'line %g' 1 200 > long.txt");
});
afterAll(() => engine[Symbol.asyncDispose]());

const use = (operation: string, more: object = {}) => {
  calls += 1;
  const args = { operation, ...more };
  return workspace.call({ id: `screen-${calls}`, tool: "terminal_operations", args });
};
const screen = async () => String((await use("get_terminal_buffer")).buffer);

/** What is typed to start a program, what its screen shows then, and how it is left. */
const PROGRAMS: readonly (readonly [string, string, readonly RegExp[], string])[] = [
  ["top", "top\r", [/^top - .*load average/m, /^\s*PID USER/m, /\btop\b/], "q"],
  ["htop", "htop\r", [/Mem\[/, /PID.*USER/, /F10\s*Quit/], "q"],
  ["less", "less long.txt\r", [/^line 1$/m, /^line 22$/m, /long\.txt/], "q"],
  ["vim", "vim -u NONE long.txt\r", [/^line 1$/m, /^line 22$/m, /"long\.txt" 200 ?L/i], ":q!\r"],
];

describe("a program that draws the whole screen [16.12]", () => {
  it.each(PROGRAMS)(
    "is shown as a person sees it, and gives the screen back: %s",
    async (_, typed, shown, leave) => {
      const opened = await use("create_session");
      const session_id = String(opened.session_id);
      await use("send_input", { session_id, input: `clear; echo before-it\r` });
      await until(async () => /^before-it/m.test(await screen()), "the line before", {
        seen: screen,
      });
      await use("send_input", { session_id, input: typed });
      for (const part of shown) {
        await until(async () => part.test(await screen()), String(part), { seen: screen });
      }
      expect((await screen()).split("\n").length).toBeLessThanOrEqual(24);
      expect(await screen()).not.toContain("\u001b");
      await use("send_input", { session_id, input: leave });
      await use("send_input", { session_id, input: "echo after-it\r" });
      await until(async () => /^after-it/m.test(await screen()), "the line after", {
        seen: screen,
      });
      expect(await command(workspace, "echo works")).toMatchObject({ output: "works\n" });
    },
  );

  it("is scrolled and edited by keys: less goes to its end, vim saves a line", async () => {
    const { session_id } = await use("create_session");
    await use("send_input", { session_id, input: "less long.txt\r" });
    await until(async () => /^line 1$/m.test(await screen()), "the beginning", { seen: screen });
    await use("send_input", { session_id, input: "G" });
    await until(async () => /^line 200$/m.test(await screen()), "the end", { seen: screen });
    await use("send_input", { session_id, input: "q" });
    await use("send_input", { session_id, input: "vim -u NONE new.txt\r" });
    await until(async () => /"new\.txt" \[New/.test(await screen()), "vim", { seen: screen });
    await use("send_input", { session_id, input: "ihello from vim\u001b:wq\r" });
    await until(
      async () => (await command(workspace, "cat new.txt")).output === "hello from vim\n",
      "the saved file",
    );
  });
});
