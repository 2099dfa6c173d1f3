import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LatchLedger } from "../../sandbox-image/server/latch-ledger.ts";
import { FileLedger, type LedgerLimits } from "../../sandbox-image/server/ledger.ts";

const KB = 1024;
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "state-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const sizeOf = (folder: string) =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

describe("records of root calls", () => {
  const limits = { calls: 20, bytes: 200 * KB, largeBytes: 8 * KB };
  const without = {
    calls: Number.POSITIVE_INFINITY,
    bytes: Number.POSITIVE_INFINITY,
    largeBytes: Number.POSITIVE_INFINITY,
  };
  const flood = async (ledger: LatchLedger, chars: number) => {
    for (let count = 0; count < 120; count += 1) {
      await ledger.start(`call-${count}`, "d");
      ledger.finish(`call-${count}`, "d", { success: true, output: "x".repeat(chars) });
    }
  };

  it.each([
    ["many small results", 100],
    ["large results", 50 * KB],
  ])("stay within their limits under %s, and the newest is kept", async (_, chars) => {
    const ledger = new LatchLedger(dir, limits);
    await flood(ledger, chars);
    expect(readdirSync(dir).length).toBeLessThanOrEqual(2 * limits.calls + 2);
    expect(sizeOf(dir)).toBeLessThanOrEqual(limits.bytes + chars + 10 * KB);
    expect(ledger.find("call-119")).toMatchObject({ state: "finished" });
    expect(ledger.find("call-0")).toBeUndefined();
  });

  it("grow without an end where nothing prunes them (careless control)", async () => {
    await flood(new LatchLedger(dir, without), 50 * KB);
    expect(sizeOf(dir)).toBeGreaterThan(5_000 * KB);
  });

  it("keep a call that still runs in another process", async () => {
    const born = execFileSync("sh", ["-c", "cut -d' ' -f22 /proc/1/stat"], { encoding: "utf8" });
    const ledger = new LatchLedger(dir, limits);
    await ledger.start("running", "d");
    const latch = readdirSync(dir).find((name) => name.endsWith(".call")) ?? "";
    writeFileSync(join(dir, latch), JSON.stringify({ digest: "d", pid: 1, born: born.trim() }));
    await flood(ledger, 50 * KB);
    expect(ledger.find("running")).toMatchObject({ state: "elsewhere" });
  });
});

describe("the ledger", () => {
  const LIMITS: LedgerLimits = { calls: 50, fileBytes: 64 * KB, resultChars: 32 * KB };
  const opened: number[] = [];
  afterEach(() => {
    for (const fd of opened.splice(0)) closeSync(fd);
  });

  function ledgerIn(folder: string): FileLedger {
    const flags = constants.O_RDWR | constants.O_CREAT;
    const fds = ["a", "b"].map((name) => openSync(join(folder, name), flags)) as [number, number];
    opened.push(...fds);
    return new FileLedger(fds, LIMITS);
  }

  it("stays within its limit under a flood of large results", async () => {
    const ledger = ledgerIn(dir);
    for (let count = 0; count < 300; count += 1) {
      await ledger.start(`call-${count}`, "d");
      ledger.finish(`call-${count}`, "d", { success: true, output: "x".repeat(20 * KB) });
      expect(sizeOf(dir)).toBeLessThan(LIMITS.fileBytes + 2 * 32 * KB + 50 * 400);
    }
  });

  it("forgets calls that were cut off before it forgets newer ones", async () => {
    const ledger = ledgerIn(dir);
    for (let count = 0; count < 300; count += 1) await ledger.start(`cut-${count}`, "d");
    for (let count = 0; count < 300; count += 1) ledger.finish(`${count}`, "d", { success: true });
    const left = Array.from({ length: 300 }, (_, count) => ledger.find(`cut-${count}`));
    expect(left.filter((one) => one !== undefined).length).toBe(0);
    expect(ledger.find("299")).toMatchObject({ state: "finished" });
  });

  describe("on a full disk", () => {
    let disk: string;
    beforeEach(() => {
      disk = join(dir, "disk");
      mkdirSync(disk);
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", disk]);
    });
    afterEach(() => {
      for (const fd of opened.splice(0)) closeSync(fd);
      execFileSync("umount", [disk]);
    });

    it("runs no call whose start it cannot record, keeps every result, and is whole afterwards", async () => {
      const ledger = ledgerIn(disk);
      await ledger.start("before", "d");
      const filler = openSync(join(disk, "filler"), "w");
      expect(() => {
        for (;;) writeFileSync(filler, Buffer.alloc(4 * KB));
      }).toThrow("ENOSPC");
      ledger.finish("before", "d", { success: true, output: "x".repeat(20 * KB) });
      expect(ledger.find("before")).toMatchObject({ state: "finished" });
      const starts = async () => {
        for (let count = 0; count < 500; count += 1) await ledger.start(`late-${count}`, "d");
      };
      await expect(starts()).rejects.toThrow("ENOSPC");
      const refused = Array.from({ length: 500 }, (_, count) => `late-${count}`).find(
        (id) => ledger.find(id) === undefined,
      );
      expect(refused).toBeDefined();
      closeSync(filler);
      rmSync(join(disk, "filler"));
      await ledger.start(refused ?? "", "d");
      ledger.finish(refused ?? "", "d", { success: true, output: "ran once" });
      const again = ledgerIn(disk);
      expect(again.find(refused ?? "")).toMatchObject({ result: { output: "ran once" } });
    });
  });
});
