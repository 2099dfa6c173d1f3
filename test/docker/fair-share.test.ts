import { describe, expect, it } from "vitest";
import type { QueueWait } from "../../src/contract/workspace/workspace.ts";
import { command, docker, startEngine } from "../support/engine.ts";
import { eventually } from "../support/until.ts";

const fence = 1;

describe("one person who uses every workspace", () => {
  it("leaves the next free one to a newcomer, although more of theirs wait longer", async () => {
    await using engine = await startEngine({ settings: { cap: 2 }, sweepEveryMs: 200 });
    const open = (thread: string, requester: string, onQueued?: (wait: QueueWait) => void) =>
      engine.workspaces.open(thread, { fence, requester, ...(onQueued && { onQueued }) });
    const short = command(await open("hog-1", "hog"), "until [ -e enough ]; do sleep 0.1; done");
    const long = await open("hog-2", "hog");
    const rest = new AbortController();
    const running = command(long, "sleep 300", { signal: rest.signal });
    const order: string[] = [];
    const waits: Record<string, QueueWait> = {};
    const third = open("hog-3", "hog", (wait) => {
      waits.hog = wait;
    }).then(() => order.push("hog-3"));
    const newcomer = open("new", "ann", (wait) => {
      waits.ann = wait;
    }).then(async (workspace) => {
      order.push("new");
      return command(workspace, "echo mine");
    });
    await eventually(async () => {
      expect(waits).toMatchObject({ hog: { place: 2, person: 2 }, ann: { place: 1 } });
    });
    await docker("exec", await engine.containerOf("hog-1"), "touch", "/workspace/enough");
    expect(await short).toMatchObject({ success: true });
    expect(await newcomer).toMatchObject({ output: "mine\n" });
    expect(order[0]).toBe("new");
    rest.abort();
    await Promise.all([running, third]);
  });

  it("gives background work beyond their share up after a grace, and says so", async () => {
    const settings = { cap: 2 };
    const options = { settings, sweepEveryMs: 200, backgroundGraceMs: 1_000 };
    await using engine = await startEngine(options);
    const hogs = [];
    for (const thread of ["hog-1", "hog-2"]) {
      const workspace = await engine.workspaces.open(thread, { fence, requester: "hog" });
      await command(workspace, "sleep infinity", { background: true });
      hogs.push(workspace);
    }
    const newcomer = await engine.workspaces.open("new", { fence, requester: "ann" });
    expect(await command(newcomer, "echo mine")).toMatchObject({ output: "mine\n" });
    const states = (await engine.workspaces.list()).map(({ state }) => state).sort();
    expect(states).toEqual(["running", "running", "stopped"]);
    const told = await command(hogs[0] as (typeof hogs)[0], "true");
    expect(told.notice).toContain("background work in this workspace was stopped");
  });
});
