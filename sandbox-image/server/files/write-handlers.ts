import type { fileOperations } from "../../../src/contract/tools/file-operations.ts";
import { type Answer, type CallContext, type Handlers, readsAhead } from "../handlers.ts";
import type { ServerSettings } from "../settings.ts";
import { createFile, insertEdit, multiReplaceString, replaceString } from "./edit-files.ts";
import type { ExchangeLog } from "./exchange-log.ts";
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
  exchangeLog?: ExchangeLog,
): Pick<Handlers<typeof fileOperations>, WriteOperation> {
  const turns = new Turns();
  /** Resolved again when the turn has come: the file before may have been moved meanwhile. */
  const alone =
    <Params extends { filePath: string }>(
      work: (place: Place, params: Params, context: CallContext) => Promise<Answer>,
    ) =>
    async (params: Params, context: CallContext) => {
      const { checkedPaths } = context;
      const place = () => placeOf(settings, params.filePath, { checkedPaths });
      const { path } = await place();
      return turns.take([path], async () => work(await place(), params, context));
    };
  return {
    create_file: alone(createFile),
    replace_string: readsAhead(alone(replaceString)),
    multi_replace_string: readsAhead(alone(multiReplaceString)),
    insert_edit: readsAhead(alone(insertEdit)),
    rename_file: async ({ oldPath, newPath }, { checkedPaths }) => {
      const from = await placeOf(settings, oldPath, { link: "itself", checkedPaths });
      const to = await placeOf(settings, newPath, { link: "itself", checkedPaths });
      return turns.take([from.path, to.path], () => renameFile(from, to));
    },
    delete_file: async ({ filePath }, { checkedPaths }) => {
      const place = await placeOf(settings, filePath, { link: "itself", checkedPaths });
      return turns.take([place.path], () => deleteFile(place));
    },
    apply_patch: (params, context) => applyPatch({ settings, turns, exchangeLog }, params, context),
  };
}
