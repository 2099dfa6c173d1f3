import { until } from "../contracts/adapter/rig.ts";
import { call, say } from "./model-server/replies.ts";
import type { Human, Seen } from "./slack/human.ts";
import { SlackBot } from "./slack-bot.ts";
import type { Outcome, Risk, Row } from "./web-policy.ts";

export const PATIENCE_MS = 240_000;

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
      policy: ({ world }) =>
        [
          `roles: { sre: ["slack:${world.team.id}:U0SAM"] }`,
          "approvers:",
          "  - { who: [requester], risks: [standard, elevated] }",
          '  - { who: ["role:sre"], risks: [standard, elevated, high] }',
          "",
        ].join("\n"),
    });
    // So many threads at once are nobody's everyday life.
    bot.slack.rates.isEnforced = false;
    bot.model.script(({ users, results }) => {
      const wanted = MODEL_CALLS[/please (\w+)/.exec(users.join("\n"))?.[1] ?? ""];
      return results.length > 0 || !wanted ? say("Done.") : call(...wanted);
    });
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
    await until(() => card() !== undefined, `the card: ${risk}`, 60_000);
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
    const { thread, approval } = asked;
    const { approvals } = this.bot.core.authorization;
    const before = JSON.stringify(await approvals.find(thread, approval.id));
    await deed(asked);
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
export async function slackTable(
  risks: readonly Risk[],
  outcome: (actor: SlackActor, risk: Risk) => Promise<Outcome>,
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
export function others(row: Row, rows: Partial<Record<SlackActor, Row>>): Record<string, Row> {
  return Object.fromEntries(ACTORS.map((actor) => [actor, rows[actor] ?? row]));
}
