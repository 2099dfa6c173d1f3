import type { Approval } from "../../src/contract/permission/approval.ts";
import { call, say } from "./model-server/replies.ts";
import type { ModelServer } from "./model-server/server.ts";
import type { PlatformBot } from "./platform-bot.ts";

/** What the policy means at a door, cell by cell. */
export type Outcome =
  /** It was done. */
  | "runs"
  /** A card waits, and nothing was done. */
  | "asks"
  /** The wait is over without a yes. */
  | "denied"
  /** As it was before. */
  | "nothing"
  /** Not even listened to. */
  | "no entry";
export type Row = Readonly<Record<string, Outcome>>;
export type Risk = "safe" | "standard" | "elevated" | "high";

export const OUTSIDE = "/opt/elsewhere/notes.md";

const MODEL_CALLS: Readonly<Record<string, Parameters<typeof call>>> = {
  safe: ["terminal_operations", { operation: "run_command", command: "ls" }],
  standard: ["file_operations", { operation: "create_file", filePath: OUTSIDE, content: "x" }],
  elevated: ["file_operations", { operation: "delete_file", filePath: "a.txt" }],
  high: ["terminal_operations", { operation: "run_command", command: "sudo rm -rf /opt/old" }],
};

/** Lets the model make a call of the risk that it is asked for: "please elevated". */
export function obey(model: ModelServer): void {
  model.script(({ users, results }) => {
    const wanted = MODEL_CALLS[/please (\w+)/.exec(users.join("\n"))?.[1] ?? ""];
    return results.length > 0 || !wanted ? say("Done.") : call(...wanted);
  });
}

/** Lets the model do the one thing that it is asked for: "please run `ls`", or "please delete `a.txt`". */
export function obeyCommands(model: ModelServer): void {
  model.script(({ users, results }) => {
    const [, verb, target = ""] = /please (run|delete) `([^`]+)`/.exec(users.join("\n")) ?? [];
    const result = results.at(-1);
    if (result || verb === undefined) return say(`Result: ${result?.text ?? "none"}`);
    return verb === "run"
      ? call("terminal_operations", { operation: "run_command", command: target })
      : call("file_operations", { operation: "delete_file", filePath: target });
  });
}

/** Requesters approve what is not on the high list, and this person everything. */
export function approvedBy(person: string): string {
  return [
    `roles: { sre: ["${person}"] }`,
    "approvers:",
    "  - { who: [requester], risks: [standard, elevated] }",
    '  - { who: ["role:sre"], risks: [standard, elevated, high] }',
    "",
  ].join("\n");
}

interface Asked {
  readonly thread: string;
  readonly approval: Approval;
}

/** What became of a request after somebody did something about it. */
export async function outcomeOf(
  bot: PlatformBot,
  { thread, approval }: Asked,
  deed: () => Promise<unknown>,
): Promise<Outcome> {
  const { approvals } = bot.core.authorization;
  const before = JSON.stringify(await approvals.find(thread, approval.id));
  await deed();
  await bot.rests(thread);
  const after = await approvals.find(thread, approval.id);
  if (after?.decision?.choice === "deny") return "denied";
  if (bot.begunIn(thread).length > 0) return "runs";
  // Whoever may not decide changes nothing, not even the number of wrong phrases.
  return JSON.stringify(after) === before ? "asks" : "nothing";
}

/** Risk by risk, everybody at once: nobody has more than one window open at a time. */
export async function policyTable<Actor extends string>(
  actors: readonly Actor[],
  risks: readonly Risk[],
  outcome: (actor: Actor, risk: Risk) => Promise<Outcome>,
): Promise<Record<string, Row>> {
  const rows: Record<string, Record<string, Outcome>> = {};
  for (const risk of risks) {
    const cells = actors.map(async (actor) => {
      rows[actor] = { ...rows[actor], [risk]: await outcome(actor, risk) };
    });
    await Promise.all(cells);
  }
  return rows;
}

/** The same for everybody, but for these. */
export function others<Actor extends string>(
  actors: readonly Actor[],
  row: Row,
  rows: Partial<Record<Actor, Row>>,
): Record<string, Row> {
  return Object.fromEntries(actors.map((actor) => [actor, rows[actor] ?? row]));
}

/** What of a row is about these risks. */
export function rowOf(risks: readonly Risk[], row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([risk]) => risks.includes(risk as Risk)));
}

export function everywhere(columns: readonly string[], outcome: Outcome): Row {
  return Object.fromEntries(columns.map((column) => [column, outcome]));
}
