import type { BigIntStats } from "node:fs";
import { ToolError } from "../../../../src/contract/tools/operation.ts";
import type { Place } from "../place.ts";
import type { Change } from "../stage.ts";
import { readText } from "../text-file.ts";

interface Entry {
  readonly place: Place;
  /** As it is on disk; absent for a file that is not there. */
  readonly before: BigIntStats | undefined;
  readonly original: string | undefined;
  text: string | undefined;
  mode: number | undefined;
  executable: boolean;
}

/** All files of a patch are in memory at once, and the workspace's memory is small. */
const HELD_LIMIT = 64 * 1024 * 1024;

/** The files as they will be, while the disk still has them as they were. */
export class Overlay {
  readonly #entries = new Map<string, Entry>();
  #held = 0;

  async read(place: Place): Promise<string> {
    const { text } = await this.#entry(place);
    if (text !== undefined) return text;
    throw new ToolError(
      "executionFailed",
      `${place.shown} does not exist, so nothing was changed. Find it with file_search, or create it with create_file.`,
    );
  }

  async expectNone(place: Place): Promise<void> {
    const { text } = await this.#entry(place);
    if (text === undefined) return;
    throw new ToolError(
      "executionFailed",
      `${place.shown} already exists, so nothing was changed. Update it instead of adding it, or delete it first.`,
    );
  }

  create(place: Place, text: string, executable: boolean): void {
    Object.assign(this.#known(place), { text, executable });
  }

  /** The new text, with the permissions of the file it came from unless the patch gives others. */
  write(
    place: Place,
    text: string,
    { like, mode }: { like: Place; mode: number | undefined },
  ): void {
    const source = this.#known(like);
    const old = source.mode ?? (source.before && Number(source.before.mode) & 0o7777);
    const entry = this.#known(place);
    entry.text = text;
    entry.executable = source.executable;
    if (mode !== undefined && old !== undefined)
      entry.mode = mode === 0o755 ? old | 0o111 : old & ~0o111;
    else if (place.path !== like.path) entry.mode = old;
  }

  remove(place: Place): void {
    this.#known(place).text = undefined;
  }

  changes(): Change[] {
    return [...this.#entries.values()].filter(isChanged).map((entry) => ({
      path: entry.place.path,
      shown: entry.place.shown,
      executable: entry.executable,
      ...(entry.before ? { before: entry.before } : {}),
      ...(entry.text === undefined ? {} : { after: entry.text }),
      ...(entry.mode === undefined ? {} : { mode: entry.mode }),
    }));
  }

  async #entry(place: Place): Promise<Entry> {
    const known = this.#entries.get(place.path);
    if (known) return known;
    const file = place.exists ? await readText(place.path, place.shown) : undefined;
    this.#held += file?.text.length ?? 0;
    if (this.#held > HELD_LIMIT) throw tooMuch();
    const entry: Entry = {
      place,
      before: file?.stats,
      original: file?.text,
      text: file?.text,
      mode: undefined,
      executable: false,
    };
    this.#entries.set(place.path, entry);
    return entry;
  }

  #known(place: Place): Entry {
    const entry = this.#entries.get(place.path);
    if (!entry) throw new Error(`${place.path} was not read before it was changed`);
    return entry;
  }
}

function tooMuch(): ToolError {
  return new ToolError(
    "executionFailed",
    "The patch's files are too large to change at once, so nothing was changed. Send it in parts.",
  );
}

function isChanged(entry: Entry): boolean {
  return entry.text !== entry.original || (entry.mode !== undefined && entry.text !== undefined);
}
