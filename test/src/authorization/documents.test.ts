import { describe, expect, it } from "vitest";
import { type LabOptions, permissionLab } from "../../support/permission-lab.ts";

const CREATE = "document_operations.document_create";
const IMPORT = "document_operations.document_import";

async function check(key: string, params: object, options: LabOptions = {}) {
  await using lab = await permissionLab(options);
  return await lab.check(key, params);
}

describe("documents", () => {
  const note = { content: "x", output_path: "notes/plan" };
  const rule = (effect: string, path = "**/notes/plan.md") =>
    `paths: [{ path: "${path}", effect: ${effect} }]`;

  it("are written unasked inside the workspace without a rule", async () => {
    expect(await check(CREATE, note)).toMatchObject({ outcome: "allowed" });
  });

  it.each([
    ["deny", "denied"],
    ["ask", "ask"],
    ["allow", "allowed"],
  ])("obey a path rule that says %s, under the name that they get", async (effect, outcome) => {
    expect(await check(CREATE, note, { policy: rule(effect) })).toMatchObject({ outcome });
  });

  it("obey a path rule for reading", async () => {
    const policy = rule("deny", "**/.env");
    const verdict = await check(IMPORT, { path: "app/.env" }, { policy });
    expect(verdict).toMatchObject({ outcome: "denied" });
  });

  it.each([
    ["phrase", "ask"],
    ["denied", "denied"],
  ])("obey the level %s of their operation", async (level, outcome) => {
    const policy = `operations: { "${CREATE}": ${level} }`;
    expect(await check(CREATE, note, { policy })).toMatchObject({ outcome });
  });
});

describe("reads outside the workspace", () => {
  const read = ["file_operations.read_file", { filePath: "/etc/hostname" }] as const;

  it("ask where the conversation's setting says so, and only then [4.6]", async () => {
    expect(await check(...read)).toMatchObject({ outcome: "allowed" });
    expect(await check(...read, { outsideReadsAsk: true })).toMatchObject({ outcome: "ask" });
    const inside = ["file_operations.read_file", { filePath: "a.txt" }] as const;
    expect(await check(...inside, { outsideReadsAsk: true })).toMatchObject({ outcome: "allowed" });
  });
});
