import { describe, expect, it } from "vitest";
import type {
  MiniPrompt,
  Prompts,
  SystemPrompt,
} from "../../../src/contract/conversation/prompt.ts";
import { createListMiniPrompts, listMiniPrompts } from "../../../src/tools/list-mini-prompts.ts";
import {
  createListSystemPrompts,
  listSystemPrompts,
} from "../../../src/tools/list-system-prompts.ts";
import { call, contextOf } from "../../support/calls.ts";

const having = (system: SystemPrompt[], mini: MiniPrompt[] = []): Prompts => ({
  systemPrompts: async () => system,
  miniPrompts: async () => mini,
});

describe("list_system_prompts", () => {
  it("3.8 gives id, name and description of each, and how to use an id", async () => {
    const reviewer = { id: "reviewer", name: "Reviewer", description: "Reads diffs." };
    const writer = { id: "writer", name: "Writer", description: "Writes docs." };
    const tool = createListSystemPrompts({ prompts: having([reviewer, writer]) });
    const { text, data } = await call(tool, {});
    expect(text).toBe(
      "- reviewer: Reviewer. Reads diffs.\n- writer: Writer. Writes docs.\n\n" +
        "Give one of these ids to run_subagent as systemPromptId.",
    );
    expect(data).toEqual({ prompts: [reviewer, writer] });
  });

  it("3.8 says when there are none", async () => {
    const { text, data } = await call(createListSystemPrompts({ prompts: having([]) }), {});
    expect(text).toMatch(/There are no system prompts/);
    expect(data).toEqual({ prompts: [] });
  });
});

describe("list_mini_prompts", () => {
  const all: MiniPrompt[] = [
    { id: "terse", name: "Be terse", content: "Two sentences.", scope: "global", enabled: true },
    { id: "german", name: "German", content: "Deutsch bitte.", scope: "A", enabled: false },
    { id: "secret", name: "Secret", content: "Only in B.", scope: "B", enabled: true },
  ];
  const tool = createListMiniPrompts({ prompts: having([], all) });

  it("3.9 gives the content of each and says which are enabled here", async () => {
    expect((await call(tool, {})).text).toBe(
      "- terse: Be terse (global, enabled here)\nTwo sentences.\n\n" +
        "- german: German (this conversation only, not enabled here)\nDeutsch bitte.",
    );
  });

  it("3.9 never lists one of another conversation", async () => {
    const { text, data } = await call(tool, {}, contextOf("B"));
    expect(text).toContain("Only in B.");
    expect(JSON.stringify([text, data])).not.toContain("german");
  });

  it("3.9 says when there are none", async () => {
    const none = createListMiniPrompts({ prompts: having([]) });
    expect((await call(none, {})).text).toBe("There are no mini prompts for this conversation.");
  });
});

it("1.40 both have their phrase", () => {
  expect(listSystemPrompts.operations.list_system_prompts.line({})).toBe("Listing system prompts");
  expect(listMiniPrompts.operations.list_mini_prompts.line({})).toBe("Listing mini prompts");
});
