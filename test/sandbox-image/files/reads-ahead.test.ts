import { readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Calls } from "../../../sandbox-image/server/calls.ts";
import { fileHandlers } from "../../../sandbox-image/server/files/handlers.ts";
import type { Ledger, LedgerEntry } from "../../../sandbox-image/server/ledger.ts";
import { serve, Tools } from "../../../sandbox-image/server/tools.ts";
import { fileOperations } from "../../../src/contract/tools/file-operations.ts";
import type { OperationResult } from "../../../src/contract/tools/operation.ts";
import { ownSleep } from "../../support/own-clock.ts";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

/** A disk that takes its time: a start is durable when the test says so. */
class SlowLedger implements Ledger {
  readonly fence = 0;
  readonly entries = new Map<string, LedgerEntry>();
  readonly durable = Promise.withResolvers<boolean>();
  raiseFence() {}
  find(id: string) {
    return this.entries.get(id);
  }
  start() {
    return this.durable.promise;
  }
  finish(id: string, digest: string, result: OperationResult) {
    this.entries.set(id, { state: "finished", digest, result });
  }
}

const EDITS = [
  ["replace_string", { oldString: "a", newString: "A" }],
  ["multi_replace_string", { replacements: [{ oldString: "a", newString: "A" }] }],
  ["insert_edit", { insertOperation: "replace", lineNumber: 1, newText: "A" }],
  ["create_file", { content: "A\n", overwrite: true }],
  ["apply_patch", { patchContent: "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+A\n" }],
  ["delete_file", {}],
] as const;

describe.each(EDITS)("P-D3 %s whose start is not yet durable", (operation, params) => {
  let workspace: TestWorkspace;
  let ledger: SlowLedger;
  let calls: Calls;
  beforeEach(() => {
    workspace = makeWorkspace();
    workspace.write("f", "a\n");
    ledger = new SlowLedger();
    calls = new Calls(new Tools([serve(fileOperations, fileHandlers(workspace.settings))]), ledger);
  });
  afterEach(() => workspace[Symbol.dispose]());

  const send = () =>
    calls.run({
      tool: "file_operations",
      args: { operation, ...(operation === "apply_patch" ? {} : { filePath: "f" }), ...params },
      meta: { "deckhand/call": "c1" },
      signal: new AbortController().signal,
      onProgress: () => {},
    });

  async function expectNothingYet() {
    await ownSleep(50);
    expect(workspace.read("f")).toBe("a\n");
    expect(ledger.entries.size).toBe(0);
  }

  async function expectNothingDone(result: Promise<OperationResult>) {
    expect(await result).toMatchObject({ success: false });
    expect(workspace.read("f")).toBe("a\n");
    expect(readdirSync(workspace.dir)).toEqual(["f"]);
  }

  it("takes effect only then", async () => {
    const result = send();
    await expectNothingYet();
    ledger.durable.resolve(true);
    expect(await result).toMatchObject({ success: true });
    const left = operation === "delete_file" ? [] : ["f"];
    expect(readdirSync(workspace.dir)).toEqual(left);
    for (const name of left) expect(workspace.read(name)).toBe("A\n");
    expect(ledger.find("c1")).toMatchObject({ state: "finished", result: await result });
  });

  it("never does when it is cancelled until then", async () => {
    const result = send();
    await expectNothingYet();
    const cancelled = calls.cancel("c1");
    ledger.durable.resolve(true);
    await expectNothingDone(result);
    expect((await cancelled).message).toContain("nothing was run");
  });

  it("never does when another server was first", async () => {
    const result = send();
    await expectNothingYet();
    ledger.durable.resolve(false);
    await expectNothingDone(result);
    expect(await result).toMatchObject({ outcome: "unknown" });
    expect(ledger.entries.size).toBe(0);
  });

  it("never does when the disk refuses to record it", async () => {
    const result = send();
    await expectNothingYet();
    ledger.durable.reject(new Error("ENOSPC"));
    await expect(result).rejects.toThrow("ENOSPC");
    expect(workspace.read("f")).toBe("a\n");
    expect(readdirSync(workspace.dir)).toEqual(["f"]);
  });
});
