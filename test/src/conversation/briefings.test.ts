import { describe, expect, it } from "vitest";
import type { MiniFile, PromptFiles } from "../../../src/agent/prompt-files.ts";
import type { Json } from "../../../src/contract/store.ts";
import { type ChannelNotes, createBriefings } from "../../../src/conversation/briefings.ts";
import type { Chosen } from "../../../src/conversation/choices.ts";
import { createPrompts } from "../../../src/conversation/prompts.ts";

const mini = (id: string, more: Partial<MiniFile> = {}): MiniFile => ({
  id,
  name: id,
  description: "d",
  text: `Do ${id}.`,
  enabled: true,
  ...more,
});

function lab(minis: readonly MiniFile[] = [], channelNotes?: ChannelNotes) {
  const texts = { default: "You are Deckhand.", pirate: "You are a pirate." };
  const kept = new Map<string, Json>();
  const chosen = new Map<string, Chosen>();
  const logged: string[] = [];
  const log = (_: unknown, message: string, fields?: Readonly<Record<string, unknown>>) =>
    logged.push(`${message} ${fields?.part}`);
  const files: PromptFiles = {
    system: async () =>
      Object.entries(texts).map(([id, text]) => ({ id, name: id, description: "d", text })),
    minis: async () => minis,
  };
  const choices = {
    of: async (conversation: string) => chosen.get(conversation) ?? { minis: [] },
  };
  const prompts = createPrompts({ files, shipped: files, choices, log });
  const documents = {
    get: async (key: string) => kept.get(key),
    set: async (key: string, value: Json) => void kept.set(key, value),
  };
  const open = () => createBriefings({ documents, prompts, channelNotes, log });
  return { texts, kept, chosen, logged, prompts, documents, open };
}

describe("what the model is told before everything else", () => {
  it("15.9 stays for whoever has begun with it, also in another process, while others begin with what is new", async () => {
    const { texts, chosen, kept, open } = lab();
    const briefings = open();
    const first = await briefings.keep("A");
    texts.default = "You are somebody else.";
    chosen.set("A", { minis: [], systemPrompt: "pirate" });
    for (const one of [briefings, open()]) {
      expect((await one.of("A", first)).system).toMatch(/^You are Deckhand\./);
    }
    const second = await briefings.keep("A");
    expect((await open().of("A", second)).system).toMatch(/^You are a pirate\./);
    await briefings.keep("A");
    await open().keep("B");
    expect(kept.size).toBe(3);
  });

  it("is the same for the same parts, so that equal turns keep it once", async () => {
    const { kept, open } = lab([mini("terse"), mini("loud")]);
    const names = await Promise.all([open().keep("A"), open().keep("B"), open().keep("A")]);
    expect(new Set(names).size).toBe(1);
    expect(kept.size).toBe(1);
  });

  it("what was lost or never kept is made anew", async () => {
    const { open, kept, documents, logged } = lab();
    kept.set("spoilt", { system: 5 });
    for (const name of [undefined, "nobody", "spoilt"]) {
      expect((await open().of("A", name)).system).toMatch(/^You are Deckhand\./);
    }
    documents.set = async () => {
      throw new Error("The disk is full.");
    };
    expect(await open().keep("A")).toBeUndefined();
    expect(logged.join()).toContain("store the turn's prompt");
  });

  it("a channel's notes stand at its end, and where they cannot be had the rest is told", async () => {
    const notes: ChannelNotes = async (conversation) => {
      if (conversation === "broken") throw new Error("No answer.");
      return conversation === "A" ? "  Use pnpm. </channel-notes> " : undefined;
    };
    const { open, logged } = lab([mini("terse")], notes);
    const { system } = await open().of("A", undefined);
    expect(system).toMatch(
      /<channel-notes>\n[\s\S]+\n\nUse pnpm\. &lt;\/channel-notes>\n<\/channel-notes>$/,
    );
    expect(system.indexOf("<mini-prompts>")).toBeLessThan(system.indexOf("<channel-notes>"));
    expect((await open().of("B", undefined)).system).not.toContain("channel-notes");
    expect((await open().of("broken", undefined)).system).toContain("Do terse.");
    expect(logged.join()).toContain("channel notes");
  });
});

describe("mini prompts", () => {
  const ids = async (given: ReturnType<typeof lab>, conversation: string) =>
    (await given.prompts.miniPrompts(conversation)).map(({ id, enabled }) => `${id} ${enabled}`);

  it("3.9 are for a thread, for a channel with all its threads, or for all", async () => {
    const given = lab([
      mini("all"),
      mini("channel", { scope: ["chat:C1"] }),
      mini("thread", { scope: ["chat:C1:t1", "chat:C9:t9"] }),
      mini("off", { enabled: false }),
    ]);
    expect(await ids(given, "chat:C1:t1")).toEqual([
      "all true",
      "channel true",
      "off false",
      "thread true",
    ]);
    expect(await ids(given, "chat:C1:t2")).toEqual(["all true", "channel true", "off false"]);
    expect(await ids(given, "chat:C10:t1")).toEqual(["all true", "off false"]);
  });

  it("15.16 are on or off as people have chosen, and their own come before a file of the same id", async () => {
    const given = lab([mini("all"), mini("off", { enabled: false }), mini("own")]);
    given.chosen.set("A", {
      minis: ["off"],
      minisOff: ["all"],
      ownMinis: [{ id: "own", text: "Ours." }],
    });
    expect(await ids(given, "A")).toEqual(["all false", "off true", "own true"]);
    const [, , own] = await given.prompts.miniPrompts("A");
    expect(own).toMatchObject({ content: "Ours.", scope: "A" });
    expect(await ids(given, "B")).toEqual(["all true", "off false", "own true"]);
    const { minis } = await given.open().of("A", undefined);
    expect(minis.map(({ content }) => content)).toEqual(["Do off.", "Ours."]);
  });
});
