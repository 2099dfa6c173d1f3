import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { command, docker, startEngine } from "../support/engine.ts";
import { eventually } from "../support/until.ts";

const fence = 1;

describe("an end of the bot", () => {
  it("lets go of a workspace that was being made meanwhile, and the next start finds it", async () => {
    await using engine = await startEngine();
    const opening = engine.workspaces.open("late", { fence }).catch((error: unknown) => error);
    await eventually(async () => expect(await engine.containers()).toHaveLength(1));
    await engine.workspaces.close();
    expect(await opening).toMatchObject({ message: "Deckhand is shutting down." });
    const next = await engine.again();
    expect((await command(await next.open("late", { fence }), "echo well")).output).toBe("well\n");
    expect(await engine.containers()).toHaveLength(1);
  });
});

describe("after a crash of the bot", () => {
  it("its pool is used again, and nothing is left over when it ends", async () => {
    await using engine = await startEngine({ settings: { poolSize: 2 } });
    await eventually(async () => expect(await engine.containers()).toHaveLength(2));
    await eventually(async () => {
      for (const name of await engine.containers())
        expect(await docker("top", name)).toContain("bash");
    });
    const before = await engine.containers();
    const next = await engine.again({ settings: { poolSize: 2 } });
    const workspace = await next.open("thread", { fence });
    expect(before.some((name) => name.includes(workspace.id))).toBe(true);
    await next.reset("thread");
    await next.close();
    await engine.workspaces.close();
    expect(await engine.containers()).toEqual([]);
    expect(await engine.volumes()).toEqual([]);
  });

  it("a workspace whose record was never written is found by its name", async () => {
    await using engine = await startEngine();
    const workspace = await engine.workspaces.open("unrecorded", { fence });
    await command(workspace, "echo kept > file");
    const directory = join(engine.dataDir, "workspaces");
    await eventually(async () => expect(await readdir(directory)).toHaveLength(1));
    for (const file of await readdir(directory)) await rm(join(directory, file));
    const next = await engine.again();
    const found = await next.open("unrecorded", { fence });
    expect(found.id).toBe(workspace.id);
    expect((await command(found, "cat file")).output).toBe("kept\n");
    expect(await next.list()).toMatchObject([{ conversation: "unrecorded" }]);
  });

  it("a finished call that nobody read is answered with its result and not run again", async () => {
    await using engine = await startEngine();
    const workspace = await engine.workspaces.open("unread", { fence });
    const lost = command(workspace, "echo once >> count; sleep 1; echo done", { id: "call-1" });
    const next = await engine.again();
    const found = await next.open("unread", { fence: 2 });
    const adopted = await command(found, "echo once >> count; sleep 1; echo done", {
      id: "call-1",
    });
    expect(adopted).toMatchObject({ success: true, output: "done\n" });
    expect((await command(found, "wc -l < count")).output).toBe("1\n");
    await lost;
  });

  it("a removal that was cut off is finished", async () => {
    await using engine = await startEngine();
    const workspace = await engine.workspaces.open("half-removed", { fence });
    await command(workspace, "echo old > file");
    await engine.workspaces.close();
    const { FileRecords } = await import("../../src/workspace/lifecycle/records.ts");
    await new FileRecords(engine.dataDir).update("half-removed", { removing: true });
    const next = await (await engine.again()).open("half-removed", { fence });
    expect(next.id).not.toBe(workspace.id);
    expect((await command(next, "ls")).output).toBe("");
  });

  it("volumes that nobody refers to are removed once they are old enough, others are not", async () => {
    await using engine = await startEngine();
    const kept = await engine.workspaces.open("kept", { fence });
    await engine.workspaces.open("orphan", { fence });
    await command(kept, "echo kept > file");
    for (const thread of ["kept", "orphan"]) {
      await docker("rm", "--force", await engine.containerOf(thread));
    }
    await engine.workspaces.close();
    const { FileRecords } = await import("../../src/workspace/lifecycle/records.ts");
    await new FileRecords(engine.dataDir).remove("orphan");
    const patient = await engine.again();
    await patient.open("kept", { fence });
    expect(await engine.volumes()).toHaveLength(6);
    await patient.close();
    // The engine tells the age of a volume in whole seconds.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const next = await engine.again({ volumeGraceMs: 0 });
    const found = await next.open("kept", { fence });
    expect((await command(found, "cat file")).output).toBe("kept\n");
    expect(await engine.volumes()).toHaveLength(3);
  });

  it("a workspace made to an older recipe gets a new container around its files, and its calls stay known", async () => {
    await using engine = await startEngine();
    const workspace = await engine.workspaces.open("outdated", { fence });
    await command(workspace, "echo once >> count", { id: "old-call" });
    const container = await engine.containerOf("outdated");
    const before = await docker("inspect", "--format", "{{.Id}}", container);
    await engine.workspaces.close();
    const next = await (await engine.again({ settings: { pids: 200 } })).open("outdated", {
      fence,
    });
    expect(next.id).toBe(workspace.id);
    expect(await docker("inspect", "--format", "{{.Id}}", container)).not.toBe(before);
    expect(await command(next, "echo once >> count", { id: "old-call" })).toMatchObject({
      success: true,
    });
    expect((await command(next, "wc -l < count")).output).toBe("1\n");
  });

  it("another bot on the same engine is left alone", async () => {
    await using one = await startEngine({ settings: { poolSize: 1 } });
    const workspace = await one.workspaces.open("same-thread", { fence });
    await eventually(async () => expect(await one.containers()).toHaveLength(2));
    const before = await one.containers();
    await using two = await startEngine({ volumeGraceMs: 0 });
    const other = await two.workspaces.open("same-thread", { fence });
    expect(other.id).not.toBe(workspace.id);
    await two.workspaces.reset("same-thread");
    await two.workspaces.close();
    expect((await one.containers()).toSorted()).toEqual(before.toSorted());
    expect(await command(workspace, "echo here")).toMatchObject({ output: "here\n" });
  });
});
