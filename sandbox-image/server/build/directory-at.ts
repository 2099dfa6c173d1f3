import { stat } from "node:fs/promises";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import { explain } from "../files/fs-errors.ts";
import { type Place, placeOf } from "../files/place.ts";
import type { ServerSettings } from "../settings.ts";

/** A path that must be a directory; the workspace when left out. */
export async function directoryAt(settings: ServerSettings, path = "."): Promise<Place> {
  const place = await placeOf(settings, path);
  const found = await stat(place.path).catch((error: unknown) => {
    throw explain(place.shown, error);
  });
  if (found.isDirectory()) return place;
  throw new ToolError(
    "executionFailed",
    `${place.shown} is a file, not a directory. Use the directory of the project or repository.`,
  );
}
