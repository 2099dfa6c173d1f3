import { until } from "../../contracts/adapter/rig.ts";
import { call, say } from "../model-server/replies.ts";
import { ownSleep } from "../own-clock.ts";
import type { Outcome, Risk, Row } from "../web-policy.ts";
import { DiscordBot } from "./bot.ts";
import type { Human } from "./human.ts";
import type { Seen } from "./screen.ts";

export const PATIENCE_MS = 240_000;

const SAM = "900000000000000001";
const OUTSIDE = "/opt/elsewhere/notes.md";

const MODEL_CALLS: Readonly<Record<string, Parameters<typeof call>>> = {
  safe: ["terminal_operations", { operation: "run_command", command: "ls" }],
  standard: ["file_operations", { operation: "create_file", filePath: OUTSIDE, content: "x" }],
  elevated: ["file_operations", { operation: "delete_file", filePath: "a.txt" }],
  high: ["terminal_operations", { operation: "run_command", command: "sudo id" }],
};

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
      policy: ({ guild }) =>
        [
          `roles: { sre: ["discord:${guild.id}:${SAM}"] }`,
          "approvers:",
          "  - { who: [requester], risks: [standard, elevated] }",
          '  - { who: ["role:sre"], risks: [standard, elevated, high] }',
          "",
        ].join("\n"),
    });
    // So many threads at once are nobody's everyday life.
    bot.discord.rates.isEnforced = false;
    bot.model.script(({ users, results }) => {
      const wanted = MODEL_CALLS[/please (\w+)/.exec(users.join("\n"))?.[1] ?? ""];
      return results.length > 0 || !wanted ? say("Done.") : call(...wanted);
    });
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
    await until(() => card() !== undefined, `the card: ${risk}`, 60_000);
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
    const { thread, approval } = asked;
    const { approvals } = this.bot.core.authorization;
    const before = JSON.stringify(await approvals.find(thread, approval.id));
    await deed(asked);
    // Nobody says when a message has arrived: one that comes behind it tells.
    await this.bot.adapter.link(thread);
    await ownSleep(150);
    await this.bot.rests(thread);
    const after = await approvals.find(thread, approval.id);
    if (after?.decision?.choice === "deny") return "denied";
    if (this.bot.begunIn(thread).length > 0) return "runs";
    // Whoever may not decide changes nothing, not even the number of wrong phrases.
    return JSON.stringify(after) === before ? "asks" : "nothing";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bot[Symbol.asyncDispose]();
  }
}

export type Asked = Awaited<ReturnType<PolicyBot["asked"]>>;

/** Risk by risk, everybody at once: nobody has more than one window open at a time. */
export async function discordTable(
  risks: readonly Risk[],
  outcome: (actor: DiscordActor, risk: Risk) => Promise<Outcome>,
): Promise<Record<string, Row>> {
  const rows: Record<string, Record<string, Outcome>> = {};
  for (const risk of risks) {
    const cells = ACTORS.map(async (actor) => {
      rows[actor] = { ...rows[actor], [risk]: await outcome(actor, risk) };
    });
    await Promise.all(cells);
  }
  return rows;
}

/** The same for everybody, but for these. */
export function others(row: Row, rows: Partial<Record<DiscordActor, Row>>): Record<string, Row> {
  return Object.fromEntries(ACTORS.map((actor) => [actor, rows[actor] ?? row]));
}
