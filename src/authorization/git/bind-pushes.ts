import type { InspectedFile, Inspection } from "../../contract/approved-run.ts";
import type { CodeUse } from "../shell/script.ts";
import type { ResolvedPush } from "./resolve-pushes.ts";

/** The files of a repository that decide what a push sends: each must be the same when it runs. */
export function pushUses(pushes: readonly ResolvedPush[]): CodeUse[] {
  const paths = new Set(pushes.flatMap(({ digests }) => [...digests.keys()]));
  return [...paths].map((path) => ({
    kind: "read",
    paths: [path],
    written: path,
    alsoMissing: true,
  }));
}

/** Why a push must not run: root finds other files than those that the card is made of. */
export function refusedPush(
  pushes: readonly ResolvedPush[],
  { files }: Inspection,
): string | undefined {
  const denied = pushes.find((push) => push.denied !== undefined)?.denied;
  if (denied !== undefined) return denied;
  const byPath = new Map(files.map((file) => [file.asked, file]));
  for (const { digests } of pushes)
    for (const [path, digest] of digests) {
      const file = byPath.get(path);
      if (file === undefined) return TOO_MANY;
      if (digestOf(file) !== digest) return changed(path);
    }
  return undefined;
}

/** A directory in the place of a ref is no ref. */
function digestOf(file: InspectedFile): string | undefined | null {
  if (file.kind === "file") return file.file.sha256;
  return file.kind === "missing" || file.kind === "directory" ? undefined : null;
}

const TOO_MANY =
  "The push names more branches than one approval can hold. Push fewer at a time, each in a command of its own.";

function changed(path: string): string {
  return `${path.slice(0, 200)} changed while the card of the push was made, or is no plain file. Ask again.`;
}
