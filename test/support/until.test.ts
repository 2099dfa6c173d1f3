import { expect, it } from "vitest";
import { reportWaits, until } from "./until.ts";

it("fails with what it waited for and the last state that it saw", async () => {
  const states = ["queued", "running"];
  const wait = until(() => false, "the turn to end", { withinMs: 20, seen: () => states.at(-1) });
  await expect(wait).rejects.toThrow(/^Waited \d+ ms for: the turn to end\nLast seen: running$/);
});

it("reports a wait whose test ends first, and makes it fail", async () => {
  const wait = until(() => false, "the turn to end", { seen: () => ({ state: "running" }) });
  const failure = expect(wait).rejects.toThrow("the turn to end");
  const [report] = await reportWaits({ abandon: true });
  expect(report).toMatch(/^Waited \d+ ms for: the turn to end\nLast seen: { state: 'running' }$/);
  await failure;
  expect(await reportWaits({ abandon: true })).toEqual([]);
});

it("reports a condition that never answers", async () => {
  const answer = Promise.withResolvers<boolean>();
  const wait = until(() => answer.promise, "an answer");
  expect(await reportWaits({ abandon: false })).toEqual([expect.stringContaining("no answer yet")]);
  answer.resolve(true);
  await wait;
});
