import { link, readFile, unlink, writeFile } from "node:fs/promises";
import { INSTANCE_LABEL } from "../workspace/names.ts";
import { RefusedError } from "./request.ts";

const FILTERS = /^\{"label":\["deckhand\.instance=([0-9a-f]{8,64})"\]\}$/;

/**
 * The one bot that the proxy serves. The first instance that it sees is kept for good: a bot that was taken over cannot
 * make itself another one and reach that one's workspaces.
 */
export class OwnInstance {
  readonly #file: string;
  #known: string | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Throws a RefusedError for any other instance than the kept one. */
  async check(instance: string): Promise<void> {
    this.#known ??= await this.#keep(instance);
    if (this.#known !== instance) {
      throw new RefusedError(
        "This engine proxy is bound to another Deckhand instance. To reset it, see docs/operations.md.",
      );
    }
  }

  /** The filter of a list, which must be the one for everything of the kept instance. Throws like `check`. */
  async checkFilters(filters = ""): Promise<string> {
    const instance = FILTERS.exec(filters)?.[1];
    if (instance === undefined)
      throw new RefusedError("Only lists of the bot's own containers and volumes are allowed.");
    await this.check(instance);
    return JSON.stringify({ label: [`${INSTANCE_LABEL}=${instance}`] });
  }

  /** First wins, also where two requests come at the same time. */
  async #keep(instance: string): Promise<string> {
    const temporary = `${this.#file}.${process.pid}.${crypto.randomUUID()}`;
    const kept = await read(this.#file);
    if (kept !== undefined) return kept;
    await writeFile(temporary, instance, { mode: 0o600, flush: true });
    try {
      await link(temporary, this.#file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      await unlink(temporary);
    }
    return (await read(this.#file)) ?? instance;
  }
}

async function read(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return undefined;
  }
}
