import { describe, expect, it } from "vitest";
import { z } from "zod";
import { consolidated, foreign, lab, settings, single } from "../support/lab.ts";

describe("the name of a call", () => {
  const box = () =>
    lab({
      tools: [
        consolidated("file_operations", {
          read_file: { params: z.object({ filePath: z.string().optional() }) },
          list_dir: {},
        }),
        consolidated("build_and_version_control", { git_commit: {} }),
        single("think", async () => ({ text: "thought" })),
        single("search_index", async (params) => ({ text: JSON.stringify(params) }), {
          params: z.object({ operation: z.enum(["stats", "refresh"]).optional() }),
        }),
      ],
    });

  it("1.10 may carry the operation behind a dot", async () => {
    const dotted = await box().call("file_operations.read_file", { filePath: "a" });
    const plain = await box().call("file_operations", { operation: "read_file", filePath: "a" });
    expect(dotted.output).toEqual(plain.output);
    expect(dotted.output.content).toBe('read_file {"filePath":"a"}');
  });

  it("1.10 gives way to an operation that is given explicitly", async () => {
    const result = await box().call("file_operations.read_file", { operation: "list_dir" });
    expect(result.output.content).toMatch(/^list_dir/);
  });

  it.each([
    "nosuch.read",
    "frobnicate",
    "",
    ".",
    "think.deeply",
    "read_file",
    "git_commit",
    "__proto__",
    "toString",
  ])("1.13 %j is not found, which is a result like any other", async (name) => {
    const result = await box().call(name, { x: 1 }, { callId: "call-7" });
    expect(result).toMatchObject({ callId: "call-7", success: false, kind: "toolNotFound" });
    expect(result.output.content).toContain(`"${name}" not found`);
  });

  it("1.12 may be an alias, also with a dot, and the guard gets the canonical key", async () => {
    const keys: string[] = [];
    const aliased = lab({
      tools: [consolidated("build_and_version_control", { git_commit: {} })],
      verdict: async ({ operationKey }) => {
        keys.push(operationKey);
        return { outcome: "allowed", reason: "" };
      },
    });
    for (const name of ["build_version_control", "build_and_version_control"]) {
      await aliased.call(name, { operation: "git_commit" });
      await aliased.call(`${name}.git_commit`);
    }
    expect(keys).toEqual(Array(4).fill("build_and_version_control.git_commit"));
  });

  it("reaches a single tool's own parameter called operation", async () => {
    expect((await box().call("search_index", { operation: "stats" })).output.content).toBe(
      '{"operation":"stats"}',
    );
    expect((await box().call("search_index.stats")).output.content).toBe('{"operation":"stats"}');
    expect((await box().call("search_index")).success).toBe(true);
    expect((await box().call("think.think")).success).toBe(true);
  });

  it("1.11 is legal and unique for tools of servers, and both calls reach the right one", async () => {
    const names = ["calculator.add", "x".repeat(80), "a/b", "c_d"];
    const servers = lab();
    for (const server of ["one", "two"]) {
      const tools = names.map((name) =>
        foreign(server, name, async () => ({ text: `${server}.${name}` })),
      );
      expect(servers.registry.replaceServerTools(server, tools)).toEqual([]);
    }
    const { tools } = servers.toolbox.offer({ conversation: "A", settings: settings() });
    const offered = tools.map((tool) => tool.name);
    expect(new Set(offered).size).toBe(2 * names.length);
    for (const name of offered) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(offered).toContain("one__calculator_add");
    expect(offered).toContain("two__c_d");
    const keys = names.flatMap((name) => [`one.${name}`, `two.${name}`]);
    const answers = await Promise.all(offered.map((name) => servers.call(name)));
    expect(answers.map((result) => result.output.content).sort()).toEqual([...keys].sort());
    for (const key of keys) expect((await servers.call(key)).output.content).toBe(key);
  });

  it("1.11 means what it meant when it was offered, though a rival has come since", async () => {
    const servers = lab({ tools: [single("calculator.add", async () => ({ text: "first" }))] });
    const turn = servers.turn();
    servers.registry.register(single("calculator_add", async () => ({ text: "rival" })));
    const outcome = await servers.toolbox.runCall(
      { name: "calculator_add", arguments: "{}" },
      turn,
    );
    expect(outcome).toMatchObject({ result: { output: { content: "first" } } });
  });
});
