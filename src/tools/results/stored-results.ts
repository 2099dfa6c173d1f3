import { createHash } from "node:crypto";
import { z } from "zod";
import type { Documents } from "../../contract/store.ts";
import { closest } from "../../lib/edit-distance.ts";

/** Comparing takes time for each. */
const COMPARED_IDS = 1000;
const LONGEST_ID = 128;
const MOST_SLIPS = 2;
const KEEP_MS = 30 * 24 * 60 * 60 * 1000;

/** The ids under which results are stored: nothing that could be a path or another conversation's key. */
const ResultId = z.string().regex(/^[A-Za-z0-9_-][A-Za-z0-9_.:-]{0,127}$/);

const StoredResult = z.object({ text: z.string() });

/** Results that were too long for a model, by conversation and id. */
export class StoredResults {
  readonly #documents: Documents;

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  /** The id it is stored under: the call's own, unless that is no good as a key or bears another result already. */
  async store(conversation: string, callId: string, text: string): Promise<string> {
    const hash = createHash("sha256").update(callId).update("\0").update(text).digest("hex");
    const wanted = ResultId.safeParse(callId).success ? callId : `result-${hash.slice(0, 16)}`;
    const there = await this.read(conversation, wanted);
    const id = there === undefined || there === text ? wanted : `result-${hash.slice(0, 16)}`;
    await this.#documents.set(keyOf(conversation, id), { text }, { ttlMs: KEEP_MS });
    return id;
  }

  /** Undefined for what this conversation has not stored, and for what is no id at all. */
  async read(conversation: string, id: string): Promise<string | undefined> {
    if (!ResultId.safeParse(id).success) return undefined;
    const document = await this.#documents.get(keyOf(conversation, id));
    return StoredResult.safeParse(document).data?.text;
  }

  /** The id of this conversation that was probably meant by one that is not there. */
  async similar(conversation: string, id: string): Promise<string | undefined> {
    const beginning = keyOf(conversation, "");
    const keys = await this.#documents.keys(beginning);
    const ids = keys.map((key) => key.slice(beginning.length));
    const wanted = id.trim().slice(0, LONGEST_ID);
    const exact = ids.find((known) => known.toLowerCase() === wanted.toLowerCase());
    const slips = Math.min(MOST_SLIPS, Math.floor(wanted.length / 6));
    return exact ?? closest(wanted, ids.slice(0, COMPARED_IDS), slips);
  }
}

function keyOf(conversation: string, id: string): string {
  return `${encodeURIComponent(conversation)}/${id}`;
}
