import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { running, TerminalLab } from "../../support/terminals.ts";
import { shareOf } from "../../support/thorough.ts";

let count = 0;
/** A number of seconds that no other process sleeps for: its name in the process table. */
const unique = () => `${40_000 + (process.pid % 1000)}.${++count}`;

/** How many processes sleep once all of it has started, and the command. */
const kinds: Readonly<Record<string, readonly [sleepers: number, command: string]>> = {
  plain: [1, "sleep TIME"],
  background: [3, "sleep TIME & (sleep TIME &); sleep TIME"],
  "setsid double fork": [3, "(setsid sh -c 'sleep TIME & sleep TIME' &); sleep TIME"],
  nohup: [2, "nohup sleep TIME >/dev/null 2>&1 & sleep TIME"],
  "TERM ignored": [2, `bash -c 'trap "" TERM INT HUP; while :; do sleep TIME; done' & sleep TIME`],
  "a terminal of its own": [1, "script -qc 'sleep TIME' /dev/null"],
  "no environment": [2, "env -i setsid sleep TIME & disown; sleep TIME"],
};

/** Those that sleep by now, and no shell that is about to. */
const sleeping = (lab: TerminalLab, time: string) =>
  lab.terminals.census().processes.filter(({ command }) => command === `sleep ${time}`);

const WAYS = ["killAll", "closeAll"] as const;
const cases = Object.entries(kinds).map(([kind, [sleepers, text]], index) => ({
  ...{ kind, sleepers, index },
  command: (time: string) => text.replaceAll("TIME", time),
}));

describe.each(cases)("P-S6 a command of the kind: $kind", ({ command, sleepers, index }) => {
  const started = (lab: TerminalLab, time: string) =>
    expect.poll(() => sleeping(lab, time).length).toBe(sleepers);

  const ways = shareOf(WAYS, { index, step: 2 });
  const otherWays = shareOf(WAYS, { index: index + 1, step: 2 });

  it("leaves nothing after its timeout, and the terminal works", async () => {
    await using lab = new TerminalLab();
    const time = unique();
    const result = await lab.run(command(time), { timeout: 1 });
    expect(running(`sleep ${time}`)).toEqual([]);
    expect(result).toMatchObject({ success: false, kind: "timeout" });
    expect(await lab.output("echo works")).toBe("works\n");
  });

  it("leaves nothing after it was cancelled", async () => {
    await using lab = new TerminalLab();
    const time = unique();
    const stop = new AbortController();
    const result = lab.run(command(time), {}, { signal: stop.signal });
    await started(lab, time);
    stop.abort();
    expect(await result).toMatchObject({ success: false, cancelled: true });
    expect(running(`sleep ${time}`)).toEqual([]);
    expect(await lab.output("echo works")).toBe("works\n");
  });

  it.each(ways)("leaves nothing after %s", async (way) => {
    await using lab = new TerminalLab();
    const time = unique();
    const result = lab.run(command(time));
    await started(lab, time);
    await lab.terminals[way]();
    expect(running(`sleep ${time}`)).toEqual([]);
    expect((await result).message).toContain("closed while the command ran");
    expect(lab.terminals.census().processes).toEqual([]);
  });

  it.each(otherWays)("leaves nothing of it in the background after %s", async (way) => {
    await using lab = new TerminalLab();
    const time = unique();
    await lab.run(command(time), { isBackground: true });
    await started(lab, time);
    await lab.terminals[way]();
    expect(running(`sleep ${time}`)).toEqual([]);
    await expect.poll(() => lab.terminals.backgroundRunning()).toBe(0);
  });
});

describe("stopping", () => {
  it("2.23 spares what earlier commands left running", async () => {
    await using lab = new TerminalLab();
    const [early, late] = [unique(), unique()];
    await lab.run(`sleep ${early} & (setsid sleep ${early} &)`);
    await expect.poll(() => sleeping(lab, early).length).toBe(2);
    await lab.run(`sleep ${late} & sleep ${late}`, { timeout: 1 });
    expect(running(`sleep ${late}`)).toEqual([]);
    expect(running(`sleep ${early}`)).toHaveLength(2);
  });

  it("2.23 does not run what was cancelled before its turn", async () => {
    await using lab = new TerminalLab();
    const stop = new AbortController();
    const first = lab.run("sleep 0.5");
    const second = lab.run("touch never", {}, { signal: stop.signal });
    stop.abort();
    await first;
    expect(await second).toMatchObject({ success: false, cancelled: true });
    expect(await lab.output("ls")).toBe("");
  });

  it("P-S6 leaves nothing of a command that is cancelled about when it starts", async () => {
    await using lab = new TerminalLab();
    const time = unique();
    for (let delayMs = 0; delayMs < 12; delayMs += 0.5) {
      const stop = new AbortController();
      const result = lab.run(
        `sleep ${time} & (sleep ${time} &); sleep ${time}`,
        {},
        { signal: stop.signal },
      );
      await sleep(delayMs);
      stop.abort();
      expect(await result).toMatchObject({ cancelled: true });
      expect(running(`sleep ${time}`)).toEqual([]);
    }
    expect(await lab.output("echo works")).toBe("works\n");
  });

  it("P-S6 ends a shell loop that starts one process after the other", async () => {
    await using lab = new TerminalLab();
    const time = unique();
    await lab.run(`while :; do sleep ${time} & sleep 0.01; done`, { timeout: 1 });
    expect(running(`sleep ${time}`)).toEqual([]);
    expect(await lab.output("echo works")).toBe("works\n");
  });

  it("6.10 kills all, and the census names owners until then", async () => {
    await using lab = new TerminalLab();
    const time = unique();
    await lab.run(`sleep ${time} & (sleep ${time} &)`);
    const { id } = await lab.run(`sleep ${time}`, { isBackground: true });
    await expect.poll(() => sleeping(lab, time).length).toBe(3);
    expect(
      sleeping(lab, time)
        .map(({ owner }) => owner)
        .sort(),
    ).toEqual([id, "thread", "thread"]);
    expect((await lab.terminals.killAll()).processes).toEqual([]);
    expect(running(`sleep ${time}`)).toEqual([]);
  });
});

afterAll(() => {
  expect(running(`sleep ${40_000 + (process.pid % 1000)}.`)).toEqual([]);
});
