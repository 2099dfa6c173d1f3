import { rmSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "../../src/store/open-store.ts";
import { StoreSettings } from "../../src/store/settings.ts";

/**
 * Another process that uses a store: `node store-program.ts SETTINGS JOB NAME`. Every fact is told on standard output
 * as one line, and only once the store has acknowledged it.
 */
const [, , settingsText = "", job = "", name = ""] = process.argv;
const settings = StoreSettings.parse(JSON.parse(settingsText));
await using store = await openStore(settings);

function tell(fact: object): void {
  writeSync(1, `${JSON.stringify(fact)}\n`);
}

const jobs: Record<string, () => Promise<void>> = {
  /** Tries to take the claims of each list that it is given, as the other process does at the same time. */
  async claim() {
    tell({ isReady: true });
    for await (const names of createInterface({ input: process.stdin })) {
      const tries = JSON.parse(names).map(async (claim: string) => {
        const { outcome } = await store.append(name, 0, [], { claims: [claim] });
        return outcome === "written" ? [claim] : [];
      });
      tell({ name, won: (await Promise.all(tries)).flat() });
    }
  },
  /** Appends pairs of lines until it is killed. */
  async append() {
    let seq = (await store.read(name)).length;
    for (;;) {
      const lines = [1, 2].map((part) => ({
        kind: "pair",
        data: { number: seq + part, text: "x".repeat(part * 1_000) },
      }));
      const appended = await store.append(name, seq, lines, { claims: [`${name}-${seq}`] });
      if (appended.outcome !== "written") throw new Error(JSON.stringify(appended));
      seq = appended.seq;
      tell({ seq });
    }
  },
  /**
   * Writes until the disk is full, tries to take a claim, makes space, and looks at what is there. On a file
   * system of its own, whose other files can be given up, or under a limit on the size of a file, where emptying the log makes space.
   */
  async fill() {
    if (settings.kind !== "sqlite") return;
    const directory = dirname(settings.file);
    const spares = [1, 2, 3, 4, 5].map((number) => join(directory, `spare-${number}`));
    for (const spare of spares) writeFileSync(spare, Buffer.alloc(500_000));
    let acknowledged = 0;
    const attempt = async (data: string, claims: string[]) => {
      const appended = await store.append(name, acknowledged, [{ kind: "x", data }], { claims });
      acknowledged += 1;
      return appended.outcome;
    };
    const problem = await failure(async () => {
      for (;;) await attempt("x".repeat(50_000), []);
    });
    const claimed = await failure(() => attempt("y".repeat(500_000), ["grant"]));
    tell({ acknowledged, name: problem.name, message: problem.message, claimed: claimed.name });
    for (const spare of spares) rmSync(spare);
    const database = new DatabaseSync(settings.file);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const integrity = database.prepare("PRAGMA integrity_check").get()?.integrity_check;
    database.close();
    const lines = (await store.read(name)).length;
    tell({ lines, integrity, claim: await attempt("z", ["grant"]) });
  },
};

async function failure(work: () => Promise<unknown>): Promise<Error> {
  try {
    await work();
  } catch (error) {
    return error as Error;
  }
  throw new Error("This should have failed.");
}

await jobs[job]?.();
