import { z } from "zod";
import type { TurnCall } from "./state.ts";

const Arguments = z.object({
  command: z.string().optional(),
  label: z.string().optional(),
  task_label: z.string().optional(),
  task: z.object({ label: z.string(), command: z.string().optional() }).optional(),
});
const Ended = z.object({ exit_code: z.number().optional(), exitCode: z.number().optional() });

/** A finished command or task as todos name it (`verifiedBy`), and whether it passed. */
export interface Check {
  readonly names: readonly string[];
  readonly hasPassed: boolean;
}

/** What a call says about the commands and tasks that it ran. One that still runs in the background says nothing. */
export function checkOf({ arguments: given, result }: TurnCall): Check | undefined {
  const args = Arguments.safeParse(typeof given === "string" ? parsed(given) : given);
  const ended = Ended.safeParse(result?.output.additionalData);
  if (!args.success || !ended.success) return undefined;
  const exitCode = ended.data.exit_code ?? ended.data.exitCode;
  if (exitCode === undefined) return undefined;
  const { command, label, task_label, task } = args.data;
  const names = [command, label, task_label, task?.label, task?.command]
    .filter((name) => name !== undefined)
    .map(checkName);
  return { names, hasPassed: exitCode === 0 };
}

/** Blanks do not tell one command from another. */
export function checkName(command: string): string {
  return command.trim().replace(/\s+/g, " ");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
