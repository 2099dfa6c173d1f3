import { expect, it } from "vitest";
import { checkpointHandlers } from "../../../sandbox-image/server/checkpoints/handlers.ts";
import { serve } from "../../../sandbox-image/server/tools.ts";
import { workspaceTools } from "../../../src/contract/tools/workspace-tools.ts";
import {
  CheckpointDiff,
  CheckpointInfo,
  CheckpointList,
  checkpointOperations,
  RestoreReport,
} from "../../../src/contract/workspace/checkpoints.ts";
import { makeLab } from "./lab.ts";

const context = {
  callId: "call",
  conversation: "main",
  signal: new AbortController().signal,
  progress: () => {},
};

it("serves create, list, diff and restore as the contract says", async () => {
  using lab = makeLab();
  const served = serve(
    checkpointOperations,
    checkpointHandlers({ workspaceDir: lab.root }, lab.store),
  );
  const call = (args: object) => served.prepare({ ...args }).run(context);
  lab.write("f", "1\n");
  const { checkpoint } = CheckpointInfo.parse(await call({ operation: "create", label: "start" }));
  lab.write("f", "2\n");
  const diff = CheckpointDiff.parse(await call({ operation: "diff", checkpoint }));
  expect(diff.diff).toContain("-1\n+2\n");
  const report = RestoreReport.parse(await call({ operation: "restore", checkpoint, path: "f" }));
  expect(report).toMatchObject({ complete: true, restored_paths: ["f"] });
  const list = CheckpointList.parse(await call({ operation: "list" }));
  expect(list.checkpoints.map(({ label }) => label)).toEqual([
    `before restoring ${checkpoint}`,
    "start",
  ]);
});

it.each([
  [{ operation: "restore" }, "checkpoint"],
  [{ operation: "restore", checkpoint: "../../etc" }, "as list shows it"],
  [{ operation: "diff", checkpoint: "c1-00000000", against: "then" }, "against"],
  [{ operation: "restore", checkpoint: "c1-00000000", path: "a\0b" }, "NUL"],
  [{ operation: "create", label: "x".repeat(300) }, "label"],
])("refuses %j with a sentence", (args, sentence) => {
  using lab = makeLab();
  const served = serve(
    checkpointOperations,
    checkpointHandlers({ workspaceDir: lab.root }, lab.store),
  );
  expect(() => served.prepare(args)).toThrow(sentence);
});

it("is not among the tools that a model is offered", () => {
  const names: string[] = workspaceTools.map(({ name }) => name);
  expect(names).not.toContain(checkpointOperations.name);
});
