import { fileURLToPath } from "node:url";
import { encode } from "gpt-tokenizer";
import { briefingText } from "../../src/agent/briefing.ts";
import { createPromptFiles } from "../../src/agent/prompt-files.ts";
import { buildAndVersionControl } from "../../src/contract/tools/build-and-version-control.ts";
import { fileOperations } from "../../src/contract/tools/file-operations.ts";
import type { Tool } from "../../src/contract/tools/operation.ts";
import { terminalOperations } from "../../src/contract/tools/terminal-operations.ts";
import {
  flatSchema,
  propertiesOf,
  requiredParameters,
} from "../../src/contract/tools/tool-schema.ts";
import { imageGeneration } from "../../src/tools/image-generation.ts";
import { increaseMaxIterations } from "../../src/tools/increase-max-iterations.ts";
import { listMiniPrompts } from "../../src/tools/list-mini-prompts.ts";
import { listSystemPrompts } from "../../src/tools/list-system-prompts.ts";
import { documentOperations } from "../../src/tools/memory/document-operations.ts";
import { memoryOperations } from "../../src/tools/memory/memory-operations.ts";
import { recallHistory } from "../../src/tools/memory/recall-history.ts";
import { defineReadToolResult } from "../../src/tools/results/read-tool-result.ts";
import { runSubagent } from "../../src/tools/run-subagent.ts";
import { searchIndex } from "../../src/tools/search-index.ts";
import { think } from "../../src/tools/think.ts";
import { todoOperations } from "../../src/tools/todo/definition.ts";
import { userCollaboration } from "../../src/tools/user-collaboration.ts";
import { webOperations } from "../../src/tools/web/web-operations.ts";
import { workingDirectoryIndexer } from "../../src/tools/working-directory-indexer.ts";
import { rounded } from "./figures.ts";

const TOOLS: readonly Tool[] = [
  think,
  userCollaboration,
  runSubagent,
  increaseMaxIterations,
  listSystemPrompts,
  listMiniPrompts,
  memoryOperations,
  todoOperations,
  defineReadToolResult(),
  recallHistory,
  webOperations,
  documentOperations,
  fileOperations,
  terminalOperations,
  buildAndVersionControl,
  searchIndex,
  workingDirectoryIndexer,
  imageGeneration,
];

const PROMPTS = fileURLToPath(new URL("../../prompts", import.meta.url));

/** The tokens of the prompt and all tools as models are given them, against one function for each operation. */
export async function benchPrompt() {
  const system = await createPromptFiles(PROMPTS, () => {}).system();
  const { text = "" } = system.find(({ id }) => id === "default") ?? {};
  const prompt = encode(briefingText({ prompt: text, minis: [] })).length;
  const tokens = prompt + sum(TOOLS.map((tool) => tokensOf([offered(tool)])));
  const singleTokens = prompt + sum(TOOLS.map((tool) => tokensOf(asSingles(tool))));
  const ratio = tokens / singleTokens;
  return {
    ratio: rounded(ratio),
    tokens,
    singleTokens,
    promptTokens: prompt,
    tools: TOOLS.length,
    operations: sum(TOOLS.map(({ operations }) => Object.keys(operations).length)),
    ok: ratio <= 0.6,
  };
}

function offered(tool: Tool) {
  return asFunction(tool.name, tool.description, flatSchema(tool));
}

/** What a tool says of all its operations, each of them has to say by itself when it stands alone. */
function asSingles(tool: Tool) {
  if (tool.single) return [offered(tool)];
  return Object.entries(tool.operations).map(([name, operation]) =>
    asFunction(name, `${operation.summary}. ${tool.description}`, {
      type: "object",
      properties: propertiesOf(operation),
      required: requiredParameters(operation),
    }),
  );
}

function asFunction(name: string, description: string, parameters: object) {
  return { type: "function", function: { name, description, parameters } };
}

function tokensOf(functions: readonly object[]): number {
  return sum(functions.map((one) => encode(JSON.stringify(one)).length));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
