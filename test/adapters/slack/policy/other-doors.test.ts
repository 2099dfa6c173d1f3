import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everywhere, type Risk, type Row } from "../../../support/policy.ts";
import type { Human, SayOptions } from "../../../support/slack/human.ts";
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

/** With every change what a click approves and what needs the phrase; decisions.test.ts has all risks. */
const RISKS: readonly Risk[] = isThorough ? ["standard", "elevated", "high"] : ["elevated", "high"];
/** With every change, where no one decides anything: what is easiest to approve. */
const ONE_RISK: readonly Risk[] = isThorough ? RISKS : ["standard"];
const UNDECIDED = everywhere(RISKS, "asks");
const BUT_HIGH: Row = Object.fromEntries(
  RISKS.map((risk) => [risk, risk === "high" ? "asks" : "runs"]),
);

/** All cells of one door. */
function door(deed: (human: Human, asked: Asked) => Promise<unknown>, risks = RISKS) {
  return slackTable(risks, (actor: SlackActor, risk) =>
    policy.decided(risk, (asked) => deed(policy.people[actor], asked)),
  );
}

/** The list of threads in which this one can be chosen. */
const offered = (human: Human, root: string) =>
  human
    .sees(policy.bot.channel)
    .find(({ isWhisper, buttons }) => isWhisper && buttons.some(({ value }) => value === root));

describe("P-A1 who decides about a request, by the less trodden doors of Slack", () => {
  it.each<[string, SayOptions]>([
    ["file_share: a yes with a file", { files: [{ name: "a.txt", bytes: new Uint8Array([1]) }] }],
    ["thread_broadcast: a yes that is shown in the channel as well", { broadcast: true }],
  ])("%s", { timeout: PATIENCE_MS }, async (_, how) => {
    const seen = await door((human, { root }) =>
      policy.bot.says(human, "yes", { thread: root, ...how }),
    );
    expect(seen).toEqual(others(UNDECIDED, { requester: BUT_HIGH, approver: BUT_HIGH }));
  });

  it("view_submission: a yes in the window that asks about a message", {
    timeout: PATIENCE_MS,
  }, async () => {
    const seen = await door(async (human, { request }) => {
      await human.shortcut("ask", request);
      await human.submits({ typed: "yes" });
    });
    expect(seen).toEqual(others(UNDECIDED, { requester: BUT_HIGH, approver: BUT_HIGH }));
  });

  it("block_actions: a yes for the thread that was chosen from a list", {
    timeout: PATIENCE_MS,
  }, async () => {
    // So that there is something to choose from.
    for (let thread = 0; thread < 2; thread += 1)
      await policy.bot.says(policy.people.requester, "please nothing", { mention: true });
    const seen = await door(async (human, { root }) => {
      await human.runs(policy.bot.channel, "/deckhand", "yes");
      const picker = offered(human, root);
      if (picker) await human.clicks(picker.message, root);
    });
    // Only to whoever has a part in the thread is it offered.
    expect(seen).toEqual(others(UNDECIDED, { requester: BUT_HIGH }));
  });

  it.each<[string, (human: Human, asked: Asked) => Promise<unknown>]>([
    [
      "message_deleted: the end of a yes",
      async (human, asked) => {
        const { message } = human.says(policy.bot.channel, "hm", { thread: asked.root });
        await policy.bot.arrived(human.deletes(message));
      },
    ],
    [
      "channel_join",
      async (human) => policy.bot.arrived(human.joins(policy.bot.channel).deliveries),
    ],
    ["shortcut for all threads", async (human) => human.shortcut("threads")],
    [
      "block_actions: a button of the home tab's kind, which is none of ours",
      async (human, { card, action }) => {
        const copy = { ...card, blocks: card.blocks.map((block) => ({ ...block, block_id: "x" })) };
        policy.bot.slack.world.messages(copy.channel).push(copy);
        await human.clicks(copy, action("Approve once"));
      },
    ],
  ])("%s decides nothing", { timeout: PATIENCE_MS }, async (_, deed) => {
    expect(await door(deed, ONE_RISK)).toEqual(others(everywhere(ONE_RISK, "asks"), {}));
  });

  it("agent_session_stopped: Slack's own Stop ends the wait of members, and of nobody else", {
    timeout: PATIENCE_MS,
  }, async () => {
    const seen = await door(async (human, { root }) => {
      const { world } = policy.bot.slack;
      world.sessions.set(`${policy.bot.channel.id}:${root}`, { status: "processing", title: "" });
      await policy.bot.arrived(human.stops(policy.bot.channel, root));
    });
    const over = everywhere(RISKS, "nothing");
    expect(seen).toEqual(others(UNDECIDED, { requester: over, approver: over, other: over }));
  });
});
