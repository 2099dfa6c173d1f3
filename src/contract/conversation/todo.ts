import { z } from "zod";
import type { DeepReadonly } from "../../lib/deep-readonly.ts";

export const TodoStatus = z.enum(["not-started", "in-progress", "completed", "blocked"]);
export type TodoStatus = z.infer<typeof TodoStatus>;

export const TodoPriority = z.enum(["low", "medium", "high", "critical"]);

/** One thing the agent has set itself to do. */
export const Todo = z.object({
  id: z.int().positive(),
  title: z.string(),
  description: z.string(),
  status: TodoStatus,
  priority: TodoPriority.exactOptional(),
  dependencies: z.array(z.int()).exactOptional(),
  canRunParallel: z.boolean().exactOptional(),
  parallelGroup: z.string().exactOptional(),
  progress: z.number().exactOptional(),
  blockedReason: z.string().exactOptional(),
  subtasks: z
    .array(
      z.object({
        id: z.union([z.int(), z.string()]),
        title: z.string(),
        status: TodoStatus,
        progress: z.number().exactOptional(),
      }),
    )
    .exactOptional(),
  /** How long it should take. */
  estimatedMinutes: z.number().exactOptional(),
  /** A command or task: once it passes, the todo is probably done. */
  verifiedBy: z.string().exactOptional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** Set while it is in progress. */
  startedAt: z.string().exactOptional(),
  /** How long it was in progress before, in all. */
  workedMs: z.number().exactOptional(),
});
export type Todo = DeepReadonly<z.infer<typeof Todo>>;

export const TodoList = z.object({
  conversation: z.string(),
  items: z.array(Todo),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type TodoList = DeepReadonly<z.infer<typeof TodoList>>;

/** The todo list of each conversation, kept in its journal. */
export interface Todos {
  read(conversation: string): Promise<TodoList | undefined>;
  /** Durable once it resolves; everybody who watches is told. */
  write(list: TodoList): Promise<void>;
}
