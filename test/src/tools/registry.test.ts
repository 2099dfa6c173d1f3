import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../../src/contract/tools/foreign-tool.ts";
import type { RunnableTool } from "../../../src/contract/tools/tool-call.ts";
import { createEventHub } from "../../../src/events/hub.ts";
import { ToolRegistry } from "../../../src/tools/registry.ts";
import { defineReadToolResult } from "../../../src/tools/results/read-tool-result.ts";
import { everyDefinition } from "./support/definitions.ts";
import { consolidated, foreign, lab, settings, single } from "./support/lab.ts";

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
    const servers = { zeta: ["a", "z2"], alpha: ["z", "a2"] };
    const order = [...FIXED, "alpha__a2", "alpha__z", "zeta__a", "zeta__z2"];
    for (const names of [Object.entries(servers), Object.entries(servers).reverse()]) {
      for (const turned of [false, true]) {
        const box = lab({ tools: everyTool() });
        for (const [server, its] of names) {
          const tools = its.map((name) => foreign(server, name, say("")));
          box.registry.replaceServerTools(server, turned ? tools.reverse() : tools);
        }
        expect(offered(box).map((tool) => tool.name)).toEqual(order);
      }
    }
  });

  it("does not let a server's tool replace one of ours or of another server [12.6] [P-I8]", async () => {
    const box = lab({ tools: [single("think", say("ours"))] });
    const think = (server: string) => foreign(server, "think", say(server));
    expect(box.registry.replaceServerTools("impostor", [think("impostor")])).toEqual([]);
    expect(box.registry.replaceServerTools("other", [think("other")])).toEqual([]);
    expect((await box.call("think")).output.content).toBe("ours");
    expect((await box.call("impostor.think")).output.content).toBe("impostor");
    expect((await box.call("other__think")).output.content).toBe("other");
    expect(() => box.registry.replaceServerTools("impostor", [think("other")])).toThrow("impostor");
    expect(() => box.registry.replaceServerTools("s", [single("think", say(""))])).toThrow("think");
  });

  it.each([
    ["a server that is called like our tool", "terminal_operations", "run_command"],
    ["a server whose name only looks like our tool's", "Terminal-0perations", "run"],
    ["a server whose name only looks like another's", "g1thub", "anything"],
    ["a server's name that could end at another place", "git__hub", "x"],
    ["letters of another alphabet", "s", "se\u0430rch"],
    ["a character that nobody sees", "s", "search\u200b"],
    ["a blank", "s", "sea rch"],
    ["no name at all", "s", ""],
  ])("refuses %s, and says why [P-I8]", (_, server, name) => {
    const box = lab({ tools: [consolidated("terminal_operations", { run_command: {} })] });
    box.registry.replaceServerTools("github", [foreign("github", "search", say(""))]);
    const [refused] = box.registry.replaceServerTools(server, [foreign(server, name, say(""))]);
    expect(refused?.name).toBe(`${server}.${name}`);
    expect(refused?.reason).toMatch(/name/);
    expect(offered(box).map((tool) => tool.name)).toEqual([
      "terminal_operations",
      "github__search",
    ]);
  });

  it.each([
    ["read_file", "readFile"],
    ["list", "1ist"],
    ["item", "itern"],
    ["view", "vievv"],
    ["go", "g0"],
    ["a.b", "a/b"],
  ])("refuses the second of two names that look alike, %s and %s [P-I8]", (one, other) => {
    const box = lab();
    const tools = [one, other].map((name) => foreign("s", name, say(name)));
    expect(box.registry.replaceServerTools("s", tools)).toEqual([
      { name: `s.${other}`, reason: `its name looks like s.${one}` },
    ]);
    expect(offered(box)).toHaveLength(1);
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
    box.registry.replaceServerTools("s", [foreign("s", "late", say(""))]);
    box.registry.replaceServerTools("s", []);
    await box.told();
    expect(lists).toEqual([["think"], ["think", "s.late"], ["think"]]);
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
    box.registry.replaceServerTools("s", [foreign("s", "point", say(""), { schema })]);
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
      box.registry.replaceServerTools("s", [foreign("s", "x", say(""), { schema })]);
      return JSON.stringify(offered(box));
    });
    expect(bytes[0]).toBe(bytes[1]);
  });

  it("survives schemas that are none", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (schema) => {
        const box = lab();
        box.registry.replaceServerTools("s", [
          foreign("s", "x", say(""), { schema: schema as JsonSchema }),
        ]);
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
