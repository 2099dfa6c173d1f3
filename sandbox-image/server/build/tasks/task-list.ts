import type { Task } from "./command-line.ts";

const MOST_TASKS = 200;

/** The tasks that conversations defined, in memory. */
export class TaskLists {
  readonly #lists = new Map<string, Map<string, Task>>();

  /** Adds a task, or takes the place of the one with its label. */
  set(conversation: string, task: Task): void {
    const list = this.#lists.get(conversation) ?? new Map<string, Task>();
    list.delete(task.label);
    list.set(task.label, task);
    for (const oldest of [...list.keys()].slice(0, -MOST_TASKS)) list.delete(oldest);
    this.#lists.set(conversation, list);
  }

  all(conversation: string): Task[] {
    return [...(this.#lists.get(conversation)?.values() ?? [])];
  }
}
