import { readPatch } from "../../../../src/contract/paths-of.ts";
import type { fileOperations } from "../../../../src/contract/tools/file-operations.ts";
import { type ParamsOf, ToolError } from "../../../../src/contract/tools/operation.ts";
import type { FilePatch } from "../../../../src/lib/patch/patch.ts";
import type { Answer, CallContext } from "../../handlers.ts";
import type { ServerSettings } from "../../settings.ts";
import { commit } from "../commit.ts";
import type { ExchangeLog } from "../exchange-log.ts";
import { type Place, placeOf } from "../place.ts";
import type { Turns } from "../turns.ts";
import { applyHunks } from "./apply-hunks.ts";
import { Budget } from "./find-lines.ts";
import { Overlay } from "./overlay.ts";

type PatchParams = ParamsOf<typeof fileOperations, "apply_patch">;

export interface PatchParts {
  readonly settings: ServerSettings;
  readonly turns: Turns;
  readonly exchangeLog?: ExchangeLog | undefined;
}

/** Applies a patch to all its files or to none. */
export async function applyPatch(
  { settings, turns, exchangeLog }: PatchParts,
  params: PatchParams,
  { checkedPaths }: Pick<CallContext, "checkedPaths">,
): Promise<Answer> {
  const place = (path: string, link: "follow" | "itself") =>
    placeOf(settings, path, { link, checkedPaths });
  const files = await Promise.all(
    readPatch(params).map(async (file) => ({ file, ...(await placesOf(file, place)) })),
  );
  const paths = [...new Set(files.flatMap(({ from, to }) => [from.path, to.path]))];
  return turns.take(paths, async () => {
    const overlay = new Overlay();
    const budget = new Budget();
    const notes: string[] = [];
    for (const { file, from, to } of files) {
      if (file.note !== undefined) notes.push(file.note);
      notes.push(...(await applyOne(overlay, budget, { file, from, to })));
    }
    if (!params.dry_run) await commit(overlay.changes(), { log: exchangeLog });
    return {
      files_modified: new Set(files.map(({ to }) => to.path)).size,
      files: files.map(({ file, to }) => summary(file, to.shown)),
      dry_run: params.dry_run,
      ...(notes.length > 0 ? { message: [...new Set(notes)].slice(0, 10).join(" ") } : {}),
    };
  });
}

interface Places {
  readonly from: Place;
  readonly to: Place;
}

/** The same reading of links as `pathsOf` gives to the guard. */
async function placesOf(
  { kind, oldPath, newPath }: FilePatch,
  place: (path: string, link: "follow" | "itself") => Promise<Place>,
): Promise<Places> {
  if (kind === "modify" || kind === "create") {
    const to = await place(newPath, "follow");
    return { from: to, to };
  }
  const from = await place(oldPath, kind === "copy" ? "follow" : "itself");
  const to = kind === "delete" ? from : await place(newPath, "itself");
  return { from, to };
}

async function applyOne(
  overlay: Overlay,
  budget: Budget,
  { file, from, to }: Places & { file: FilePatch },
): Promise<readonly string[]> {
  const { kind, hunks } = file;
  if (kind === "create") {
    await overlay.expectNone(to);
    overlay.create(to, applyHunks("", hunks, to.shown, budget).text, file.mode === 0o755);
    return [];
  }
  const old = await overlay.read(from);
  const { text, notes } =
    hunks.length > 0 ? applyHunks(old, hunks, from.shown, budget) : { text: old, notes: [] };
  if (kind === "delete") {
    if (hunks.length > 0 && text !== "") throw notAll(from.shown);
    overlay.remove(from);
    return notes;
  }
  if (kind !== "modify") await overlay.expectNone(to);
  overlay.write(to, text, { like: from, mode: file.mode });
  if (kind === "rename") overlay.remove(from);
  return notes;
}

function notAll(shown: string): ToolError {
  return new ToolError(
    "executionFailed",
    `${shown} has more content than the patch deletes, so nothing was changed. Read it again, or delete it with delete_file.`,
  );
}

function summary(file: FilePatch, shown: string): object {
  const changed = file.hunks.flatMap(({ lines }) => lines).filter(({ sign }) => sign !== " ");
  return { path: shown, hunks_applied: file.hunks.length, lines_changed: changed.length };
}
