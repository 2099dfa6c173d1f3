import { z } from "zod";
import type { Memories, NamedValue } from "../../contract/conversation/memory.ts";
import { LINE_CHARS, quoting, saying } from "../../contract/display.ts";
import { ToolError } from "../../contract/tools/operation.ts";
import type { Answer, ToolContext } from "../../contract/tools/tool-call.ts";
import { words } from "../params.ts";
import { reached } from "./memory-reached.ts";

const KEY_LIMIT_CHARS = 200;
const VALUE_LIMIT_CHARS = 10_000;
const LISTED_CHARS = 200;

const common = { repeat: "safe", level: "safe", category: "memory", execution: "serial" } as const;
const key = words("key").max(KEY_LIMIT_CHARS).describe("The name of the value.");

/** Operations of memory_operations on values that have a name. */
export const valueOperations = {
  set_value: {
    ...common,
    summary: "store a value under a name, replacing an older one",
    params: z.object({
      key,
      value: z.string().max(VALUE_LIMIT_CHARS).describe("The value; may be empty."),
    }),
    line: quoting("Setting value", "key", LINE_CHARS.query),
  },
  get_value: {
    ...common,
    summary: "the value of a name",
    params: z.object({ key }),
    line: quoting("Reading value", "key", LINE_CHARS.query),
  },
  list_values: {
    ...common,
    summary: "all names with the start of their values",
    params: z.object({}),
    line: saying("Listing values"),
  },
  delete_value: {
    ...common,
    summary: "delete a name and its value",
    params: z.object({ key }),
    line: quoting("Deleting value", "key", LINE_CHARS.query),
  },
} as const;

type Scoped = Pick<ToolContext, "scope">;

export function valueHandlers(memories: Memories) {
  return {
    set_value: async (given: { key: string; value: string }, { scope }: Scoped) => {
      const wasThere = await reached(memories.setValue(scope, given.key, given.value));
      return answer(`${wasThere ? "Replaced" : "Set"} ${given.key}.`, {
        key: given.key,
        replaced: wasThere,
      });
    },
    get_value: async (given: { key: string }, { scope }: Scoped) => {
      const found = await reached(memories.value(scope, given.key));
      if (!found) throw await noValue(memories, scope, given.key);
      return answer(found.value, { ...found });
    },
    list_values: async (_: object, { scope }: Scoped) => {
      const values = await reached(memories.values(scope));
      const text = values.length === 0 ? "No values are stored." : values.map(listed).join("\n");
      return answer(text, {
        values: values.map(({ key: name, updatedAt }) => ({ key: name, updatedAt })),
      });
    },
    delete_value: async (given: { key: string }, { scope }: Scoped) => {
      const wasThere = await reached(memories.deleteValue(scope, given.key));
      if (!wasThere) throw await noValue(memories, scope, given.key);
      return answer(`Deleted ${given.key}.`, { key: given.key });
    },
  };
}

function answer(text: string, data: Record<string, unknown>): Answer {
  return { text, data };
}

function listed({ key: name, value }: NamedValue): string {
  const beginning = Array.from(value.slice(0, 2 * LISTED_CHARS))
    .slice(0, LISTED_CHARS)
    .join("");
  const isCut = beginning.length < value.length;
  return `${name}: ${beginning.replace(/\s+/g, " ")}${isCut ? "..." : ""}`;
}

async function noValue(memories: Memories, scope: string, name: string): Promise<ToolError> {
  const known = (await reached(memories.values(scope))).map((one) => one.key);
  const names =
    known.length === 0 ? "None is stored." : `Stored: ${known.slice(0, 50).join(", ")}.`;
  return new ToolError("executionFailed", `There is no value "${name}". ${names}`);
}
