import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileLedger, type LedgerLimits } from "../../sandbox-image/server/ledger.ts";

let dir: string;
const open: number[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "ledger-"));
});

afterEach(() => {
  for (const fd of open.splice(0)) closeSync(fd);
  rmSync(dir, { recursive: true });
});

/** Opens the same two files again, as a server does that was started anew. */
function ledger(limits?: LedgerLimits): FileLedger {
  const flags = constants.O_RDWR | constants.O_CREAT;
  const fds = ["a", "b"].map((name) => openSync(join(dir, name), flags)) as [number, number];
  open.push(...fds);
  return new FileLedger(fds, limits);
}

function fileWith(text: string): string {
  const paths = ["a", "b"].map((name) => join(dir, name));
  return paths.find((path) => readFileSync(path, "utf8").includes(text)) ?? "";
}

const done = (output: string) => ({ success: true, output });

describe("the call ledger", () => {
  it("still knows finished and interrupted calls and the fence after a restart", async () => {
    const before = ledger();
    before.raiseFence(7);
    await before.start("finished", "d1");
    before.finish("finished", "d1", done("x"));
    await before.start("cut", "d2");

    const after = ledger();
    expect(after.find("finished")).toEqual({ state: "finished", digest: "d1", result: done("x") });
    expect(after.find("cut")).toEqual({ state: "started", digest: "d2" });
    expect(after.find("never")).toBeUndefined();
    expect(after.fence).toBe(7);
  });

  it("keeps the first owner of the workspace, at once, after a restart and when the file is written anew", async () => {
    const before = ledger({ calls: 10, fileBytes: 200, resultChars: 1000 });
    expect(before.owner).toBeNull();
    expect(await Promise.all([before.claim("first"), before.claim("second")])).toEqual([
      "first",
      "first",
    ]);
    for (const id of ["one", "two", "three"]) {
      await before.start(id, "d");
      before.finish(id, "d", done("x".repeat(100)));
    }
    const after = ledger();
    expect(after.owner).toBe("first");
    expect(await after.claim("third")).toBe("first");
  });

  it("can be flushed before a claim and is the same afterwards", async () => {
    const before = ledger();
    await before.flush();
    expect(before.owner).toBeNull();
    expect(await before.claim("first")).toBe("first");
    expect(ledger().owner).toBe("first");
  });

  it("has no owner when the claim's line was cut off, and takes the next", async () => {
    await ledger().claim("first");
    const file = fileWith("first");
    truncateSync(file, statSync(file).size - 1);
    expect(await ledger().claim("second")).toBe("second");
    expect(ledger().owner).toBe("second");
  });

  it("reads what is whole when the last line was cut off, at every byte", async () => {
    const before = ledger();
    await before.start("one", "d1");
    const whole = Math.max(...["a", "b"].map((name) => statSync(join(dir, name)).size));
    await before.start("two", "d2");
    const file = fileWith("two");
    for (let size = statSync(file).size - 1; size >= whole; size -= 1) {
      truncateSync(file, size);
      const after = ledger();
      expect(after.find("one")?.state).toBe("started");
      expect(after.find("two")).toBeUndefined();
    }
  });

  it("writes over the cut-off end, so that later lines can be read", async () => {
    const before = ledger();
    await before.start("one", "d1");
    await before.start("two", "d2");
    const file = fileWith("two");
    truncateSync(file, statSync(file).size - 3);
    await ledger().start("three", "d3");
    expect(ledger().find("three")?.state).toBe("started");
  });

  it("stays bounded: files are written anew and old results are let go, their calls are not", async () => {
    const limits = { calls: 1_000, fileBytes: 64 * 1024, resultChars: 8 * 1024 };
    const before = ledger(limits);
    for (let index = 0; index < 500; index += 1) {
      await before.start(`call-${index}`, "d");
      before.finish(`call-${index}`, "d", done("x".repeat(1000)));
    }
    const bytes = ["a", "b"].map((name) => statSync(join(dir, name)).size);
    expect(Math.max(...bytes)).toBeLessThan(2 * limits.fileBytes);
    const after = ledger(limits);
    expect(after.find("call-499")).toMatchObject({ result: { output: "x".repeat(1000) } });
    expect(after.find("call-0")).toMatchObject({ state: "finished", result: { success: false } });
  });

  it("falls back on the other file when the rewriting was cut in the middle", async () => {
    const before = ledger();
    await before.start("one", "d1");
    const spare =
      ["a", "b"]
        .map((name) => join(dir, name))
        .find((path) => !readFileSync(path, "utf8").includes("one")) ?? "";
    writeFileSync(spare, '{"kind":"header","generation":99,"fence":0}\n');
    expect(ledger().find("one")?.state).toBe("started");
  });
});
