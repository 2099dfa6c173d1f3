import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import type { ApprovedRun } from "../../../src/contract/workspace/approved-run.ts";
import type { ServerSettings } from "../settings.ts";
import { BoundPaths } from "./bound-directory.ts";
import { removeOld } from "./remove-old.ts";

/** Whether this kernel and the engine's seccomp profile have Landlock. */
export async function canConfine({
  supervise,
}: Pick<ServerSettings, "supervise">): Promise<boolean> {
  const run = promisify(execFile);
  return run(supervise, ["--landlock"]).then(
    () => true,
    () => false,
  );
}

/**
 * What a command of root has of the workload's files, and a directory for its temporary files: /tmp is the workload's.
 * Disposing of it keeps that directory, which running processes may use.
 */
export class Confinement implements Disposable {
  readonly #paths: BoundPaths;
  readonly temporaryDir: string;

  constructor({ scratchDir }: Pick<ServerSettings, "scratchDir">, readable: readonly string[]) {
    this.#paths = new BoundPaths(readable);
    const directory = join(scratchDir, "tmp");
    removeOld(directory);
    this.temporaryDir = mkdtempSync(join(directory, "run-"));
  }

  get descriptors(): readonly number[] {
    return this.#paths.descriptors;
  }

  removeTemporaryFiles(): void {
    rmSync(this.temporaryDir, { recursive: true, force: true });
  }

  [Symbol.dispose](): void {
    this.#paths[Symbol.dispose]();
  }
}

/** Undefined for a command that is not root's, and where the card said that this kernel cannot confine it. */
export async function confinementOf(
  settings: ServerSettings,
  { readable, confined }: ApprovedRun,
  as: "root" | "agent",
): Promise<Confinement | undefined> {
  if (as === "agent" || !confined) return undefined;
  if (await canConfine(settings)) return new Confinement(settings, readable);
  throw new ToolError(
    "permissionDenied",
    "The approval requires Landlock to keep root from workspace files, and this kernel lacks it. " +
      "Nothing was run; ask for approval again.",
    { changedSinceApproval: true },
  );
}

const DENIED = /permission denied|\bEACCES\b/i;

/** For a confined command that failed, where the boundary may be the reason. */
export async function boundaryNotices(
  settings: Pick<ServerSettings, "supervise">,
  output: string,
): Promise<string[]> {
  if (!DENIED.test(output)) return [];
  const among = await workloadsAmongSystem(settings);
  return [
    "Root sees only the workspace files that the card names, has its own directory instead of /tmp, and " +
      "cannot open a terminal (script, tmux). Give the file's path as a separate argument, or copy it first.",
    ...(among.length === 0
      ? []
      : [
          `The workspace's user can write these: ${among.join(", ")}. ` +
            "Root cannot read them or new files beside them until you run sudo chown root.",
        ]),
  ];
}

const MOST_NAMED = 3;

async function workloadsAmongSystem({
  supervise,
}: Pick<ServerSettings, "supervise">): Promise<string[]> {
  const { stdout } = await promisify(execFile)(supervise, ["--workloads"]);
  const paths = stdout.split("\n").filter((path) => path !== "");
  const more = paths.length > MOST_NAMED ? [`${paths.length - MOST_NAMED} more`] : [];
  return [...paths.slice(0, MOST_NAMED), ...more];
}
