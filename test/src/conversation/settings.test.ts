import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConversationSettings } from "../../../src/contract/conversation/conversation-settings.ts";
import type { ConversationEvent } from "../../../src/contract/conversation/event.ts";
import type { Documents, Json } from "../../../src/contract/store.ts";
import { createSettings } from "../../../src/conversation/settings.ts";

const DEFAULTS = ConversationSettings.parse({});

function lab(stored: Record<string, Json> = {}) {
  const kept = new Map(Object.entries(stored));
  const documents: Documents = {
    get: async (key) => structuredClone(kept.get(key)),
    set: async (key, value) => void kept.set(key, structuredClone(value)),
    delete: async (key) => kept.delete(key),
    keys: async () => [...kept.keys()],
  };
  const warnings: string[] = [];
  const posted: { conversation: string; event: ConversationEvent }[] = [];
  const settings = createSettings({
    documents,
    events: { post: (conversation, event) => void posted.push({ conversation, event }) },
    warn: (message) => void warnings.push(message),
  });
  return { settings, warnings, posted, kept, documents };
}

describe("the settings of a conversation", () => {
  it("are the defaults until somebody changes them, each conversation for itself", async () => {
    const { settings, posted } = lab();
    expect(await settings.load("A")).toEqual(DEFAULTS);
    expect(await settings.change("A", "terminal", "off")).toEqual({
      outcome: "changed",
      settings: { ...DEFAULTS, terminal: false },
    });
    expect(await settings.load("A")).toEqual({ ...DEFAULTS, terminal: false });
    expect(await settings.load("B")).toEqual(DEFAULTS);
    expect(posted).toEqual([
      {
        conversation: "A",
        event: { type: "settingsChanged", settings: { ...DEFAULTS, terminal: false } },
      },
    ]);
  });

  it.each([
    ["terminal", "off", false],
    ["terminal", " NO ", false],
    ["smallContext", "on", true],
    ["smallContext", "True", true],
    ["maxIterations", "1", 1],
    ["maxIterations", "1000", 1000],
  ])("take %s %j", async (name, text, value) => {
    const { settings } = lab();
    await settings.change("A", name, text);
    expect(await settings.load("A")).toMatchObject({ [name]: value });
  });

  it.each([
    ["terminal", "maybe", /on or off/],
    ["terminal", "", /on or off/],
    ["terminal", "1", /on or off/],
    ["maxIterations", "0", /1 to 1000/],
    ["maxIterations", "1001", /a number/],
    ["maxIterations", "on", /a number/],
    ["maxIterations", "3.5", /a number/],
    ["nonsense", "on", /terminal, workflow/],
    ["toString", "on", /There is no setting/],
    ["__proto__", "on", /There is no setting/],
  ])("refuse %s %j and say what is possible", async (name, text, reason) => {
    const { settings, kept } = lab();
    const change = await settings.change("A", name, text);
    expect(change).toMatchObject({ outcome: "refused", message: expect.stringMatching(reason) });
    expect(kept.size).toBe(0);
  });

  it("pass over what is broken with a warning, and keep the rest", async () => {
    const { settings, warnings } = lab({ A: { terminal: "yes", maxIterations: 7, ghost: 1 } });
    expect(await settings.load("A")).toEqual({ ...DEFAULTS, maxIterations: 7 });
    expect(warnings.join("\n")).toMatch(/terminal cannot be "yes"/);
    expect(warnings.join("\n")).toMatch(/ghost/);
  });

  it("are always good ones, whatever is stored", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (stored) => {
        const { settings } = lab({ A: stored as Json });
        expect(ConversationSettings.safeParse(await settings.load("A")).success).toBe(true);
      }),
    );
  });

  it("do not lose a change that is made at the same time as another", async () => {
    const { settings } = lab();
    await Promise.all([
      settings.change("A", "terminal", "off"),
      settings.change("A", "workflow", "off"),
      settings.change("A", "maxIterations", "9"),
    ]);
    expect(await settings.load("A")).toEqual({
      ...DEFAULTS,
      terminal: false,
      workflow: false,
      maxIterations: 9,
    });
  });

  it("throw when the store cannot answer, and work again once it can", async () => {
    const { settings, documents } = lab();
    const { get } = documents;
    documents.get = () => Promise.reject(new Error("gone"));
    await expect(settings.load("A")).rejects.toThrow("gone");
    await expect(settings.change("A", "terminal", "off")).rejects.toThrow("gone");
    documents.get = get;
    expect(await settings.change("A", "terminal", "off")).toMatchObject({ outcome: "changed" });
  });

  it("can be listed with what they mean", async () => {
    const { settings } = lab({ A: { terminal: false } });
    const list = await settings.list("A");
    expect(list.map((entry) => entry.name)).toEqual(Object.keys(DEFAULTS));
    for (const entry of list) expect(entry.description.length).toBeGreaterThan(10);
    expect(list[0]).toMatchObject({ name: "terminal", value: false, isDefault: false });
    expect(list[1]).toMatchObject({ name: "workflow", value: true, isDefault: true });
  });
});
