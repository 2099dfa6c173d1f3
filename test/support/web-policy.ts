import { expect } from "vitest";
import { everywhere, type Outcome, obey, type Row } from "./policy.ts";
import { type WebActor, WebBot } from "./web-bot.ts";

export const PATIENCE_MS = 120_000;
/** The owner, whoever asks, another member, a guest, and two who are nobody. */
export const ACTORS = ["owner", "ada", "bob", "gus", "bad token", "no token"] as const;
/** Where nobody has asked before, one member is like the other. */
export const ONE_OF_EACH = ["owner", "ada", "gus", "bad token", "no token"] as const;
/** A bot whose model makes a call of the risk that it is asked for: "please elevated". */
export async function obedientBot(): Promise<WebBot> {
  const bot = await WebBot.start();
  obey(bot.model);
  return bot;
}

export async function look(bot: WebBot, thread: string): Promise<Outcome> {
  await bot.rests(thread);
  const waiting = await bot.core.authorization.approvals.waiting(thread);
  if (waiting.length > 0) return "asks";
  return bot.begunIn(thread).length > 0 ? "runs" : "nothing";
}

/** Whether somebody was let in, and what came of it; in a thread of its own, unless one is given. */
export async function cell(
  bot: WebBot,
  deed: (thread: string) => Promise<{ readonly status: number }>,
  thread?: string,
): Promise<Outcome> {
  const place = thread ?? (await bot.thread());
  const { status } = await deed(place);
  const outcome = await look(bot, place);
  if (status !== 401) return outcome;
  expect(["nothing", "asks"]).toContain(outcome);
  return "no entry";
}

/** All cells at once. */
export async function table<Key extends string>(
  actors: readonly WebActor[],
  columns: readonly Key[],
  outcome: (actor: WebActor, column: Key) => Promise<Outcome>,
): Promise<Record<string, Row>> {
  const rows = actors.map(async (actor) => {
    const cells = columns.map(async (column) => [column, await outcome(actor, column)] as const);
    return [actor, Object.fromEntries(await Promise.all(cells))] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}

/** Nobodies are nobodies, whatever they try. */
export function strangers(columns: readonly string[]): Record<string, Row> {
  return {
    "bad token": everywhere(columns, "no entry"),
    "no token": everywhere(columns, "no entry"),
  };
}
