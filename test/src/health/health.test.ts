import { describe, expect, it } from "vitest";
import { HealthMonitor, type Probe } from "../../../src/health/health-monitor.ts";
import { startHealthServer } from "../../../src/health/health-server.ts";
import { OperatorError } from "../../../src/lib/operator-error.ts";

/** Something that works until it is told otherwise, looked at by a clock of its own. */
function lab() {
  const clock = { ms: 0 };
  const store = { error: undefined as Error | undefined };
  const probe: Probe = {
    name: "store",
    everyMs: 10_000,
    check: () => {
      if (store.error) throw store.error;
    },
  };
  const redact = (text: string) => text.replaceAll("hunter2", "***");
  return {
    clock,
    store,
    probe,
    monitor: new HealthMonitor([probe], { redact, now: () => clock.ms }),
  };
}

describe("the health of the bot", () => {
  it("is not ready before everything was looked at", () => {
    const part = { ok: false, lastSuccessSeconds: null, problem: "not checked yet" };
    expect(lab().monitor.report()).toEqual({
      ready: false,
      draining: false,
      parts: { store: part },
    });
  });

  it("says how long ago each part worked, and why it does not work now", async () => {
    const { clock, store, probe, monitor } = lab();
    await monitor.look(probe);
    clock.ms = 7_000;
    expect(monitor.report()).toMatchObject({
      ready: true,
      parts: { store: { ok: true, lastSuccessSeconds: 7 } },
    });
    store.error = new OperatorError("The store at hunter2 is away.");
    await monitor.look(probe);
    expect(monitor.report()).toMatchObject({
      ready: false,
      parts: { store: { ok: false, lastSuccessSeconds: 7, problem: "The store at *** is away." } },
    });
    store.error = undefined;
    await monitor.look(probe);
    expect(monitor.report().ready).toBe(true);
  });

  it("hides what an unexpected error says", async () => {
    const { store, probe, monitor } = lab();
    store.error = new Error("/secret/path");
    await monitor.look(probe);
    expect(JSON.stringify(monitor.report())).not.toContain("secret");
  });

  it("is not ready when a look itself hangs", async () => {
    const { clock, probe, monitor } = lab();
    await monitor.look(probe);
    clock.ms = 60_000;
    expect(monitor.report().parts.store).toMatchObject({ ok: false, lastSuccessSeconds: 60 });
  });

  it("is not ready while it is being ended", async () => {
    const { probe, monitor } = lab();
    await monitor.look(probe);
    monitor.drain();
    expect(monitor.report()).toMatchObject({ ready: false, draining: true });
  });

  it("is told over HTTP: 200 while ready, 503 otherwise, and /healthz either way", async () => {
    const { probe, monitor } = lab();
    const report = () => monitor.report();
    await using server = await startHealthServer({ host: "127.0.0.1", port: 0, report });
    const ask = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${server.port}${path}`);
      return { status: answer.status, body: await answer.json() };
    };
    expect((await ask("/readyz")).status).toBe(503);
    await monitor.look(probe);
    expect(await ask("/readyz")).toMatchObject({ status: 200, body: { ready: true } });
    expect(await ask("/healthz")).toEqual({ status: 200, body: { ok: true } });
    expect((await ask("/")).status).toBe(404);
  });
});
