import { createHash } from "node:crypto";
import { z } from "zod";
import type { ThreadId } from "../../../src/contract/platform/incoming.ts";
import type { View } from "../../../src/contract/platform/view.ts";
import type { Documents } from "../../../src/contract/store.ts";
import { BoundedMap } from "../../../src/lib/bounded.ts";
import { retriedLater } from "../../shared/store-outage.ts";
import { formsOf, KeptForm } from "../rendering/buttons.ts";
import { decodeThread, whisperKey } from "../thread.ts";
import type { Said } from "./commands.ts";

const KEPT_MS = 90 * 24 * 60 * 60_000;
const MOST_KNOWN = 5_000;
/** For as long as Discord takes answers to what asked for the choice. */
const WORDS_MS = 15 * 60_000;
const KEY_CHARS = 22;
const KeptWords = z.object({ kind: z.enum(["command", "ask"]), text: z.string() });

/** What buttons refer to, since Discord lets them carry hardly anything: windows, and threads for what is whispered. */
export class KeptForms {
  readonly #documents: Documents;
  readonly #forms = new BoundedMap<string, KeptForm>(MOST_KNOWN);
  readonly #threads = new BoundedMap<string, ThreadId>(MOST_KNOWN);

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  /** Before the view is shown to one person. */
  async keepWhisper(thread: ThreadId, view: View): Promise<void> {
    const hasButtons = view.kind === "picker" || ("buttons" in view && (view.buttons ?? []).length);
    const key = whisperKey(thread);
    if (hasButtons && this.#threads.get(key) !== thread) {
      await retriedLater(this.#documents.set(`thread:${key}`, thread, { ttlMs: KEPT_MS }));
      this.#threads.set(key, thread);
    }
    await this.keep(view);
  }

  /** Before the view is shown. */
  async keep(view: View): Promise<void> {
    for (const [name, form] of formsOf(view)) {
      if (this.#forms.has(name)) continue;
      await retriedLater(this.#documents.set(`form:${name}`, { ...form }, { ttlMs: KEPT_MS }));
      this.#forms.set(name, form);
    }
  }

  /** A window is opened within three seconds or not at all: then rather one that says less. */
  async form(key: string, withinMs = 2_300): Promise<KeptForm> {
    const known = this.#forms.get(key);
    if (known) return known;
    const late = new Promise<undefined>((resolve) => {
      setTimeout(resolve, withinMs, undefined).unref();
    });
    const asked = this.#documents.get(`form:${key}`).catch(() => undefined);
    const found = KeptForm.safeParse(await Promise.race([asked, late]));
    if (!found.success) return ANY_FORM;
    this.#forms.set(key, found.data);
    return found.data;
  }

  /** Words that wait until a thread is chosen for them; answers their key. */
  async keepWords(said: Said): Promise<string> {
    const digest = createHash("sha256").update(JSON.stringify(said)).digest("base64url");
    const key = digest.slice(0, KEY_CHARS);
    await retriedLater(this.#documents.set(`words:${key}`, { ...said }, { ttlMs: WORDS_MS }));
    return key;
  }

  async words(key: string): Promise<Said | undefined> {
    const found = KeptWords.safeParse(await this.#documents.get(`words:${key}`));
    return found.success ? found.data : undefined;
  }

  /** The one that something whispered is about. */
  async thread(key: string): Promise<ThreadId | undefined> {
    const known = this.#threads.get(key);
    if (known !== undefined) return known;
    const found = await this.#documents.get(`thread:${key}`);
    if (typeof found !== "string" || whisperKey(found) !== key) return undefined;
    decodeThread(found);
    this.#threads.set(key, found);
    return found;
  }
}

const ANY_FORM: KeptForm = {
  title: "Your answer",
  label: "Your answer",
  hint: "",
  isLong: true,
  shows: [],
};
