import { ownSleep } from "../own-clock.ts";
import {
  approvedBy,
  type Outcome,
  obey,
  others as othersOf,
  outcomeOf,
  policyTable,
  type Risk,
  type Row,
} from "../policy.ts";
import { until } from "../until.ts";
import { DiscordBot } from "./bot.ts";
import type { Human } from "./human.ts";
import type { Seen } from "./screen.ts";

export const PATIENCE_MS = 240_000;

const SAM = "900000000000000001";

/** Whoever asks, an approver, another member, and those who may decide nothing. */
const ACTORS = [
  ...(["requester", "approver", "other", "guest"] as const),
  ...(["silenced", "bot", "own bot"] as const),
];
export type DiscordActor = (typeof ACTORS)[number];

/** A bot whose model makes a call of the risk that it is asked for, and everybody on its server. */
export class PolicyBot implements AsyncDisposable {
  readonly bot: DiscordBot;
  readonly people: Readonly<Record<DiscordActor, Human>>;

  private constructor(bot: DiscordBot) {
    const { discord } = bot;
    this.bot = bot;
    this.people = {
      requester: discord.human({ username: "ada" }),
      approver: discord.human({ id: SAM, username: "sam" }),
      other: discord.human({ username: "bob" }),
      guest: discord.human({ username: "gus" }, { flags: 1 << 4 }),
      silenced: discord.human({ username: "dan" }, { silencedUntil: "2099-01-01T00:00:00Z" }),
      bot: discord.human({ username: "robo", isBot: true }),
      "own bot": discord.human({ id: discord.app.user.id }),
    };
  }

  static async start(): Promise<PolicyBot> {
    const bot = await DiscordBot.start({
      policy: ({ guild }) => approvedBy(`discord:${guild.id}:${SAM}`),
    });
    // So many threads at once are nobody's everyday life.
    bot.discord.rates.isEnforced = false;
    obey(bot.model);
    return new PolicyBot(bot);
  }

  /** A card in a thread of its own, which waits for an answer to the requester's request. */
  async asked(risk: Risk) {
    const { bot, people } = this;
    const begun = await bot.begins(people.requester, `please ${risk}`);
    const { thread, channel } = begun;
    const card = (): Seen | undefined =>
      bot
        .sees(people.requester, channel)
        .find(({ buttons }) => buttons.some(({ label }) => label === "Approve once"));
    await until(() => card() !== undefined, `the card: ${risk}`, { withinMs: 60_000 });
    const [waiting] = await bot.core.authorization.approvals.waiting(thread);
    const seen = card();
    if (!waiting || !seen) throw new Error("The card is gone.");
    const action = (label: string) =>
      seen.buttons.find((button) => button.label === label)?.value ?? "";
    return { ...begun, approval: waiting.approval, card: seen.message, action };
  }

  /** What became of a request of this risk after somebody did something about it. */
  async decided(risk: Risk, deed: (asked: Asked) => Promise<unknown>): Promise<Outcome> {
    const asked = await this.asked(risk);
    return outcomeOf(this.bot, asked, async () => {
      await deed(asked);
      // Nobody says when a message has arrived: one that comes behind it tells.
      await this.bot.adapter.link(asked.thread);
      await ownSleep(150);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bot[Symbol.asyncDispose]();
  }
}

export type Asked = Awaited<ReturnType<PolicyBot["asked"]>>;

export function discordTable(
  risks: readonly Risk[],
  outcome: (actor: DiscordActor, risk: Risk) => Promise<Outcome>,
): Promise<Record<string, Row>> {
  return policyTable(ACTORS, risks, outcome);
}

/** The same for everybody, but for these. */
export function others(row: Row, rows: Partial<Record<DiscordActor, Row>>): Record<string, Row> {
  return othersOf(ACTORS, row, rows);
}
