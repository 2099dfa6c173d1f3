import { describe, expect, it } from "vitest";
import type { Terminals } from "../../../sandbox-image/server/terminal/terminals.ts";
import { running, TerminalLab } from "../../support/terminals.ts";

/** Every operation on one session; those that read still serve a session whose shell has exited. */
const ON_A_SESSION: readonly {
  name: string;
  use: (terminals: Terminals, id: string) => unknown;
  whenExited: "closed" | "served";
}[] = [
  { name: "sendInput", use: (all, id) => all.sendInput(id, ":\r"), whenExited: "closed" },
  {
    name: "resize",
    use: (all, id) => all.resize(id, { rows: 30, cols: 90 }),
    whenExited: "closed",
  },
  { name: "getOutput", use: (all, id) => all.getOutput(id, 0), whenExited: "served" },
  { name: "getHistory", use: (all, id) => all.getHistory(id), whenExited: "served" },
  { name: "close", use: (all, id) => all.close(id), whenExited: "served" },
];

describe.each(ON_A_SESSION)("$name of the terminals [6.16]", ({ use, whenExited }) => {
  it("serves an open session, and says that another one is not found", async () => {
    await using lab = new TerminalLab();
    await lab.terminals.create("thread");
    const attempt = async (id: string) => use(lab.terminals, id);
    await expect(attempt("other")).rejects.toThrow(/"other" not found.*create_session/);
    await expect(attempt("thread")).resolves.not.toThrow();
  });

  it(`is ${whenExited} once the shell has exited`, async () => {
    await using lab = new TerminalLab();
    await lab.terminals.create("thread");
    lab.terminals.sendInput("thread", "exit 3\r");
    await expect
      .poll(() => lab.terminals.list())
      .toMatchObject([{ state: "exited", exit_code: 3 }]);
    const attempt = (async () => use(lab.terminals, "thread"))();
    if (whenExited === "served") await expect(attempt).resolves.not.toThrow();
    else
      await expect(attempt).rejects.toThrow(
        "This terminal is closed: its shell exited with code 3",
      );
  });
});

describe("the terminals as a whole [6.16]", () => {
  it("are listed with id, time and directory, in every thread its own", async () => {
    await using lab = new TerminalLab();
    const before = Date.now();
    await lab.terminals.create("one");
    await lab.terminals.create("two", { directory: lab.settings.homeDir });
    const list = lab.terminals.list();
    expect(list).toMatchObject([
      { session_id: "one", working_directory: lab.settings.workspaceDir, state: "idle" },
      { session_id: "two", working_directory: lab.settings.homeDir, state: "idle" },
    ]);
    for (const { created } of list) expect(Date.parse(created)).toBeGreaterThanOrEqual(before - 1);
    expect(new Set(list.map(({ tty_name }) => tty_name)).size).toBe(2);
  });

  it.each([
    ["closeAll", (terminals: Terminals) => terminals.closeAll()],
    ["killAll", (terminals: Terminals) => terminals.killAll()],
  ] as const)("are all gone after %s, with what ran in them", async (name, end) => {
    await using lab = new TerminalLab();
    const seconds = name === "closeAll" ? "71.5" : "72.5";
    await lab.terminals.create("one");
    lab.terminals.sendInput("one", `sleep ${seconds} & (setsid sleep ${seconds} &)\r`);
    await lab.run(`sleep ${seconds}`, { isBackground: true });
    await expect.poll(() => running(`sleep ${seconds}`).length).toBeGreaterThanOrEqual(3);
    await end(lab.terminals);
    expect(lab.terminals.list()).toEqual([]);
    await expect.poll(() => running(`sleep ${seconds}`)).toEqual([]);
  });

  it("say so where the directory does not exist, and open nothing", async () => {
    await using lab = new TerminalLab();
    const nowhere = lab.terminals.create("thread", { directory: "/nowhere" });
    await expect(nowhere).rejects.toThrow(/nowhere/);
    expect(lab.terminals.list()).toEqual([]);
  });
});
