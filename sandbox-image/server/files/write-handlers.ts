import type { fileOperations } from "../../../src/contract/file-operations.ts";
import type { Handlers } from "../handlers.ts";
import type { ServerSettings } from "../settings.ts";
import { createFile, insertEdit, multiReplaceString, replaceString } from "./edit-files.ts";
import { deleteFile, renameFile } from "./move-files.ts";
import { applyPatch } from "./patch/apply-patch.ts";
import { type Place, placeOf } from "./place.ts";
import { Turns } from "./turns.ts";

type WriteOperation =
  | "create_file"
  | "replace_string"
  | "multi_replace_string"
  | "insert_edit"
  | "rename_file"
  | "delete_file"
  | "apply_patch";

/** The operations that change files. Whoever changes one and the same file waits for his turn. */
export function writeHandlers(
  settings: ServerSettings,
): Pick<Handlers<typeof fileOperations>, WriteOperation> {
  const turns = new Turns();
  /** Resolved again when the turn has come: the file before may have been moved meanwhile. */
  const alone = async <T>(filePath: string, work: (place: Place) => Promise<T>) => {
    const { path } = await placeOf(settings, filePath);
    return turns.take([path], async () => work(await placeOf(settings, filePath)));
  };
  return {
    create_file: (params) => alone(params.filePath, (place) => createFile(place, params)),
    replace_string: (params) => alone(params.filePath, (place) => replaceString(place, params)),
    multi_replace_string: (params) =>
      alone(params.filePath, (place) => multiReplaceString(place, params)),
    insert_edit: (params) => alone(params.filePath, (place) => insertEdit(place, params)),
    rename_file: async ({ oldPath, newPath }) => {
      const from = await placeOf(settings, oldPath, { link: "itself" });
      const to = await placeOf(settings, newPath, { link: "itself" });
      return turns.take([from.path, to.path], () => renameFile(from, to));
    },
    delete_file: async ({ filePath }) => {
      const place = await placeOf(settings, filePath, { link: "itself" });
      return turns.take([place.path], () => deleteFile(place));
    },
    apply_patch: (params) => applyPatch(settings, turns, params),
  };
}
