import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Ledger } from "../../../../src/authorization/approvals/ledger.ts";
import { digestOf } from "../../../../src/authorization/binding/bind.ts";
import { Grants } from "../../../../src/authorization/grants/grants.ts";
import type { ApprovalQuestion, BoundCall } from "../../../../src/contract/permission/approval.ts";
import { Journal } from "../../../../src/journal/journal.ts";
import { type Lab, NOON, permissionLab } from "../../../support/permission-lab.ts";
import { caseCount } from "../../../support/thorough.ts";

type Path = readonly (string | number)[];

/** Every value in it that is not a list or an object, by its path. */
function leaves(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, member]) =>
    leaves(member, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

function changedAt(value: unknown, [key, ...rest]: Path, to: unknown): unknown {
  if (key === undefined) return to;
  const copy = structuredClone(value) as Record<string | number, unknown>;
  copy[key] = changedAt(copy[key], rest, to);
  return copy;
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce((inner, key) => (inner as Record<string | number, unknown>)[key], value);

/** One character more, less or other; another truth; another number. */
function others(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value === "boolean") return fc.constant(!value);
  if (typeof value === "number") return fc.integer().filter((other) => other !== value);
  if (value === null) return fc.constantFrom("", "null", 0, false);
  const text = String(value);
  return fc.oneof(
    fc
      .tuple(fc.nat(text.length), fc.string({ unit: "binary", minLength: 1, maxLength: 1 }))
      .map(([at, character]) => `${text.slice(0, at)}${character}${text.slice(at)}`),
    fc.nat(Math.max(0, text.length - 1)).map((at) => text.slice(0, at) + text.slice(at + 1)),
    fc.constantFrom(`${text} `, ` ${text}`, text.toUpperCase(), `${text}\u200b`, ""),
  );
}

describe("an approval binds exactly what will run", () => {
  let lab: Lab;
  let approved: BoundCall;
  let grants: Grants;
  beforeAll(async () => {
    lab = await permissionLab();
    lab.files.write("a.txt", "one\ntwo\n");
    const question: ApprovalQuestion = await lab.question("terminal_operations.run_command", {
      command: "make",
      working_directory: "/tmp",
    });
    const edit = await lab.question("file_operations.create_file", {
      filePath: "/etc/hostname",
      content: "x",
      overwrite: true,
    });
    approved = { ...question.call, contents: edit.call.contents, paths: edit.call.paths };
    grants = new Grants(new Ledger(new Journal(lab.store)), () => NOON);
    await grants.give("A", {
      operation: approved.operation,
      scope: { kind: "call", digest: digestOf(approved), callId: "call" },
      approvers: ["somebody"],
      shown: "",
      oneTime: false,
    });
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  const isServed = async (call: BoundCall) => {
    const need = {
      operation: approved.operation,
      digest: digestOf(call),
      timedScope: undefined,
      unprivileged: true,
    };
    return (await grants.use("A", need, "call")) !== undefined;
  };

  it("covers operation, parameters, directory, identity, paths, contents, schema, conversation, requester and policy", () => {
    expect(Object.keys(approved).sort()).toEqual([
      "contents",
      "conversation",
      "identity",
      "operation",
      "params",
      "paths",
      "policy",
      "requester",
      "run",
      "schema",
      "workingDirectory",
    ]);
    expect(approved.contents).toHaveLength(1);
    expect(approved.paths).toHaveLength(1);
  });

  it("serves the very call, in whatever order its fields stand", async () => {
    expect(await isServed(approved)).toBe(true);
    const reversed = Object.fromEntries(Object.entries(approved).reverse()) as BoundCall;
    expect(await isServed(reversed)).toBe(true);
  });

  it("P-A5 refuses each of 1,500 calls that differ in one place", async () => {
    const places = leaves(approved);
    const differing = fc.constantFrom(...places).chain((path) =>
      others(valueAt(approved, path))
        .filter((other) => other !== valueAt(approved, path))
        .map((other) => ({ path, other })),
    );
    const tried = new Set<string>();
    await fc.assert(
      fc.asyncProperty(differing, async ({ path, other }) => {
        tried.add(path.join("."));
        expect(await isServed(changedAt(approved, path, other) as BoundCall)).toBe(false);
      }),
      { numRuns: caseCount({ perChange: 500, all: 1500 }) },
    );
    expect(tried.size).toBe(places.length);
  });

  it("P-A5 refuses a call with a parameter or a path more or less", async () => {
    const more = { ...approved, params: { ...approved.params, extra: true } };
    expect(await isServed(more)).toBe(false);
    const { command: _, ...params } = approved.params;
    expect(await isServed({ ...approved, params })).toBe(false);
    expect(await isServed({ ...approved, paths: [] })).toBe(false);
    expect(await isServed({ ...approved, paths: [...approved.paths, ...approved.paths] })).toBe(
      false,
    );
  });
});
