import { describe, expect, it } from "vitest";
import { command, docker, startEngine, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/until.ts";

const fence = 1;
const pooled = { settings: { poolSize: 1 } };

describe("the warm pool", () => {
  it("gives a new thread a workspace that was started before, and makes the next one", async () => {
    await using engine = await startEngine(pooled);
    const [waiting] = await poolOf(engine, 1);
    const workspace = await engine.workspaces.open("first", { fence });
    expect(waiting).toContain(workspace.id);
    expect(await command(workspace, "echo warm")).toMatchObject({
      success: true,
      output: "warm\n",
    });
    const [next] = await poolOf(engine, 1);
    expect(next).not.toBe(waiting);
  });

  it("gives no two threads the same workspace when many ask at once", async () => {
    await using engine = await startEngine({ settings: { poolSize: 2 } });
    await poolOf(engine, 2);
    const opened = await Promise.all(
      Array.from({ length: 5 }, (_, index) => engine.workspaces.open(`t${index}`, { fence })),
    );
    expect(new Set(opened.map((one) => one.id)).size).toBe(5);
    const ids = await Promise.all(opened.map((one, index) => command(one, `echo ${index}`)));
    expect(ids.map((one) => one.output)).toEqual(["0\n", "1\n", "2\n", "3\n", "4\n"]);
  });

  it("is shared by two processes of one bot without a workspace being given twice", async () => {
    await using engine = await startEngine(pooled);
    await poolOf(engine, 1);
    const other = await engine.again({ settings: { poolSize: 1 } });
    const opened = await Promise.all([
      engine.workspaces.open("a", { fence }),
      other.open("b", { fence }),
    ]);
    expect(new Set(opened.map((one) => one.id)).size).toBe(2);
  });

  it("hands out a working one although its container was removed meanwhile", async () => {
    await using engine = await startEngine(pooled);
    const [waiting = ""] = await poolOf(engine, 1);
    await docker("rm", "--force", waiting);
    const workspace = await engine.workspaces.open("unlucky", { fence });
    expect(await command(workspace, "echo ok")).toMatchObject({ output: "ok\n" });
  });

  it("6.14 is emptied when the bot ends; workspaces of threads live on with their terminals", async () => {
    await using engine = await startEngine(pooled);
    await poolOf(engine, 1);
    const workspace = await engine.workspaces.open("lives-on", { fence });
    await command(workspace, "export STATE=kept; sleep 777 & true");
    await poolOf(engine, 1);
    await engine.workspaces.close();
    expect(await engine.containers()).toHaveLength(1);
    const next = await (await engine.again()).open("lives-on", { fence });
    const result = await command(next, "echo $STATE; pgrep -f 'sleep 777' | wc -l");
    expect(result.output).toBe("kept\n1\n");
    expect(result).not.toHaveProperty("notice");
  });
});

/** The pool's containers once there are so many, ready to be claimed. */
async function poolOf(engine: TestEngine, size: number): Promise<string[]> {
  let names: string[] = [];
  await eventually(async () => {
    names = (await engine.containers()).filter((name) => name.includes("-pool-"));
    expect(names).toHaveLength(size);
    for (const name of names) expect(await docker("top", name)).toContain("bash");
  });
  return names;
}
