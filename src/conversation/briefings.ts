import { createHash } from "node:crypto";
import { z } from "zod";
import { briefingText } from "../agent/briefing.ts";
import type { Documents } from "../contract/store.ts";
import { BoundedMap } from "../lib/bounded.ts";
import type { Log } from "../lib/log.ts";
import type { ChosenPrompts } from "./prompts.ts";

const Briefing = z.object({
  /** What the model is told before everything else. */
  system: z.string(),
  /** The standing requests in it, for the reminder of later turns. */
  minis: z.array(z.object({ id: z.string(), name: z.string(), content: z.string() })),
});
export type Briefing = z.infer<typeof Briefing>;

/** Fills in what a channel's people want known in its threads. Undefined: nothing. */
export type ChannelNotes = (conversation: string) => Promise<string | undefined>;

/** What the model is told from the beginning of a turn to its end, whatever is chosen or edited meanwhile. */
export interface Briefings {
  /** What holds now, kept for the turn that begins. Gives its name, or undefined where it could not be kept. */
  keep(conversation: string): Promise<string | undefined>;
  /** The one of that name. What was not kept, or is lost, is made anew from what holds now. */
  of(conversation: string, name: string | undefined): Promise<Briefing>;
}

export interface BriefingsParts {
  /** A namespace of its own. Equal briefings have the same name, so that there are only as many as there are different ones. */
  readonly documents: Pick<Documents, "get" | "set">;
  readonly prompts: Pick<ChosenPrompts, "systemText" | "miniPrompts">;
  readonly channelNotes: ChannelNotes | undefined;
  readonly log: Log;
}

const HELD = 100;

export function createBriefings({
  documents,
  prompts,
  channelNotes,
  log,
}: BriefingsParts): Briefings {
  const held = new BoundedMap<string, Briefing>(HELD);

  /** One part that fails costs that part alone. */
  const part = async <Part>(what: string, conversation: string, read: () => Promise<Part>) => {
    try {
      return await read();
    } catch (error) {
      log("warn", "Part of the prompt could not be read and is omitted.", {
        conversation,
        part: what,
        error,
      });
      return undefined;
    }
  };

  const make = async (conversation: string): Promise<Briefing> => {
    const prompt = await prompts.systemText(conversation);
    const all = await part("mini prompts", conversation, () => prompts.miniPrompts(conversation));
    const notes = await part("channel notes", conversation, async () =>
      channelNotes?.(conversation),
    );
    const minis = (all ?? [])
      .filter(({ enabled }) => enabled)
      .map(({ id, name, content }) => ({ id, name, content }));
    return { system: briefingText({ prompt, minis, channelNotes: notes }), minis };
  };

  return {
    async keep(conversation) {
      try {
        const briefing = await make(conversation);
        const name = createHash("sha256").update(JSON.stringify(briefing)).digest("hex");
        if (!held.has(name)) await documents.set(name, briefing);
        held.set(name, briefing);
        return name;
      } catch (error) {
        // The turn is worth more than that its prompt stays the same.
        log("warn", "Failed to store the turn's prompt; later steps may use a newer one.", {
          conversation,
          error,
        });
        return undefined;
      }
    },

    async of(conversation, name) {
      const known = name === undefined ? undefined : held.get(name);
      if (known) return known;
      const kept = await part("stored prompt", conversation, async () =>
        name === undefined ? undefined : await documents.get(name),
      );
      const read = Briefing.safeParse(kept);
      const briefing = read.success ? read.data : await make(conversation);
      if (name !== undefined) held.set(name, briefing);
      return briefing;
    },
  };
}
