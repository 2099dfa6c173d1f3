import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startProxy } from "../../../src/engine-proxy/proxy.ts";
import { RunningLimit } from "../../../src/engine-proxy/running-limit.ts";
import { readProxySettings } from "../../../src/engine-proxy/settings.ts";
import { WorkspaceSettings } from "../../../src/workspace/settings.ts";
import { CONTAINER, exchange, RecordingEngine } from "../../support/recording-engine.ts";
import { until } from "../../support/until.ts";
import { raw, seccomp } from "./hostile-requests.ts";

const START = raw(`POST /containers/${CONTAINER}/start`);

let engine: RecordingEngine;
let proxy: AsyncDisposable;
let socketPath: string;
const log: string[] = [];
beforeEach(async () => {
  engine = await RecordingEngine.start();
  socketPath = join(engine.directory, "proxy.sock");
  log.length = 0;
  proxy = await startProxy({
    settings: readProxySettings({
      ENGINE_SOCKET: engine.socketPath,
      ENGINE_PROXY_SOCKET: socketPath,
      WORKSPACE_CAP: "3",
      WORKSPACE_POOL: "1",
    }),
    seccomp,
    log: (level, message) => log.push(`${level} ${message}`),
  });
});
afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
});

describe("the engine proxy under a bot that was taken over", () => {
  it("asks the engine no longer than the bot waits", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    engine.held = promise;
    const bot = connect({ path: socketPath });
    bot.write(raw("GET /info"));
    await until(() => engine.open > 0, "the engine is asked");
    bot.destroy();
    await until(() => engine.open === 0, "the engine is left");
    resolve();
    expect(log).toEqual([]);
  });

  it("asks the engine for at most 64 things at once", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    engine.held = promise;
    const bot = connect({ path: socketPath });
    let answers = 0;
    bot.setEncoding("latin1").on("data", (text: string) => {
      answers += text.split("HTTP/1.1 200").length - 1;
    });
    bot.write(raw("GET /info").repeat(300));
    await until(() => engine.open === 64, "64 requests at the engine");
    resolve();
    await until(() => answers === 300, "every answer");
    expect(engine.most).toBe(64);
    bot.destroy();
  });

  it("starts no more than twice the workspaces that the cap allows", async () => {
    engine.running = 7;
    expect(await exchange(socketPath, START)).toMatch(/^HTTP\/1\.1 204/);
    engine.running = 8;
    expect(await exchange(socketPath, START)).toMatch(
      /^HTTP\/1\.1 403[\s\S]*Too many workspaces run/,
    );
    expect(engine.changes).toHaveLength(1);
  });

  it("counts starts that come at once, in whatever order the engine answers", async () => {
    const limit = new RunningLimit(WorkspaceSettings.parse({ cap: 3, poolSize: 1 }));
    let running = 0;
    const yieldTimes = async (times: number) => {
      for (let count = 0; count < times; count += 1) await Promise.resolve();
    };
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, async (_, index) => {
        await yieldTimes((index * 7) % 11);
        const countRunning = async () => {
          await yieldTimes((index * 5) % 13);
          const seen = running;
          await yieldTimes((index * 3) % 17);
          return seen;
        };
        await limit.start(countRunning, async () => {
          await yieldTimes((index * 2) % 19);
          running += 1;
        });
      }),
    );
    expect(running).toBeGreaterThan(0);
    expect(running).toBeLessThanOrEqual(8);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(running);
  });
});
