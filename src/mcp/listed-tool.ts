import { createHash } from "node:crypto";
import { z } from "zod";
import type { Json } from "../contract/store.ts";
import type { JsonSchema } from "../contract/tools/foreign-tool.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { compileSchema, SchemaError } from "./compile-schema.ts";

/** Text that fills a request to a model is paid for with every step. */
const DESCRIPTION_CHARS = 16 * 1024;
/** More tools than any server needs, and few enough to keep. */
const MOST_TOOLS = 1000;

/** A tool as its server lists it. The rest of what servers send is of no use here. */
export const ListedTool = z.object({
  name: z.string().regex(/^[A-Za-z0-9_./-]{1,128}$/, {
    error: "has no name of 1 to 128 letters, digits and _ . / -",
  }),
  title: z.string().max(1000).optional(),
  description: z
    .string()
    .max(DESCRIPTION_CHARS, { error: "has a description of more than 16 KB" })
    .optional(),
  inputSchema: z.record(z.string(), z.unknown(), {
    error: "has no schema of its parameters",
  }) as unknown as z.ZodType<JsonSchema>,
  annotations: z
    .object({
      readOnlyHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
      openWorldHint: z.boolean().optional(),
    })
    .optional(),
});
export type ListedTool = z.infer<typeof ListedTool>;

export interface ReadTools {
  readonly tools: readonly ListedTool[];
  /** One sentence for each that is dropped. */
  readonly problems: readonly string[];
}

/** Keeps what is usable of a server's list; the rest is dropped and said. */
export function readTools(listed: readonly unknown[]): ReadTools {
  const tools = new Map<string, ListedTool>();
  const problems: string[] = [];
  for (const [index, one] of listed.slice(0, MOST_TOOLS).entries()) {
    const tool = readTool(one);
    const name = typeof tool === "string" ? nameIn(one, index) : tool.name;
    if (typeof tool === "string") problems.push(`The tool ${name} is dropped: ${tool}.`);
    else if (tools.has(name)) problems.push(`The tool ${name} is listed twice.`);
    else tools.set(name, tool);
  }
  if (listed.length > MOST_TOOLS) {
    problems.push(`${listed.length - MOST_TOOLS} of ${listed.length} tools are dropped: too many.`);
  }
  return { tools: [...tools.values()], problems };
}

function readTool(listed: unknown): ListedTool | string {
  const { success, data, error } = ListedTool.safeParse(listed);
  if (!success) return error.issues[0]?.message ?? "it is not a tool";
  try {
    compileSchema(data.inputSchema);
    return data;
  } catch (problem) {
    if (problem instanceof SchemaError) return problem.message;
    throw problem;
  }
}

function nameIn(listed: unknown, index: number): string {
  const { name } = z.object({ name: z.string() }).safeParse(listed).data ?? {};
  return name ? JSON.stringify(name.slice(0, 60)) : `number ${index + 1}`;
}

/** SHA-256 of all that the server says of a tool: when it changes, it is another tool. */
export function digestOfTool({ name, ...said }: ListedTool, entry: string): string {
  const { title, description, inputSchema, annotations } = said;
  const whole = { entry, name, title, description, inputSchema, annotations } as Json;
  return createHash("sha256").update(canonicalJson(whole)).digest("hex");
}
