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

  it("keep everything in SQLite in the data directory, unless a Redis is named", () => {
    const DECKHAND_DATA_DIR = "/somewhere";
    const sqlite = { kind: "sqlite", file: "/somewhere/deckhand.sqlite" };
    expect(readConfig({ DECKHAND_DATA_DIR }).store).toEqual(sqlite);
    const REDIS_URL = "redis://example:6379";
    expect(readConfig({ REDIS_URL }).store).toMatchObject({
      kind: "redis",
      url: REDIS_URL,
      prefix: "deckhand:",
      durable: "checked",
    });
    const env = { DECKHAND_DATA_DIR, REDIS_URL, STORE: "sqlite" };
    expect(readConfig(env).store).toEqual(sqlite);
    const assumed = { REDIS_URL, REDIS_PREFIX: "team:", REDIS_DURABLE: "assumed" };
    expect(readConfig(assumed).store).toMatchObject({ prefix: "team:", durable: "assumed" });
  });

  it("ask for the address of a Redis that shall be used, together with all other problems", () => {
    expect(() => readConfig({ STORE: "redis", WORKSPACE_CAP: "0" })).toThrow(
      /REDIS_URL: is required when STORE is redis/,
    );
    expect(() => readConfig({ STORE: "redis", WORKSPACE_CAP: "0" })).toThrow(/WORKSPACE_CAP/);
    expect(() => readConfig({ REDIS_URL: "http://example" })).toThrow(
      /REDIS_URL: must start with redis:\/\/, rediss:\/\/ or unix:\/\/\//,
    );
  });

  it("take an empty variable for one that is not set", () => {
    expect(readConfig({ WORKSPACE_CAP: "" }).workspaces.cap).toBe(8);
  });
});
