import { checkMessageBlocks } from "./block-check.ts";
import { type Fields, isFields, SlackRefusedError } from "./values.ts";

const TASK_STATES = ["pending", "in_progress", "complete", "error"];

/** Throws what Slack would say to these chunks of a stream; gives the number of blocks in them. */
export function checkChunks(chunks: readonly unknown[]): number {
  let blocks = 0;
  for (const [index, chunk] of chunks.entries()) {
    const problem = isFields(chunk) ? problemOf(chunk) : "must be an object";
    if (problem)
      throw new SlackRefusedError("invalid_chunks", {
        response_metadata: { messages: [`[ERROR] ${problem} [json-pointer:/chunks/${index}]`] },
      });
    if (isFields(chunk) && chunk.type === "blocks") blocks += (chunk.blocks as unknown[]).length;
  }
  return blocks;
}

function problemOf(chunk: Fields): string | undefined {
  switch (chunk.type) {
    case "markdown_text":
      return textProblem(chunk.text);
    case "plan_update":
      return typeof chunk.title === "string" ? undefined : "missing required field: title";
    case "task_update":
      return taskProblem(chunk);
    case "blocks":
      if (!Array.isArray(chunk.blocks)) return "missing required field: blocks";
      if (chunk.blocks.length <= 50) checkMessageBlocks(chunk.blocks);
      return undefined;
    default:
      return `unsupported type: ${String(chunk.type)}`;
  }
}

function textProblem(text: unknown): string | undefined {
  if (typeof text !== "string" || text === "") return "missing required field: text";
  return text.length > 12_000 ? "must be less than 12001 characters" : undefined;
}

function taskProblem({ id, title, status }: Fields): string | undefined {
  if (typeof id !== "string" || id === "") return "missing required field: id";
  if (typeof title !== "string" || title === "") return "missing required field: title";
  return TASK_STATES.includes(status as string) ? undefined : "invalid status";
}
