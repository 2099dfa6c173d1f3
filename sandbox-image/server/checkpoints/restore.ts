import { fsyncSync } from "node:fs";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import type { RestoreReport } from "../../../src/contract/workspace/checkpoints.ts";
import { applyPlan, type Done, KEPT_CHANGING } from "./apply.ts";
import { type Bytes, parentOf, shown } from "./bytes.ts";
import type { Entry, Tree } from "./entry.ts";
import { explained } from "./errors.ts";
import { Folder } from "./folder.ts";
import type { CheckpointLimits } from "./limits.ts";
import type { Pace } from "./pace.ts";
import { isEmpty, type Plan, planRestore, type Skip } from "./plan.ts";
import type { Journal, Records } from "./records.ts";
import { scan } from "./scan.ts";
import { dress, removeStaging, Staging } from "./staging.ts";

/** The last one only looks. */
const PASSES = 4;
const LISTED = 200;

export interface RestoreParts {
  readonly root: string;
  readonly records: Records;
  readonly limits: CheckpointLimits;
  readonly pace: Pace;
  readonly onStep: (label: string) => void;
}

/**
 * Carries out the restore that the journal names. Looks, changes what differs, and looks again until nothing does:
 * so it may be cut off anywhere and begun anew, and what it reports is what it saw.
 */
export async function carryOut(
  parts: RestoreParts,
  journal: Journal,
  scope: Bytes,
): Promise<RestoreReport> {
  const { records } = parts;
  const done: Done = { restored: new Set(), deleted: new Set(), failed: new Map() };
  try {
    using root = Folder.open(parts.root);
    const target = records.treeOf(records.find(journal.checkpoint));
    const last = await passes(
      { ...parts, root: parts.root, open: root },
      { journal, target, scope, done },
    );
    const skipped = leftovers(last, done);
    if (!removeStaging(root, journal.staging)) {
      skipped.push({ path: journal.staging, why: "not deleted: a process keeps writing to it" });
    }
    settleTop(root, target, scope);
    records.removeJournal();
    return report(journal, done, skipped);
  } catch (error) {
    throw interrupted(explained(error), journal);
  }
}

interface Work {
  readonly journal: Journal;
  readonly target: Tree;
  readonly scope: Bytes;
  readonly done: Done;
}

/** Returns what is still to do after the last look: nothing, if all went well. */
async function passes(parts: RestoreParts & { open: Folder }, work: Work): Promise<Plan> {
  const { journal, target, scope, done } = work;
  const { limits, pace, onStep } = parts;
  using staging = Staging.make(parts.open, journal.staging, parts.records.blobs);
  let known = parts.records.newestTree();
  for (let pass = 1; ; pass++) {
    const present = await scan(parts.root, { limits, known, pace, ignore: journal.staging });
    const plan = planRestore(present, target, scope);
    if (isEmpty(plan) || pass === PASSES) return plan;
    const inodes = new Map(present.entries.map(({ path, ino }) => [path, ino]));
    await applyPlan(plan, { root: parts.open, staging, inodes, pace, onStep }, done);
    known = present;
  }
}

function leftovers(plan: Plan, { failed }: Done): Skip[] {
  const changes = [...plan.remove, ...plan.make, ...plan.put, ...plan.touch].map(
    ({ path }) => path,
  );
  // A directory's time waits for what is left in it: that is named, and the directory is not.
  const waiting = new Set(changes.map(parentOf));
  const folders = plan.finish.map(({ path }) => path).filter((path) => !waiting.has(path));
  const undone = [...new Set([...changes, ...folders])].map((path) => ({
    path,
    why: `not restored: ${failed.get(path) ?? KEPT_CHANGING}`,
  }));
  return [...plan.skipped, ...undone];
}

/** Taking the staging directory away changed the workspace's own time. */
function settleTop(root: Folder, target: Tree, scope: Bytes): void {
  const top: Entry | undefined = target.entries[0];
  if (scope === "" && top?.path === "") dress(root.fd, top);
  fsyncSync(root.fd);
  if (scope === "") return;
  using parent = openIfThere(root, parentOf(scope));
  if (parent) fsyncSync(parent.fd);
}

function openIfThere(root: Folder, path: Bytes): Folder | undefined {
  try {
    return root.descend(path);
  } catch {
    return undefined; // gone again: then nothing there has to be made durable
  }
}

function report(journal: Journal, done: Done, skipped: Skip[]): RestoreReport {
  const { checkpoint, path, before } = journal;
  const { restored } = done;
  const deleted = done.deleted.difference(restored);
  const listed = (paths: ReadonlySet<Bytes>) => [...paths].slice(0, LISTED).map(shown).sort();
  return {
    checkpoint,
    path,
    before,
    complete: skipped.length === 0,
    restored: restored.size,
    deleted: deleted.size,
    restored_paths: listed(restored),
    deleted_paths: listed(deleted),
    skipped: skipped.slice(0, LISTED).map((skip) => ({ ...skip, path: shown(skip.path) })),
    skipped_total: skipped.length,
  };
}

function interrupted(error: unknown, { checkpoint, before }: Journal): unknown {
  if (!(error instanceof ToolError)) return error;
  return new ToolError(
    error.kind,
    `${error.message} The restore of ${checkpoint} is not finished: restore it again to finish it, or restore ${before} to go back.`,
    error.details,
    { cause: error },
  );
}
