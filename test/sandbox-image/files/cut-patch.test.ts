import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { settleExchanges } from "../../../sandbox-image/server/files/exchange-log.ts";
import { caseCount } from "../../support/thorough.ts";
import { openLedger } from "./ledger-files.ts";
import { makeWorkspace, type TestWorkspace } from "./workspace.ts";

const SERVER = fileURLToPath(new URL("cut-patch.ts", import.meta.url));
const OLD = { a: "one\n", "b/c": "two\n", gone: "three\n", moved: "four\n" };
const NEW = { a: "ONE\n", "b/c": "TWO\n", fresh: "five\n", "there/moved": "FOUR\n" };
const PATCH = `--- a/a
+++ b/a
@@ -1 +1 @@
-one
+ONE
--- a/b/c
+++ b/b/c
@@ -1 +1 @@
-two
+TWO
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-three
--- /dev/null
+++ b/fresh
@@ -0,0 +1 @@
+five
diff --git a/moved b/there/moved
rename from moved
rename to there/moved
--- a/moved
+++ b/there/moved
@@ -1 +1 @@
-four
+FOUR
`;

let workspace: TestWorkspace;
let top: string;
beforeEach(() => {
  workspace = makeWorkspace();
  top = dirname(workspace.dir);
  for (const [name, content] of Object.entries(OLD)) workspace.write(name, content);
  writeFileSync(join(top, "patch"), PATCH);
});
afterEach(() => workspace[Symbol.dispose]());

/** Every file below the workspace, hidden ones too. */
function tree(): Record<string, string> {
  const files = readdirSync(workspace.dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.map((path) => [path.slice(workspace.dir.length + 1), readFileSync(path, "utf8")]),
  );
}

/** True when the server came to the end of the patch before it would have been killed. */
function patchKilledAt(step: number): boolean {
  const server = spawnSync(process.execPath, [SERVER, top, join(top, "patch"), String(step)]);
  if (server.signal === "SIGKILL") return false;
  expect(server.stderr.toString()).toBe("");
  return true;
}

describe("P-I1 a patch of several files whose server is killed", () => {
  it("is whole or not there at all once the next server has started, whatever the step", () => {
    const outcomes = new Set<string>();
    for (let step = 0; ; step += caseCount({ perChange: 3, all: 1 })) {
      const finished = patchKilledAt(step);
      settleUnfinished(top);
      const now = tree();
      const isNew = "fresh" in now;
      expect(now, `killed at step ${step}`).toEqual(isNew ? NEW : OLD);
      outcomes.add(isNew ? "new" : "old");
      if (finished) break;
      if (isNew) startOver();
    }
    expect(outcomes).toEqual(new Set(["old", "new"]));
  });

  it("stays as it is when the next server starts after it was finished", () => {
    expect(patchKilledAt(1000)).toBe(true);
    settleUnfinished(top);
    expect(tree()).toEqual(NEW);
  });
});

/** What the next worker does first. */
function settleUnfinished(directory: string): void {
  const ledger = openLedger(directory);
  for (const { id, exchanges, isDone } of ledger.unfinished()) {
    settleExchanges(exchanges, isDone);
    ledger.end(id);
  }
}

function startOver(): void {
  workspace[Symbol.dispose]();
  workspace = makeWorkspace();
  top = dirname(workspace.dir);
  for (const [name, content] of Object.entries(OLD)) workspace.write(name, content);
  writeFileSync(join(top, "patch"), PATCH);
}
