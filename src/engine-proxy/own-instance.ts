import { link, readFile, unlink, writeFile } from "node:fs/promises";
import { RefusedError } from "./request.ts";

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
        "This engine proxy serves another Deckhand: it keeps the first one it has seen. docs/operations.md says how to reset it.",
      );
    }
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
