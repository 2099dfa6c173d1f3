import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everywhere, type Risk, rowOf } from "../../../support/policy.ts";
import type { Human } from "../../../support/slack/human.ts";
import {
  type Asked,
  others,
  PATIENCE_MS,
  PolicyBot,
  type SlackActor,
  slackTable,
} from "../../../support/slack-policy.ts";
import { isThorough } from "../../../support/thorough.ts";

let policy: PolicyBot;
beforeAll(async () => {
  policy = await PolicyBot.start();
});
afterAll(() => policy[Symbol.asyncDispose]());

const RISKS = ["standard", "elevated", "high"] as const;
/** With every change, where another door has shown all three: what a click approves, and what needs the phrase. */
const TWO_RISKS = isThorough ? RISKS : (["elevated", "high"] as const);
/** With every change, where no one decides anything: what is easiest to approve. */
const ONE_RISK = isThorough ? RISKS : (["standard"] as const);
const UNDECIDED = everywhere(RISKS, "asks");
const BUT_HIGH = { standard: "runs", elevated: "runs", high: "asks" } as const;

/** All cells of one door. */
function door(
  deed: (human: Human, asked: Asked) => Promise<unknown>,
  risks: readonly Risk[] = RISKS,
) {
  return slackTable(risks, (actor: SlackActor, risk) =>
    policy.decided(risk, (asked) => deed(policy.people[actor], asked)),
  );
}

const says = (human: Human, text: string, { root }: Asked, mention = false) =>
  policy.bot.says(human, text, { thread: root, mention });

describe("P-A1 who decides about a request, by each door of Slack", () => {
  it("block_actions: the button; the high list has none that is enough", {
    timeout: PATIENCE_MS,
  }, async () => {
    const seen = await door((human, { card, action }) =>
      human.clicks(card, action("Approve once")),
    );
    expect(seen).toEqual(others(UNDECIDED, { requester: BUT_HIGH, approver: BUT_HIGH }));
  });

  it("view_submission: the phrase of the high list counts from an approver alone", {
    timeout: PATIENCE_MS,
  }, async () => {
    const seen = await door(
      async (human, { card, action, approval }) => {
        await human.clicks(card, action("Approve once"));
        if (human.window) await human.submits({ typed: approval.effect.phrase ?? "" });
      },
      ["high"],
    );
    expect(seen).toEqual(others({ high: "asks" }, { approver: { high: "runs" } }));
  });

  it("view_submission: a reason to deny, from whoever asked and from approvers", {
    timeout: PATIENCE_MS,
  }, async () => {
    const seen = await door(async (human, { card, action }) => {
      await human.clicks(card, action("Deny with reason"));
      if (human.window) await human.submits({ typed: "not today" });
    }, TWO_RISKS);
    const denied = everywhere(TWO_RISKS, "denied");
    expect(seen).toEqual(
      others(rowOf(TWO_RISKS, UNDECIDED), { requester: denied, approver: denied }),
    );
  });

  it("view_closed: a window that is closed decides nothing", { timeout: PATIENCE_MS }, async () => {
    const seen = await door(async (human, { card, action }) => {
      await human.clicks(card, action("Deny with reason"));
      if (human.window) await human.closes();
    }, ONE_RISK);
    expect(seen).toEqual(others(rowOf(ONE_RISK, UNDECIDED), {}));
  });

  it("message: a typed yes", { timeout: PATIENCE_MS }, async () => {
    const seen = await door((human, asked) => says(human, "yes", asked), TWO_RISKS);
    const approved = rowOf(TWO_RISKS, BUT_HIGH);
    expect(seen).toEqual(
      others(rowOf(TWO_RISKS, UNDECIDED), { requester: approved, approver: approved }),
    );
  });

  it("app_mention: the phrase, typed", { timeout: PATIENCE_MS }, async () => {
    const seen = await door(
      (human, asked) => says(human, asked.approval.effect.phrase ?? "", asked, true),
      ["high"],
    );
    expect(seen).toEqual(others({ high: "asks" }, { approver: { high: "runs" } }));
  });

  it("slash command: a yes for the thread by its link", { timeout: PATIENCE_MS }, async () => {
    const seen = await door(async (human, { thread, root }) => {
      const domain = policy.bot.slack.world.team.domain;
      const place = `archives/${thread.split(":")[2]}/p${root.replace(".", "")}`;
      const { channel } = policy.bot;
      await human.runs(channel, "/deckhand", `https://${domain}.slack.com/${place} yes`);
    }, TWO_RISKS);
    const approved = rowOf(TWO_RISKS, BUT_HIGH);
    expect(seen).toEqual(
      others(rowOf(TWO_RISKS, UNDECIDED), { requester: approved, approver: approved }),
    );
  });

  it.each<[string, (human: Human, asked: Asked) => Promise<unknown>]>([
    [
      "message_changed: an edit that says yes",
      async (human, asked) => {
        const { message } = human.says(policy.bot.channel, "hm", { thread: asked.root });
        await policy.bot.arrived(human.edits(message, "yes"));
      },
    ],
    ["reaction_added: a thumb", async (human, { card }) => human.reacts(card, "+1")],
    ["shortcut at a message", async (human, { request }) => human.shortcut("todos", request)],
    ["app_home_opened", async (human) => policy.bot.arrived(human.opensHome())],
    [
      "a conversation of two",
      async (human) => {
        const { world, app } = policy.bot.slack;
        if (human.user.id === app.user.id) return;
        const direct = world.directMessage(human.user.id, app.user.id);
        await policy.bot.arrived(human.says(direct, "yes").deliveries);
      },
    ],
    ["a yes in another thread", (human) => policy.bot.says(human, "yes", { mention: true })],
  ])("%s decides nothing", { timeout: PATIENCE_MS }, async (_, deed) => {
    expect(await door(deed, ONE_RISK)).toEqual(others(rowOf(ONE_RISK, UNDECIDED), {}));
  });

  it("P-A4 a card that is replayed in another channel, thread or message decides nothing", {
    timeout: PATIENCE_MS,
  }, async () => {
    const elsewhere = policy.bot.slack.channel(Object.values(policy.people));
    const seen = await door(async (human, { card, action }) => {
      const { message } = policy.people.other.says(elsewhere, "look");
      for (const place of [
        { channel: elsewhere.id, threadTs: message.ts, ts: message.ts },
        { channel: policy.bot.channel.id, threadTs: message.ts },
      ]) {
        const copy = { ...card, ...place };
        policy.bot.slack.world.messages(copy.channel).push(copy);
        await human.clicks(copy, action("Approve once"));
      }
    }, ONE_RISK);
    expect(seen).toEqual(others(rowOf(ONE_RISK, UNDECIDED), {}));
  });
});

describe("P-A1 who can have something done by a mention", () => {
  it("members, as the risk permits; nobody else", { timeout: PATIENCE_MS }, async () => {
    const all = ["safe", ...RISKS] as const;
    const seen = await slackTable(all, async (actor, risk) => {
      const { bot, people } = policy;
      const { message } = await bot.says(people[actor], `please ${risk}`, { mention: true });
      const thread = bot.threadAt(message.ts);
      await bot.rests(thread);
      const waiting = await bot.core.authorization.approvals.waiting(thread);
      if (waiting.length > 0) return "asks";
      return bot.begunIn(thread).length > 0 ? "runs" : "nothing";
    });
    const member = { ...UNDECIDED, safe: "runs" } as const;
    expect(seen).toEqual(
      others(everywhere(all, "nothing"), { requester: member, approver: member, other: member }),
    );
  });
});
