import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunnableTool } from "../../../src/contract/tools/tool-call.ts";
import { createEventHub } from "../../../src/events/hub.ts";
import { ToolRegistry } from "../../../src/tools/registry.ts";
import { defineReadToolResult } from "../../../src/tools/results/read-tool-result.ts";
import { everyDefinition } from "./support/definitions.ts";
import { consolidated, lab, settings, single } from "./support/lab.ts";

const say = (text: string) => async () => ({ text });

const FIXED = [
  "think",
  "user_collaboration",
  "run_subagent",
  "increase_max_iterations",
  "list_system_prompts",
  "list_mini_prompts",
  "memory_operations",
  "todo_operations",
  "read_tool_result",
  "recall_history",
  "web_operations",
  "document_operations",
  "file_operations",
  "terminal_operations",
  "build_and_version_control",
  "search_index",
  "working_directory_indexer",
  "image_generation",
];

// That of read_tool_result is made for the size of a context.
const definitions = [...(await everyDefinition()), defineReadToolResult()];

function everyTool(): RunnableTool[] {
  return definitions
    .filter(({ position }) => position !== undefined)
    .map((definition) => ({ definition, run: say(definition.name) }));
}

const offered = (box: ReturnType<typeof lab>) =>
  box.toolbox.offer({ conversation: "A", settings: settings() }).tools;

describe("the registry", () => {
  it("1.1 takes a tool that brings no more than it must, and runs it as parallel", async () => {
    const box = lab({ tools: [single("probe", say("hello"))] });
    expect(offered(box).map((tool) => tool.name)).toEqual(["probe"]);
    expect(box.registry.get("probe")?.tool.definition.operations.probe?.execution).toBeUndefined();
    expect((await box.call("probe")).output.content).toBe("hello");
  });

  it("1.6 replaces a tool that is registered again", async () => {
    const box = lab({ tools: [single("probe", say("first")), single("probe", say("second"))] });
    expect(box.registry.names()).toEqual(["probe"]);
    expect((await box.call("probe")).output.content).toBe("second");
  });

  it("1.7 gives models the same bytes in whatever order tools were registered", () => {
    const tools = everyTool();
    const [reference] = [offered(lab({ tools }))];
    expect(reference.map((tool) => tool.name)).toEqual(FIXED);
    fc.assert(
      fc.property(fc.shuffledSubarray(tools, { minLength: tools.length }), (shuffled) => {
        expect(JSON.stringify(offered(lab({ tools: shuffled })))).toBe(JSON.stringify(reference));
      }),
      { numRuns: 20 },
    );
  });

  it("1.7 skips what is absent and keeps the order of the rest", () => {
    const tools = everyTool().filter((tool) => tool.definition.name !== "web_operations");
    expect(offered(lab({ tools })).map((tool) => tool.name)).toEqual(
      FIXED.filter((name) => name !== "web_operations"),
    );
  });

  it("1.8 lists tools of servers after ours, by server and name", () => {
    const foreign = [
      ["zeta", "a"],
      ["alpha", "z"],
      ["zeta", "z2"],
      ["alpha", "a2"],
    ] as const;
    fc.assert(
      fc.property(fc.shuffledSubarray([...foreign], { minLength: 4 }), (shuffled) => {
        const box = lab({ tools: everyTool() });
        for (const [server, name] of shuffled)
          box.registry.register(single(name, say("")), { server });
        expect(offered(box).map((tool) => tool.name)).toEqual([...FIXED, "a2", "z", "a", "z2"]);
      }),
    );
  });

  it("1.8 does not let a server's tool take one of our places", () => {
    const box = lab({ tools: [single("search_index", say(""))] });
    box.registry.register(single("think", say("")), { server: "impostor" });
    expect(offered(box).map((tool) => tool.name)).toEqual(["search_index", "think"]);
  });

  it("1.9 leaves out a tool that cannot be made ready, names it in the log and starts the others", async () => {
    const warnings: string[] = [];
    const events = createEventHub({ warn: () => {} });
    const announced: string[][] = [];
    events.onAnnouncement((event) => void announced.push([...event.tools]));
    const registry = new ToolRegistry({
      events,
      warn: (message) => void warnings.push(message),
      initializeTimeoutMs: 50,
    });
    const broken = {
      ...single("broken", say("")),
      initialize: () => Promise.reject(new Error("no key")),
    };
    const rude = {
      ...single("rude", say("")),
      initialize: () => {
        throw new Error("at once");
      },
    };
    const stuck = { ...single("stuck", say("")), initialize: () => new Promise<void>(() => {}) };
    expect(registry.isInitialized).toBe(false);
    await registry.initialize([broken, single("good", say("")), rude, stuck]);
    expect(registry.isInitialized).toBe(true);
    expect(registry.names()).toEqual(["good"]);
    expect(warnings.join("\n")).toMatch(/broken.*no key/);
    expect(warnings.join("\n")).toMatch(/rude.*at once/);
    expect(warnings.join("\n")).toMatch(/stuck.*not ready/);
    await new Promise(setImmediate);
    expect(announced).toEqual([["good"]]);
  });

  it("1.9 lets a tool find what was put in later than the tool itself", async () => {
    let spawner: (() => string) | undefined;
    const box = lab();
    await box.registry.initialize([
      single("run_subagent", async () => ({ text: spawner?.() ?? "nobody" })),
    ]);
    spawner = () => "spawned";
    expect((await box.call("run_subagent")).output.content).toBe("spawned");
  });

  it("13.10 tells everybody when tools come and go", async () => {
    const box = lab();
    const lists: string[][] = [];
    box.events.onAnnouncement((event) => void lists.push([...event.tools]));
    await box.registry.initialize([single("think", say(""))]);
    box.registry.register(single("late", say("")), { server: "s" });
    expect(box.registry.unregister("late")).toBe(true);
    expect(box.registry.unregister("late")).toBe(false);
    await box.told();
    expect(lists).toEqual([["think"], ["think", "late"], ["think"]]);
  });

  it("offers a server's own schema, made such that every provider takes it", () => {
    const box = lab();
    const schema = {
      $schema: "x",
      $defs: { Point: { type: "object", properties: { x: { type: "number" } } } },
      oneOf: [
        { $ref: "#/$defs/Point" },
        { properties: { y: { type: "number" } }, required: ["y"] },
      ],
      properties: { name: { type: "string" } },
      required: ["name", "ghost"],
    };
    box.registry.register(single("point", say("")), { server: "s", schema });
    const [tool] = offered(box);
    expect(tool?.parameters).toMatchObject({
      type: "object",
      required: ["name"],
      properties: { name: {}, x: {}, y: {} },
    });
    for (const key of ["oneOf", "anyOf", "allOf", "$ref", "$schema"]) {
      expect(Object.keys(tool?.parameters ?? {})).not.toContain(key);
    }
  });

  it("gives the same bytes for a schema whose keys come in another order", () => {
    const one = { type: "object", properties: { a: { type: "string", minLength: 1 }, b: {} } };
    const other = { properties: { b: {}, a: { minLength: 1, type: "string" } }, type: "object" };
    const bytes = [one, other].map((schema) => {
      const box = lab();
      box.registry.register(single("x", say("")), { server: "s", schema });
      return JSON.stringify(offered(box));
    });
    expect(bytes[0]).toBe(bytes[1]);
  });

  it("survives schemas that are none", () => {
    fc.assert(
      fc.property(fc.anything(), (schema) => {
        const box = lab();
        box.registry.register(single("x", say("")), { server: "s", schema: schema ?? {} });
        expect(offered(box)[0]?.parameters).toMatchObject({ type: "object" });
      }),
    );
  });

  it("1.12 knows operations under all their names, and only existing ones", () => {
    const box = lab({
      tools: [
        consolidated("build_and_version_control", { git_commit: {} }),
        single("think", say("")),
      ],
    });
    const keyOf = (name: string) => box.registry.operationKey(name);
    expect(keyOf("build_version_control.git_commit")).toBe("build_and_version_control.git_commit");
    expect(keyOf("build_and_version_control.git_commit")).toBe(
      "build_and_version_control.git_commit",
    );
    expect(keyOf("think")).toBe("think");
    for (const name of [
      "*",
      "",
      "build_and_version_control",
      "git_commit",
      "think.x",
      "a.b",
      "build_and_version_control.toString",
    ]) {
      expect(keyOf(name), name).toBeUndefined();
    }
  });
});
