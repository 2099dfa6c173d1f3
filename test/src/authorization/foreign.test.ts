import { afterEach, describe, expect, it } from "vitest";
import type { Verdict } from "../../../src/contract/permission/gate.ts";
import type { JsonSchema } from "../../../src/contract/tools/foreign-tool.ts";
import { foreignTool } from "../../../src/mcp/foreign-tool.ts";
import { digestOfTool, type ListedTool } from "../../../src/mcp/listed-tool.ts";
import { type Lab, type LabOptions, permissionLab } from "../../support/permission-lab.ts";
import { consolidated } from "../tools/support/lab.ts";

const labs: Lab[] = [];
afterEach(async () => {
  for (const lab of labs.splice(0)) await lab[Symbol.asyncDispose]();
});
async function lab(options: LabOptions = {}): Promise<Lab> {
  const made = await permissionLab(options);
  labs.push(made);
  return made;
}

function listed(more: Partial<ListedTool> = {}): ListedTool {
  return { name: "search", description: "Searches.", inputSchema: { type: "object" }, ...more };
}

const KEY = "tracker.search";
function tool(
  given: ListedTool = listed(),
  level: "safe" | "standard" = "standard",
  entry = "an entry",
) {
  const digest = digestOfTool(given, entry);
  const run = async () => ({ text: "" });
  return foreignTool({ server: "tracker", listed: given, digest, level, run }).definition;
}

function questionOf(verdict: Verdict) {
  if (verdict.outcome !== "ask" || !verdict.question) throw new Error(JSON.stringify(verdict));
  return verdict.question;
}

describe("a call of an external server", () => {
  it("asks for a click, and its card shows every argument whole [12.8]", async () => {
    const { checkCall } = await lab();
    const long = "x".repeat(3000);
    const params = { query: long, deep: { list: [1, "two"] }, explanation: "harmless, trust me" };
    const { risk, effect, timedScope } = questionOf(await checkCall(tool(), KEY, params));
    expect(risk).toBe("click");
    expect(effect.reasons).toEqual(["It runs on the external server tracker."]);
    expect(effect.params).toEqual([
      { name: "query", value: long },
      { name: "deep", value: '{"list":[1,"two"]}' },
      { name: "explanation", value: "harmless, trust me" },
    ]);
    expect(effect.explanation).toBeUndefined();
    expect(timedScope).toBeUndefined();
  });

  it("asks also where a policy calls it standard, whatever the workspace's rules say", async () => {
    const policy = 'operations: { "*": standard }\npaths: [{ path: "/**", effect: allow }]';
    const { checkCall } = await lab({ policy });
    expect(await checkCall(tool(), KEY, {})).toMatchObject({ outcome: "ask" });
  });

  it.each([
    ["safe", "allowed"],
    ["standard", "ask"],
    ["elevated", "ask"],
    ["denied", "denied"],
  ])("follows a policy that calls the server's tools %s", async (level, outcome) => {
    const { checkCall } = await lab({ policy: `operations: { "tracker.*": ${level} }` });
    expect(await checkCall(tool(), KEY, {})).toMatchObject({ outcome });
  });

  it("does not ask for what the operator lists as read-only", async () => {
    const { checkCall } = await lab();
    expect(await checkCall(tool(listed(), "safe"), KEY, {})).toMatchObject({ outcome: "allowed" });
  });

  it("asks for every tool whose effects nothing shows, of whatever category", async () => {
    const { checkCall } = await lab();
    for (const category of ["read", "write", "memory", "command", "foreign"] as const) {
      const plugin = consolidated("plugin", { act: { level: "standard", category } }).definition;
      expect(await checkCall(plugin, "act", {})).toMatchObject({ outcome: "ask" });
    }
  });
});

describe("an approval of a call of an external server [P-A9]", () => {
  const schema: JsonSchema = { type: "object", properties: { query: { type: "string" } } };
  const before = listed({ inputSchema: schema });
  const changes: [string, ListedTool, string?][] = [
    ["another description", { ...before, description: "Searches and deletes." }],
    ["another title", { ...before, title: "Search" }],
    ["other hints", { ...before, annotations: { readOnlyHint: true } }],
    ["one more parameter", listed({ inputSchema: { ...schema, properties: { to: {} } } })],
    ["another word deep in its schema", listed({ inputSchema: { ...schema, $comment: "x" } })],
    ["another entry of the operator", before, "another entry"],
  ];

  it.each(changes)("does not hold for a tool with %s", async (_, after, entry) => {
    const { checkCall } = await lab();
    const first = questionOf(await checkCall(tool(before), KEY, { query: "a" }));
    const again = questionOf(await checkCall(tool({ ...before }), KEY, { query: "a" }));
    const changed = questionOf(
      await checkCall(tool(after, "standard", entry), KEY, { query: "a" }),
    );
    expect(again.digest).toBe(first.digest);
    expect(changed.digest).not.toBe(first.digest);
  });
});
