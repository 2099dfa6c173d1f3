import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileRecords, type WorkspaceRecord } from "../../../../src/workspace/lifecycle/records.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "deckhand-records-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

describe("records of workspaces", () => {
  it("let the first of many claims of one conversation win, for all of them", async () => {
    const writers = Array.from({ length: 20 }, () => new FileRecords(dataDir));
    const winners = await Promise.all(
      writers.map((records, index) => records.claim(record("thread/1", `ws${index}`))),
    );
    expect(new Set(winners.map((one) => one.workspace)).size).toBe(1);
    expect(await new FileRecords(dataDir).find("thread/1")).toEqual(winners[0]);
  });

  it("are files that nobody else can read, and no half-written file is left", async () => {
    const records = new FileRecords(dataDir);
    await records.claim(record("../../etc/passwd", "ws"));
    await records.update("../../etc/passwd", { keep: true });
    const files = await readdir(join(dataDir, "workspaces"));
    expect(files).toEqual([expect.stringMatching(/^[0-9a-f]{40}\.json$/)]);
    const { mode } = await stat(join(dataDir, "workspaces", files[0] ?? ""));
    expect(mode & 0o777).toBe(0o600);
  });

  it("change, are listed and disappear", async () => {
    const records = new FileRecords(dataDir);
    await records.claim(record("a", "ws-a"));
    await records.claim(record("b", "ws-b"));
    await records.update("a", { keep: true });
    await records.update("nobody", { keep: true });
    await records.remove("b");
    expect(await records.list()).toEqual([{ ...record("a", "ws-a"), keep: true }]);
    expect(await records.find("b")).toBeUndefined();
  });

  it("give the bot one name for good", async () => {
    const made = await Promise.all([1, 2, 3].map(() => new FileRecords(dataDir).instance()));
    expect(new Set(made).size).toBe(1);
    expect(await new FileRecords(dataDir).instance()).toBe(made[0]);
  });
});

function record(conversation: string, workspace: string): WorkspaceRecord {
  const now = "2026-01-01T00:00:00.000Z";
  return { conversation, workspace, createdAt: now, lastUsedAt: now, keep: false, removing: false };
}
