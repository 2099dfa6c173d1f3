import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approvalAction } from "../../../../src/contract/platform/view-actions.ts";
import { everywhere, type Outcome, type Risk, rowOf } from "../../../support/policy.ts";
import { isThorough } from "../../../support/thorough.ts";
import { until } from "../../../support/until.ts";
import type { WebBot } from "../../../support/web-bot.ts";
import {
  ACTORS,
  cell,
  obedientBot,
  PATIENCE_MS,
  strangers,
  table,
} from "../../../support/web-policy.ts";

let bot: WebBot;
beforeAll(async () => {
  bot = await obedientBot();
});
afterAll(() => bot[Symbol.asyncDispose]());

describe("P-A1 what is decided about Ada's request", () => {
  const RISKS = ["standard", "elevated", "high"] as const;
  /** With every change, where another door has shown all three: what a click approves, and what needs the phrase. */
  const TWO_RISKS = isThorough ? RISKS : (["elevated", "high"] as const);
  /** With every change, where no one decides anything: what is easiest to approve. */
  const ONE_RISK = isThorough ? RISKS : (["standard"] as const);

  /** A card in a thread of its own, which waits. */
  async function asked(risk: Risk) {
    const thread = await bot.thread();
    await bot.say("ada", thread, `please ${risk}`);
    const waiting = () => bot.core.authorization.approvals.waiting(thread);
    await until(async () => (await waiting()).length === 1, `the card: ${risk}`, {
      withinMs: 60_000,
    });
    const [first] = await waiting();
    if (!first) throw new Error("The card is gone.");
    return { thread, approval: first.approval };
  }

  async function decided(
    risk: Risk,
    deed: (card: Awaited<ReturnType<typeof asked>>) => Promise<{ readonly status: number }>,
  ): Promise<Outcome> {
    const card = await asked(risk);
    const outcome = await cell(bot, () => deed(card), card.thread);
    const { decision } = (await bot.core.authorization.approvals.find(
      card.thread,
      card.approval.id,
    )) ?? { decision: undefined };
    return decision?.choice === "deny" ? "denied" : outcome;
  }

  const UNDECIDED = everywhere(RISKS, "asks");
  const BY_REQUESTER_AND_OWNER = { standard: "runs", elevated: "runs", high: "asks" } as const;

  it("by the button; the high list has none that is enough", { timeout: PATIENCE_MS }, async () => {
    const seen = await table(ACTORS, RISKS, (actor, risk) =>
      decided(risk, ({ thread, approval }) =>
        bot.click(actor, thread, approvalAction(approval.id, "once")),
      ),
    );
    expect(seen).toEqual({
      owner: BY_REQUESTER_AND_OWNER,
      ada: BY_REQUESTER_AND_OWNER,
      bob: UNDECIDED,
      gus: UNDECIDED,
      ...strangers(RISKS),
    });
  });

  it("by the form with the phrase: of the high list only the owner", {
    timeout: PATIENCE_MS,
  }, async () => {
    const seen = await table(ACTORS, RISKS, (actor, risk) =>
      decided(risk, ({ thread, approval }) => {
        const phrase = approval.effect.phrase ?? "yes";
        return bot.click(actor, thread, approvalAction(approval.id, "once"), phrase);
      }),
    );
    expect(seen).toEqual({
      owner: everywhere(RISKS, "runs"),
      ada: BY_REQUESTER_AND_OWNER,
      bob: UNDECIDED,
      gus: UNDECIDED,
      ...strangers(RISKS),
    });
  });

  it("by the form with a reason: whoever asked may take it back", {
    timeout: PATIENCE_MS,
  }, async () => {
    const seen = await table(ACTORS, TWO_RISKS, (actor, risk) =>
      decided(risk, ({ thread, approval }) =>
        bot.click(actor, thread, approvalAction(approval.id, "deny", { asksReason: true }), "no!"),
      ),
    );
    expect(seen).toEqual({
      owner: everywhere(TWO_RISKS, "denied"),
      ada: everywhere(TWO_RISKS, "denied"),
      bob: rowOf(TWO_RISKS, UNDECIDED),
      gus: rowOf(TWO_RISKS, UNDECIDED),
      ...strangers(TWO_RISKS),
    });
  });

  it("by a typed yes", { timeout: PATIENCE_MS }, async () => {
    const seen = await table(ACTORS, TWO_RISKS, (actor, risk) =>
      decided(risk, ({ thread }) => bot.say(actor, thread, "yes")),
    );
    expect(seen).toEqual({
      owner: rowOf(TWO_RISKS, BY_REQUESTER_AND_OWNER),
      ada: rowOf(TWO_RISKS, BY_REQUESTER_AND_OWNER),
      bob: rowOf(TWO_RISKS, UNDECIDED),
      gus: rowOf(TWO_RISKS, UNDECIDED),
      ...strangers(TWO_RISKS),
    });
  });

  it("never by an edit, nor by a click that belongs to another thread", {
    timeout: PATIENCE_MS,
  }, async () => {
    const seen = await table(["owner", "ada"], ONE_RISK, (actor, risk) =>
      decided(risk, async ({ thread, approval }) => {
        const id = crypto.randomUUID();
        const at = `/api/threads/${thread}/messages`;
        await bot.ask(actor, "POST", at, { id, text: "/todos" });
        const text = approval.effect.phrase ?? "yes";
        await bot.ask(actor, "PATCH", `${at}/m${id}`, { id: crypto.randomUUID(), text });
        const other = await bot.thread();
        return bot.click(actor, other, approvalAction(approval.id, "once"), text);
      }),
    );
    expect(seen).toEqual({
      owner: rowOf(ONE_RISK, UNDECIDED),
      ada: rowOf(ONE_RISK, UNDECIDED),
    });
  });
});
