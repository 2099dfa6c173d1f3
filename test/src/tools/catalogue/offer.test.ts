import { describe, expect, it } from "vitest";
import type { OfferRequest } from "../../../../src/contract/tools/toolbox.ts";
import { lab, settings, single } from "../support/lab.ts";

const NAMES = [
  "think",
  "user_collaboration",
  "run_subagent",
  "increase_max_iterations",
  "todo_operations",
  "read_tool_result",
  "file_operations",
  "terminal_operations",
];

function toolbox() {
  const runs: string[] = [];
  const box = lab({
    tools: NAMES.map((name, position) => {
      const run = async () => {
        runs.push(name);
        return { text: "" };
      };
      return single(name, run, { position });
    }),
  });
  const offered = (request: Partial<OfferRequest> = {}) =>
    box.toolbox
      .offer({ conversation: "A", settings: settings(), ...request })
      .tools.map((tool) => tool.name);
  return { ...box, runs, offered };
}

describe("the offer", () => {
  it.each([
    ["terminal", "terminal_operations"],
    ["workflow", "run_subagent"],
    ["dynamicIterations", "increase_max_iterations"],
  ] as const)(
    "1.46 without %s has no %s, and a call of it is refused without running",
    async (name, tool) => {
      const { offered, call, runs } = toolbox();
      const request = { settings: settings({ [name]: false }) };
      expect(offered(request)).toEqual(NAMES.filter((one) => one !== tool));
      for (const called of [tool, `${tool}.${tool}`]) {
        const result = await call(called, "{}", { request });
        expect(result).toMatchObject({ success: false, kind: "permissionDenied" });
        expect(result.output.content).toContain(name);
      }
      expect(runs).toEqual([]);
      expect((await call(tool, "{}")).success).toBe(true);
    },
  );

  it("1.46 has no question for outside callers; asked all the same, the tool itself answers at once", async () => {
    const { offered, call, runs } = toolbox();
    const request = { isExternalCall: true };
    expect(offered(request)).toEqual(NAMES.filter((name) => name !== "user_collaboration"));
    await call("user_collaboration", "{}", { request, isExternalCall: true });
    expect(runs).toEqual(["user_collaboration"]);
  });

  it("1.46 leaves out what a subagent may not use, and refuses it", async () => {
    const { offered, call, runs } = toolbox();
    const request = { excluded: new Set(["run_subagent"]) };
    expect(offered(request)).not.toContain("run_subagent");
    expect((await call("run_subagent", "{}", { request })).success).toBe(false);
    expect(runs).toEqual([]);
  });

  it("3.2 in a small context is a core; think asks for more, in the fixed order, until the turn ends", async () => {
    const { offered, toolbox: box, call, runs } = toolbox();
    const request = { settings: settings({ smallContext: true }) };
    const core = [
      "think",
      "user_collaboration",
      "todo_operations",
      "read_tool_result",
      "terminal_operations",
    ];
    expect(offered(request)).toEqual(core);
    const early = await call("file_operations", "{}", { request });
    expect(early).toMatchObject({ success: false, kind: "permissionDenied" });
    expect(early.output.content).toContain('requested_tools: ["file_operations"]');
    expect(runs).toEqual([]);
    expect(box.requestTools("A", ["file_operations", "nonsense"])).toEqual({
      offered: ["file_operations"],
      unknown: ["nonsense"],
      excluded: [],
    });
    expect(offered(request)).toEqual(
      NAMES.filter((name) => [...core, "file_operations"].includes(name)),
    );
    expect((await call("file_operations", "{}", { request })).success).toBe(true);
    expect(offered({ ...request, conversation: "B" })).toEqual(core);
    box.endTurn("A");
    expect(offered(request)).toEqual(core);
  });

  it("3.2 keeps out what is excluded, even if it is asked for", () => {
    const { offered, toolbox: box } = toolbox();
    const request = {
      settings: settings({ smallContext: true, workflow: false }),
      excluded: new Set(["file_operations"]),
    };
    offered(request);
    expect(
      box.requestTools("A", ["run_subagent", "file_operations", "terminal_operations"]),
    ).toEqual({
      offered: ["terminal_operations"],
      unknown: [],
      excluded: ["run_subagent", "file_operations"],
    });
    expect(offered(request)).not.toContain("file_operations");
    expect(offered(request)).not.toContain("run_subagent");
  });

  it("3.2 is the full list in a normal context", () => {
    expect(toolbox().offered()).toEqual(NAMES);
  });
});
