import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../../../../src/contract/tools/operation.ts";
import { flag, integer } from "../../../../src/contract/tools/params.ts";
import { flatSchema, parseCall } from "../../../../src/contract/tools/tool-schema.ts";

const common = {
  repeat: "safe",
  level: "safe",
  category: "search",
  line: () => "Looking",
} as const;

const index = defineTool({
  name: "search_index",
  description: "Looks names up.",
  single: true,
  operations: {
    search_index: {
      ...common,
      summary: "look names up",
      params: z.object({
        query: z.string().min(1),
        operation: z.enum(["stats", "refresh"]).optional(),
        limit: integer({ min: 1 }).default(10),
        options: z.object({ deep: flag().default(false), within: z.string() }).optional(),
      }),
    },
  },
});

describe("a tool for one purpose", () => {
  it("offers its own parameters, and says which of them must be given", () => {
    expect(flatSchema(index)).toEqual({
      type: "object",
      properties: {
        query: { type: "string" },
        operation: { type: "string", enum: ["stats", "refresh"] },
        limit: { type: "integer", minimum: 1, default: 10 },
        options: {
          type: "object",
          properties: { deep: { type: "boolean", default: false }, within: { type: "string" } },
          required: ["within"],
        },
      },
      required: ["query"],
    });
  });

  it("takes calls that name no operation, and has a parameter of that name to itself", () => {
    expect(parseCall(index, { query: "a" })).toEqual({
      operation: "search_index",
      params: { query: "a", limit: 10 },
    });
    expect(parseCall(index, { query: "a", operation: "stats" }).params).toMatchObject({
      operation: "stats",
    });
    expect(() => parseCall(index, { query: "a", operation: "zzz" })).toThrow(/operation/);
  });

  it("names itself and the expected shape when something is missing", () => {
    expect(() => parseCall(index, {})).toThrow(
      /^search_index: query: .*Expected \{ query, operation\?, limit\?, options\? \}\.$/,
    );
  });

  it("must have an operation of its own name", () => {
    const odd = { ...index, name: "other" };
    expect(() => flatSchema(odd)).toThrow("other");
  });
});
