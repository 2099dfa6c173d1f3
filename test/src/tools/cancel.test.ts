import { describe, expect, it } from "vitest";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import { ownMs } from "../../support/own-clock.ts";
import { lab, single } from "./support/lab.ts";

describe("1.36 a cancelled call", () => {
  it("does not begin when it was cancelled before", async () => {
    let runs = 0;
    const box = lab({ tools: [single("probe", async () => ({ text: `${++runs}` }))] });
    const result = await box.call("probe", {}, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({
      success: false,
      output: { additionalData: { cancelled: true } },
    });
    expect(result.output.content).toContain("nothing was done");
    expect(runs).toBe(0);
    expect(box.states()).toContain("Cancelled");
  });

  it("ends soon, even if its tool does not listen", async () => {
    const stop = new AbortController();
    const begun = Promise.withResolvers<void>();
    const deaf = () => {
      begun.resolve();
      return new Promise<never>(() => {});
    };
    const box = lab({ tools: [single("deaf", deaf)] });
    const running = box.call("deaf", {}, { signal: stop.signal });
    await begun.promise;
    const began = ownMs();
    stop.abort();
    const result = await running;
    expect(ownMs() - began).toBeLessThan(15_000);
    expect(result.output.additionalData).toEqual({ cancelled: true });
    expect(result.output.content).toContain("until then remain");
  });

  it("keeps what its tool has to say about being stopped", async () => {
    const stop = new AbortController();
    const begun = Promise.withResolvers<void>();
    const box = lab({
      tools: [
        single("polite", async (_params, { signal }) => {
          begun.resolve();
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          throw new ToolError("executionFailed", "Stopped; no process is left.");
        }),
      ],
    });
    const running = box.call("polite", {}, { signal: stop.signal });
    await begun.promise;
    stop.abort();
    expect((await running).output.content).toContain("no process is left");
  });

  it("does not wait for a guard that takes its time", async () => {
    const stop = new AbortController();
    const begun = Promise.withResolvers<void>();
    const box = lab({
      tools: [single("probe", async () => ({ text: "" }))],
      verdict: () => {
        begun.resolve();
        return new Promise(() => {});
      },
    });
    const running = box.call("probe", {}, { signal: stop.signal });
    await begun.promise;
    stop.abort();
    expect(await running).toMatchObject({
      success: false,
      output: { additionalData: { cancelled: true } },
    });
  });
});
