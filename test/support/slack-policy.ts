import {
  approvedBy,
  type Outcome,
  obey,
  others as othersOf,
  outcomeOf,
  policyTable,
  type Risk,
  type Row,
} from "./policy.ts";
import type { Human, Seen } from "./slack/human.ts";
import { SlackBot } from "./slack-bot.ts";
import { until } from "./until.ts";

export const PATIENCE_MS = 240_000;

/** Whoever asks, an approver, another member, and those who may decide nothing. */
const ACTORS = [
  ...(["requester", "approver", "other", "guest"] as const),
  ...(["external team", "deactivated", "bot", "own bot"] as const),
];
export type SlackActor = (typeof ACTORS)[number];

/** A bot whose model makes a call of the risk that it is asked for, and everybody in its channel. */
export class PolicyBot implements AsyncDisposable {
  readonly bot: SlackBot;
  readonly people: Readonly<Record<SlackActor, Human>>;

  private constructor(bot: SlackBot) {
    this.bot = bot;
    this.people = {
      requester: bot.human({ name: "ada" }),
      approver: bot.human({ id: "U0SAM", name: "sam" }),
      other: bot.human({ name: "bob" }),
      guest: bot.human({ kind: "guest", name: "gus" }),
      "external team": bot.human({ kind: "external", name: "eve" }),
      deactivated: bot.human({ kind: "deactivated", name: "dan" }),
      bot: bot.human({ kind: "bot", name: "robo", botId: "B0ROBO", appId: "A0ROBO" }),
      "own bot": bot.human(bot.slack.app.user),
    };
  }

  static async start(): Promise<PolicyBot> {
    const bot = await SlackBot.start({
      policy: ({ world }) => approvedBy(`slack:${world.team.id}:U0SAM`),
    });
    // So many threads at once are nobody's everyday life.
    bot.slack.rates.isEnforced = false;
    obey(bot.model);
    return new PolicyBot(bot);
  }

  /** A card in a thread of its own, which waits for an answer to the requester's request. */
  async asked(risk: Risk) {
    const { bot, people } = this;
    const { message } = await bot.says(people.requester, `please ${risk}`, { mention: true });
    const thread = bot.threadAt(message.ts);
    const card = (): Seen | undefined =>
      bot
        .sees(people.requester, message.ts)
        .find(({ buttons }) => buttons.some(({ label }) => label === "Approve once"));
    await until(() => card() !== undefined, `the card: ${risk}`, { withinMs: 60_000 });
    const [waiting] = await bot.core.authorization.approvals.waiting(thread);
    const seen = card();
    if (!waiting || !seen) throw new Error("The card is gone.");
    const action = (label: string) =>
      seen.buttons.find((button) => button.label === label)?.value ?? "";
    const { approval } = waiting;
    return { root: message.ts, request: message, thread, approval, card: seen.message, action };
  }

  /** What became of a request of this risk after somebody did something about it. */
  async decided(risk: Risk, deed: (asked: Asked) => Promise<unknown>): Promise<Outcome> {
    const asked = await this.asked(risk);
    return outcomeOf(this.bot, asked, () => deed(asked));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bot[Symbol.asyncDispose]();
  }
}

export type Asked = Awaited<ReturnType<PolicyBot["asked"]>>;

export function slackTable(
  risks: readonly Risk[],
  outcome: (actor: SlackActor, risk: Risk) => Promise<Outcome>,
): Promise<Record<string, Row>> {
  return policyTable(ACTORS, risks, outcome);
}

/** The same for everybody, but for these. */
export function others(row: Row, rows: Partial<Record<SlackActor, Row>>): Record<string, Row> {
  return othersOf(ACTORS, row, rows);
}
