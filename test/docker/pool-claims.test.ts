import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Engine } from "../../src/workspace/docker/docker.ts";
import { Pool } from "../../src/workspace/lifecycle/pool.ts";
import { reconcile } from "../../src/workspace/lifecycle/reconcile.ts";
import { FileRecords } from "../../src/workspace/lifecycle/records.ts";
import { LiveWorkspace, type WorkspaceContext } from "../../src/workspace/live-workspace.ts";
import { conversationKey } from "../../src/workspace/names.ts";
import { createWorkspaceContext } from "../../src/workspace/workspace-context.ts";
import { command, docker, optionsOf, startEngine, type TestEngine } from "../support/engine.ts";
import { caseCount } from "../support/thorough.ts";
import { eventually } from "../support/until.ts";

const fence = 1;
const ROUNDS = caseCount({ perChange: 8, all: 200 });
const claimProgram = fileURLToPath(new URL("../support/claim-program.ts", import.meta.url));

describe("two processes of one bot that want the same workspace of the pool", () => {
  it(`never both get it, in ${ROUNDS} rounds`, async () => {
    await using engine = await startEngine();
    const both = await processesOf(engine);
    for (let round = 0; round < ROUNDS; round += 1) {
      const pools = await sharedPool(engine, both);
      const [waiting = ""] = await engine.containers();
      const names = ["a", "b"].map((one) => both[0].names.claimed(conversationKey(one + round)));
      const taken = await Promise.all(pools.map((pool, index) => pool.take(names[index] ?? "")));
      await Promise.all(pools.map((pool) => pool.close()));
      const given = taken.filter((one) => one instanceof LiveWorkspace);
      // On a busy machine the loser's pool has made another one by the time it has lost, and gives that.
      const winners = given.filter(({ container }) => waiting.includes(container.workspace));
      expect(winners).toHaveLength(1);
      const [winner] = winners;
      expect(winner?.container.name).toBe(winner && names[taken.indexOf(winner)]);
      const containers = given.map(({ container }) => container.name);
      expect((await engine.containers()).toSorted()).toEqual(containers.toSorted());
      for (const { link, container } of given) {
        link.close();
        await container.destroy();
      }
    }
  });

  it("would both get it now and then by Docker's rename alone", async () => {
    const { settings } = optionsOf("");
    const engines = [new Engine(settings), new Engine(settings)] as const;
    const prefix = `deckhand-rename-${randomBytes(4).toString("hex")}`;
    let name = prefix;
    expect(await engines[0].create(name, { Image: settings.image })).toBe("created");
    try {
      // A rename costs no start, and a third of them collide.
      for (let isDouble = false, round = 0; !isDouble; round += 1) {
        const names = [`${prefix}-a${round}`, `${prefix}-b${round}`] as const;
        const renamed = await Promise.all([
          engines[0].rename(name, names[0]),
          engines[1].rename(name, names[1]),
        ]);
        isDouble = renamed.every((one) => one === "renamed");
        name = (await engines[0].inspect(names[0])) ? names[0] : names[1];
      }
    } finally {
      await engines[0].remove(name);
    }
  });

  it("keep the claim of one that is killed before it renames the container", async () => {
    await using engine = await startEngine({ settings: { poolSize: 1 } });
    const waiting = await poolOf(engine);
    await killedAt(engine, "claimed");
    expect(await engine.containers()).toContain(waiting);
    // This process still has it in its pool, and must not give it to another thread.
    const other = await engine.workspaces.open("other", { fence });
    expect(waiting).not.toContain(other.id);
    const [{ names }] = await processesOf(engine);
    expect(await engine.containers()).toContain(names.claimed(conversationKey("killed")));
    const workspace = await engine.workspaces.open("killed", { fence });
    expect(waiting).toContain(workspace.id);
    expect(await command(workspace, "echo mine")).toMatchObject({ output: "mine\n" });
  });

  it("finish such a claim at the next start", async () => {
    await using engine = await startEngine({ settings: { poolSize: 1 } });
    const waiting = await poolOf(engine);
    await killedAt(engine, "claimed");
    const next = await engine.again({ settings: { poolSize: 0 } });
    const [{ names }] = await processesOf(engine);
    const name = names.claimed(conversationKey("killed"));
    await eventually(async () => expect(await engine.containers()).toEqual([name]));
    const workspace = await next.open("killed", { fence });
    expect(waiting).toContain(workspace.id);
    expect(await command(workspace, "echo mine")).toMatchObject({ output: "mine\n" });
  });

  it("keep the claim when the container is restarted in between", async () => {
    await using engine = await startEngine({ settings: { poolSize: 1 } });
    const waiting = await poolOf(engine);
    await killedAt(engine, "claimed");
    await docker("restart", "--time", "0", waiting);
    const next = await engine.again({ settings: { poolSize: 1 } });
    expect(waiting).not.toContain((await next.open("other", { fence })).id);
    expect(waiting).toContain((await next.open("killed", { fence })).id);
  });

  it("remove the claimed one when the conversation has another container by then", async () => {
    await using engine = await startEngine({ settings: { poolSize: 1 } });
    const waiting = await poolOf(engine);
    await killedAt(engine, "claimed");
    const [{ names }] = await processesOf(engine);
    const name = names.claimed(conversationKey("killed"));
    const labels = Object.entries(names.labels("00000000000000aa"));
    const marks = labels.flatMap(([label, value]) => ["--label", `${label}=${value}`]);
    await docker("create", "--name", name, ...marks, optionsOf("").settings.image);
    await engine.workspaces.open("other", { fence });
    expect(await engine.containers()).not.toContain(waiting);
    expect(await docker("inspect", "--format", "{{.Name}}", name)).toBe(`/${name}`);
  });
});

/** What two processes of the bot would have. */
async function processesOf({ dataDir }: TestEngine): Promise<[WorkspaceContext, WorkspaceContext]> {
  const instance = await new FileRecords(dataDir).instance();
  const context = () => createWorkspaceContext(optionsOf(dataDir), instance);
  return [context(), context()];
}

/** One workspace in the pools of both: the first has made it, the second has found it. */
async function sharedPool(
  { dataDir }: TestEngine,
  [maker, finder]: [WorkspaceContext, WorkspaceContext],
): Promise<[Pool, Pool]> {
  const [first, second] = [new Pool(maker, 1), new Pool(finder, 1)];
  first.fill();
  await first.ready();
  const records = new FileRecords(dataDir);
  const never = () => expect.unreachable("no thread has a workspace yet");
  const rest = { records, volumeGraceMs: 60_000, onRunning: never };
  await reconcile({ context: finder, pool: second, ...rest });
  return [first, second];
}

/** The container that waits in the pool, ready to be claimed. */
async function poolOf(engine: TestEngine): Promise<string> {
  let [name = ""] = await engine.containers();
  await eventually(async () => {
    [name = ""] = await engine.containers();
    expect(name).toContain("-pool-");
    expect(await docker("top", name)).toContain("bash");
  });
  return name;
}

/** Another process of the bot, which opens a workspace for the thread "killed" and dies at the point. */
async function killedAt({ dataDir }: TestEngine, point: string): Promise<void> {
  const program = spawn(process.execPath, [claimProgram, dataDir, "killed", point], {
    stdio: "inherit",
  });
  expect(await once(program, "exit")).toEqual([null, "SIGKILL"]);
}
