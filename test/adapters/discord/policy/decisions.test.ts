import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Human } from "../../../support/discord/human.ts";
import {
  type Asked,
  type DiscordActor,
  discordTable,
  others,
  PATIENCE_MS,
  PolicyBot,
} from "../../../support/discord/policy.ts";
import { fieldsOfModal } from "../../../support/discord/slash.ts";
import { ownSleep } from "../../../support/own-clock.ts";
import { everywhere, type Risk, rowOf } from "../../../support/policy.ts";
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
  return discordTable(risks, (actor: DiscordActor, risk) =>
    policy.decided(risk, (asked) => deed(policy.people[actor], asked)),
  );
}

async function types(human: Human, { card, action }: Asked, label: string, words: string) {
  await human.clicks(card, action(label));
  const [field = ""] = fieldsOfModal(human.window ?? {});
  if (field !== "") await human.submits({ [field]: words });
}

describe("P-A1 who decides about a request, by each door of Discord", () => {
  it("button: the high list has none that is enough", { timeout: PATIENCE_MS }, async () => {
    const seen = await door((human, { card, action }) =>
      human.clicks(card, action("Approve once")),
    );
    expect(seen).toEqual(others(UNDECIDED, { requester: BUT_HIGH, approver: BUT_HIGH }));
  });

  it("window: the phrase of the high list counts from an approver alone", {
    timeout: PATIENCE_MS,
  }, async () => {
    const seen = await door(
      (human, asked) => types(human, asked, "Approve once", asked.approval.effect.phrase ?? ""),
      ["high"],
    );
    expect(seen).toEqual(others({ high: "asks" }, { approver: { high: "runs" } }));
  });

  it("window: a reason to deny, from whoever asked and from approvers", {
    timeout: PATIENCE_MS,
  }, async () => {
    const seen = await door(
      (human, asked) => types(human, asked, "Deny with reason", "not today"),
      TWO_RISKS,
    );
    const denied = everywhere(TWO_RISKS, "denied");
    expect(seen).toEqual(
      others(rowOf(TWO_RISKS, UNDECIDED), { requester: denied, approver: denied }),
    );
  });

  it("message: a typed yes", { timeout: PATIENCE_MS }, async () => {
    const seen = await door(async (human, { channel }) => human.says(channel, "yes"), TWO_RISKS);
    const approved = rowOf(TWO_RISKS, BUT_HIGH);
    expect(seen).toEqual(
      others(rowOf(TWO_RISKS, UNDECIDED), { requester: approved, approver: approved }),
    );
  });

  it("mention: the phrase, typed", { timeout: PATIENCE_MS }, async () => {
    const seen = await door(
      async (human, { channel, approval }) => human.mentions(channel, approval.effect.phrase ?? ""),
      ["high"],
    );
    expect(seen).toEqual(others({ high: "asks" }, { approver: { high: "runs" } }));
  });

  it("slash command: a yes by /deckhand ask", { timeout: PATIENCE_MS }, async () => {
    const seen = await door(
      (human, { channel }) => human.runs(channel, "deckhand ask", { text: "yes" }),
      TWO_RISKS,
    );
    const approved = rowOf(TWO_RISKS, BUT_HIGH);
    expect(seen).toEqual(
      others(rowOf(TWO_RISKS, UNDECIDED), { requester: approved, approver: approved }),
    );
  });

  it.each<[string, (human: Human, asked: Asked) => Promise<unknown>]>([
    [
      "an edit that says yes",
      async (human, { channel }) => human.edits(human.says(channel, "hm").message, "yes"),
    ],
    ["a reaction", async (human, { card }) => human.reacts(card, "👍")],
    ["the menu of a message", (human, { card }) => human.uses("Todos of this thread", card)],
    [
      "a window that is closed",
      async (human, { card, action }) => {
        await human.clicks(card, action("Deny with reason"));
        human.closes();
      },
    ],
    [
      "a conversation of two",
      async (human) => {
        if (human.user.id !== policy.bot.discord.app.user.id) human.says(human.direct, "yes");
      },
    ],
    ["a yes in another thread", async (human) => human.mentions(policy.bot.channel, "yes")],
  ])("%s decides nothing", { timeout: PATIENCE_MS }, async (_, deed) => {
    expect(await door(deed, ONE_RISK)).toEqual(others(rowOf(ONE_RISK, UNDECIDED), {}));
  });

  it("P-A4 a card that is replayed in another channel, thread or conversation of two decides nothing", {
    timeout: PATIENCE_MS,
  }, async () => {
    const { discord } = policy.bot;
    const elsewhere = discord.channel({ name: "elsewhere" });
    const thread = policy.people.other.startsThread(elsewhere, "Another");
    const seen = await door(async (human, { card, action }) => {
      const isPerson = !human.user.isBot;
      for (const { id: channelId } of [elsewhere, thread, ...(isPerson ? [human.direct] : [])]) {
        const copy = { ...card, id: discord.world.clock.nextId(), channelId };
        discord.world.messages(channelId).push(copy);
        await human.clicks(copy, action("Approve once"));
      }
    }, ONE_RISK);
    expect(seen).toEqual(others(rowOf(ONE_RISK, UNDECIDED), {}));
  });

  it("people of other servers, who see none of it, decide nothing by writing to the bot alone", {
    timeout: PATIENCE_MS,
  }, async () => {
    const { discord } = policy.bot;
    const stranger = discord.human({ username: "stranger" }, "outside");
    for (const risk of RISKS) {
      const outcome = await policy.decided(risk, async ({ card, action, approval }) => {
        const channelId = stranger.direct.id;
        const copy = { ...card, id: discord.world.clock.nextId(), channelId };
        discord.world.messages(channelId).push(copy);
        await stranger.clicks(copy, action("Approve once"));
        stranger.says(stranger.direct, "yes");
        stranger.says(stranger.direct, approval.effect.phrase ?? "yes");
        await stranger.runs(stranger.direct, "deckhand ask", { text: "yes" });
      });
      expect(outcome).toBe("asks");
    }
  });
});

describe("P-A1 who can have something done by a mention", () => {
  it("members, as the risk permits; nobody else", { timeout: PATIENCE_MS }, async () => {
    const all = ["safe", ...RISKS] as const;
    const { bot, people } = policy;
    const seen = await discordTable(all, async (actor, risk) => {
      const { message } = people[actor].mentions(bot.channel, `please ${risk}`);
      const thread = bot.threadAt(message.id);
      await ownSleep(300);
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
