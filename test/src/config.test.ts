import { describe, expect, it } from "vitest";
import { readConfig } from "../../src/config.ts";

describe("the settings", () => {
  it("need nothing to start with", () => {
    expect(readConfig({})).toMatchObject({
      workspaces: { image: "deckhand-sandbox", poolSize: 1, cap: 8, idleStopMs: 30 * 60_000 },
    });
  });

  it("are given as people say them: megabytes, minutes, days", () => {
    const env = {
      WORKSPACE_MEMORY_MB: "512",
      WORKSPACE_IDLE_MINUTES: "1.5",
      WORKSPACE_RETENTION_DAYS: "2",
    };
    expect(readConfig(env).workspaces).toMatchObject({
      memoryBytes: 512 * 1024 * 1024,
      idleStopMs: 90_000,
      retentionMs: 2 * 86_400_000,
    });
  });

  it("name every problem at once, each with its variable", () => {
    const env = { WORKSPACE_MEMORY_MB: "lots", WORKSPACE_CAP: "0", WORKSPACE_CPUS: "2" };
    expect(() => readConfig(env)).toThrow(/WORKSPACE_MEMORY_MB[\s\S]*WORKSPACE_CAP/);
    expect(() => readConfig(env)).not.toThrow(/WORKSPACE_CPUS/);
  });

  it("take an empty variable for one that is not set", () => {
    expect(readConfig({ WORKSPACE_CAP: "" }).workspaces.cap).toBe(8);
  });
});
