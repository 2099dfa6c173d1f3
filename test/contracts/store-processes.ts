import { expect, it } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import type { StoreSettings } from "../../src/store/settings.ts";
import { type StoreProcess, startStoreProcess } from "../support/store-process.ts";
import { caseCount } from "../support/thorough.ts";

const ROUNDS = caseCount({ perChange: 100, all: 400 });
const CLAIMS = 5;
const APPENDS = caseCount({ perChange: 300, all: 1_000 });
/** Each writer is killed after another number of appends. */
const APPENDS_BEFORE_A_KILL = [41, 97, 148, 63, 120, 85, 159, 52, 134, 108];

/** What a store keeps to when the others are processes of their own, which may die at any moment. */
export function storeProcessesContract(freshSettings: () => StoreSettings): void {
  it(`lets exactly one of two processes win each of ${ROUNDS * CLAIMS} claims`, async () => {
    const settings = freshSettings();
    const claimers = ["one", "two"].map((name) => startStoreProcess(settings, "claim", name));
    for (const { facts } of claimers) await facts.next();
    const winners = [];
    for (let round = 0; round < ROUNDS; round += 1)
      winners.push(...(await raceOf(claimers, round)));
    for (const claimer of claimers) claimer.hangUp();
    for (const { ended } of claimers) expect(await ended).toEqual([0, null]);
    // Otherwise one was always late and there was no race.
    expect(new Set(winners).size).toBe(2);
    expect(winners).toHaveLength(ROUNDS * CLAIMS);
  });

  it(`P-D8 loses no acknowledged line and keeps no half pair when a writer is killed, over ${APPENDS} appends`, async () => {
    const settings = freshSettings();
    let appends = 0;
    for (let kill = 0; appends < APPENDS; kill += 1) {
      const most = APPENDS_BEFORE_A_KILL[kill % APPENDS_BEFORE_A_KILL.length] ?? 0;
      const acknowledged = await appendUntilKilled(settings, most);
      await using store = await openStore(settings);
      const lines = await store.read("c");
      expect(lines.length).toBeGreaterThanOrEqual(acknowledged);
      expect(lines.length % 2).toBe(0);
      for (const [index, line] of lines.entries()) {
        const number = index + 1;
        const text = "x".repeat(number % 2 ? 1_000 : 2_000);
        expect(line).toMatchObject({ seq: number, data: { number, text } });
      }
      appends = lines.length / 2;
    }
  });
}

/** Both try the same few claims at the same time; each is won once. Gives the winner of each. */
async function raceOf(claimers: readonly StoreProcess[], round: number): Promise<string[]> {
  const names = Array.from({ length: CLAIMS }, (_, number) => `claim-${round}-${number}`);
  for (const claimer of claimers) claimer.say(JSON.stringify(names));
  const told = await Promise.all(claimers.map(({ facts }) => facts.next()));
  expect(told.flatMap(({ value }) => value.won).sort()).toEqual(names);
  return told.flatMap(({ value }) => value.won.map(() => value.name));
}

/** The last number that the writer was told, before it was killed in the middle of its work. */
async function appendUntilKilled(settings: StoreSettings, appends: number): Promise<number> {
  const writer = startStoreProcess(settings, "append", "c");
  let acknowledged = 0;
  let count = 0;
  for await (const { seq } of writer.facts) {
    acknowledged = Number(seq);
    count += 1;
    if (count >= appends) writer.kill();
  }
  expect(await writer.ended).toEqual([null, "SIGKILL"]);
  return acknowledged;
}
