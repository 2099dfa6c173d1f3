import type { ResolvedPath } from "../../../src/contract/workspace/channel.ts";
import { type ResolveOptions, resolvePath, shownPath } from "../paths.ts";
import type { ServerSettings } from "../settings.ts";

/** A resolved path together with what people are shown instead of it. */
export interface Place extends ResolvedPath {
  readonly shown: string;
}

/** The only way from a parameter to the file system. */
export async function placeOf(
  settings: ServerSettings,
  path: string,
  options?: ResolveOptions,
): Promise<Place> {
  const resolved = await resolvePath(settings, path, options);
  return { ...resolved, shown: await shownPath(settings, resolved.path) };
}
