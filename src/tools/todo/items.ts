import { z } from "zod";
import { type Todo, TodoPriority, TodoStatus } from "../../contract/conversation/todo.ts";
import { flag, integer } from "../../contract/tools/params.ts";
import { decimal } from "../params.ts";

const id = integer({ min: 1 }).describe("A whole number from 1, unique in the list.");
const title = z.string().describe("Three to seven words.");
const status = TodoStatus.describe("At most one todo of the list is in-progress.");

const details = {
  description: z.string().exactOptional().describe("What to do, and how to tell that it is done."),
  priority: TodoPriority.exactOptional().describe("Default: medium."),
  dependencies: z
    .array(integer())
    .exactOptional()
    .describe("Ids of the todos that must be completed first."),
  canRunParallel: flag().exactOptional().describe("It can run beside others."),
  parallelGroup: z.string().exactOptional().describe("Todos of one group belong together."),
  progress: decimal().exactOptional().describe("How much of it is done, from 0 to 1."),
  blockedReason: z
    .string()
    .exactOptional()
    .describe("Why it is blocked; required with status blocked."),
  subtasks: z
    .array(
      z.object({
        id: z.union([z.int(), z.string()]),
        title: z.string(),
        status: TodoStatus,
        progress: decimal().exactOptional(),
      }),
    )
    .exactOptional()
    .describe("Its parts, one level deep; its progress follows from theirs unless you state it."),
  estimatedMinutes: decimal()
    .exactOptional()
    .describe("Expected duration; people see it beside the actual time."),
  verifiedBy: z
    .string()
    .exactOptional()
    .describe(
      "The command or task label that proves it, such as npm test. You get a reminder when it passes.",
    ),
};

export const WrittenTodo = z.object({ id, title, status, ...details });
export const TodoUpdate = z.object({
  id: id.describe("Which todo to change."),
  title: title.exactOptional(),
  status: status.exactOptional(),
  ...details,
});
export type TodoUpdate = z.infer<typeof TodoUpdate>;
export const NewTodo = z.object({
  title,
  status: status.exactOptional().describe("Default: not-started."),
  ...details,
});

/** A todo without its times. */
export type Draft = Omit<Todo, "createdAt" | "updatedAt" | "startedAt" | "workedMs">;

/** What subtasks say about the progress of their todo, where the same item does not state it: their average. */
export function subtaskProgress({
  subtasks = [],
  progress,
}: Pick<TodoUpdate, "subtasks" | "progress">): { progress?: number } {
  if (subtasks.length === 0 || progress !== undefined) return {};
  const done = subtasks.map(({ status, progress: of = 0 }) => (status === "completed" ? 1 : of));
  return { progress: done.reduce((sum, one) => sum + one, 0) / subtasks.length };
}

/** A list of items as the model gave it, item by item. */
export interface Reading<Item> {
  /** All of them, if there are no problems. */
  readonly items: Item[];
  /** Every item that is an object, without the fields that could not be read. */
  readonly partial: Partial<Item>[];
  readonly problems: Problem[];
}

export interface Problem {
  readonly index: number;
  /** Where it could be read. */
  readonly id?: number;
  readonly message: string;
}

/** Reads each item on its own, so that every problem of every item can be told at once. */
export function readItems<Schema extends z.ZodObject>(
  schema: Schema,
  values: readonly unknown[],
): Reading<z.output<Schema>> {
  const reading: Reading<z.output<Schema>> = { items: [], partial: [], problems: [] };
  for (const [index, value] of values.entries()) {
    const parsed = schema.safeParse(value);
    if (parsed.success) {
      reading.items.push(parsed.data);
      reading.partial.push(parsed.data);
      continue;
    }
    const fields = isRecord(value) ? readable(schema, value, parsed.error) : undefined;
    if (fields) reading.partial.push(fields);
    const known = fields?.id;
    for (const message of messages(value, parsed.error)) {
      reading.problems.push({
        index,
        message,
        ...(typeof known === "number" ? { id: known } : {}),
      });
    }
  }
  return reading;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readable<Schema extends z.ZodObject>(
  schema: Schema,
  value: Record<string, unknown>,
  error: z.ZodError,
): Partial<z.output<Schema>> {
  const bad = new Set(error.issues.map((issue) => issue.path[0]));
  const good = Object.entries(value).filter(([field]) => !bad.has(field));
  return schema.partial().parse(Object.fromEntries(good)) as Partial<z.output<Schema>>;
}

function messages(value: unknown, error: z.ZodError): string[] {
  if (!isRecord(value)) return ["must be an object"];
  return error.issues.map((issue) => {
    const [field] = issue.path;
    if (issue.path.length === 1 && value[String(field)] === undefined) {
      return `${String(field)} is missing`;
    }
    return `${issue.path.join(".")}: ${issue.message}`;
  });
}

/** How people and models speak of a todo. */
export function nameOf(todo: { readonly id?: number; readonly title?: string }): string {
  const name = todo.id === undefined ? "A todo without an id" : `Todo ${todo.id}`;
  return todo.title === undefined || todo.title.trim() === ""
    ? name
    : `${name} ("${oneLine(todo.title)}")`;
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
