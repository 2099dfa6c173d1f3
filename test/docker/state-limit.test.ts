import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Workspace } from "../../src/contract/workspace/workspace.ts";
import { stateDiskBytes } from "../../src/workspace/disk/disk-limit.ts";
import { command, docker, startEngine, type TestEngine } from "../support/engine.ts";

const MIB = 1024 * 1024;
const DISK = 48 * MIB;

describe("everything that a workload can cause to be written", () => {
  let engine: TestEngine;
  let workspace: Workspace;
  beforeAll(async () => {
    const settings = { diskBytes: DISK, tmpBytes: 16 * MIB };
    engine = await startEngine({ settings });
    workspace = await engine.workspaces.open("writer", { fence: 1 });
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  const asRoot = async (...words: string[]) =>
    docker("exec", "-u", "0", await engine.containerOf("writer"), ...words);
  const usedBytes = async (path: string) =>
    Number((await asRoot("du", "-skx", path)).split(/\s/)[0]) * 1024;
  const sizeOf = async (path: string) =>
    Number((await asRoot("df", "-k", "--output=size", path)).split("\n").at(-1)) * 1024;

  it.each([
    ["/workspace", DISK],
    ["/home/agent", DISK],
    ["/tmp", 16 * MIB],
    ["/dev/shm", 16 * MIB],
    ["/var/lib/deckhand", stateDiskBytes(DISK)],
  ])("is on a file system of limited size: %s", async (path, limit) => {
    expect(await sizeOf(path)).toBeLessThanOrEqual(limit);
  });

  /** Every mount of the container in which the workload can make a file, from inside and as the workload. */
  const LOOK_FOR_PLACES = `cut -d' ' -f5 /proc/self/mountinfo | sort -u | while read -r mount; do
if [ -d "$mount" ]; then find "$mount" -xdev -type d -writable 2>/dev/null | head -n 500 | while read -r place; do
[ "$(stat -c %m "$place" 2>/dev/null)" = "$mount" ] && (: > "$place/.probe-$$") 2>/dev/null && { rm -f "$place/.probe-$$"; echo "$mount"; break; }; done
elif [ -f "$mount" ] && [ -w "$mount" ]; then echo "$mount"; fi; done | sort -u`;

  it("is in no other place: the workload can make files in no other mount of the container", async () => {
    const { output } = await command(workspace, LOOK_FOR_PLACES);
    expect(String(output).trim().split("\n")).toEqual([
      "/dev/shm",
      "/home/agent",
      "/tmp",
      "/workspace",
    ]);
  });

  it("takes files in /dev/mqueue where a container has no such limit (careless control)", async () => {
    const image = (
      await docker("inspect", "-f", "{{.Image}}", await engine.containerOf("writer"))
    ).trim();
    const args = [
      "run",
      "--rm",
      "--network",
      "none",
      "--user",
      "1000:1000",
      "--entrypoint",
      "bash",
    ];
    const found = await docker(...args, image, "-c", LOOK_FOR_PLACES);
    expect(found.split("\n")).toContain("/dev/mqueue");
  });

  it("grows beyond it on a disk without a limit (careless control)", async () => {
    const image = (
      await docker("inspect", "-f", "{{.Image}}", await engine.containerOf("writer"))
    ).trim();
    const fill = `for place in /workspace /home/agent /tmp; do head -c ${2 * DISK} /dev/zero > $place/full && wc -c < $place/full; done`;
    const args = [
      "run",
      "--rm",
      "--network",
      "none",
      "--user",
      "1000:1000",
      "--entrypoint",
      "bash",
    ];
    const sizes = (await docker(...args, image, "-c", fill)).trim().split("\n");
    expect(sizes).toEqual(["/workspace", "/home/agent", "/tmp"].map(() => `${2 * DISK}`));
    const limited = await command(
      workspace,
      `${fill}; rm -f /workspace/full /home/agent/full /tmp/full`,
    );
    expect(String(limited.output)).not.toContain(`${2 * DISK}`);
  });

  it("leaves checkpoints within the limit of the disk, evicts the oldest and restores the newest", async () => {
    let evicted = 0;
    let newest = "";
    for (let turn = 0; turn < 6; turn += 1) {
      await command(workspace, "head -c 12000000 /dev/urandom > big; sha256sum big > sum");
      const made = await workspace.checkpoints.create({ callId: randomUUID() });
      evicted += made.evicted ?? 0;
      newest = made.checkpoint;
      expect(await usedBytes("/var/lib/deckhand/checkpoints")).toBeLessThanOrEqual(DISK + 2 * MIB);
    }
    expect(evicted).toBeGreaterThan(0);
    await command(workspace, "rm big; echo other > more");
    await workspace.checkpoints.restore(newest, { callId: randomUUID() });
    expect(await command(workspace, "sha256sum --check sum")).toMatchObject({ exit_code: 0 });
  });

  it("keeps the records of calls apart: a full workspace loses none of them", async () => {
    await command(workspace, "rm -f big; cat /dev/zero > full; cat /dev/zero > ~/full");
    const ids = Array.from({ length: 5 }, () => randomUUID());
    const first = [];
    for (const id of ids) first.push(await command(workspace, "date +%N", { id }));
    for (const id of ids)
      first.push(await command(workspace, "date +%N", { id: `${id}r`, as: "root" }));
    for (const [index, id] of ids.entries()) {
      expect(await command(workspace, "date +%N", { id })).toEqual(first[index]);
      const again = await command(workspace, "date +%N", { id: `${id}r`, as: "root" });
      expect(again).toEqual(first[index + ids.length]);
    }
    await command(workspace, "rm -f full ~/full");
  });

  it("survives a restart of the container with its records and checkpoints", async () => {
    const id = randomUUID();
    const before = await command(workspace, "date +%N", { id });
    const { checkpoint } = await workspace.checkpoints.create({ callId: randomUUID() });
    await docker("restart", "--time", "1", await engine.containerOf("writer"));
    const { notice: _, ...again } = await command(workspace, "date +%N", { id });
    expect(again).toEqual(before);
    const { checkpoints } = await workspace.checkpoints.list();
    expect(checkpoints.map((one) => one.checkpoint)).toContain(checkpoint);
  });
});
