import type { SlackAdapter } from "../../adapters/slack/index.ts";
import { encodeThread } from "../../adapters/slack/thread.ts";
import type { Receipt } from "../../src/contract/platform/adapter.ts";
import type { Incoming } from "../../src/contract/platform/incoming.ts";
import type { Human, Seen } from "./slack/human.ts";
import type { CallRecord } from "./slack/web-api.ts";
import type { SlackChannel } from "./slack/world.ts";
import { openSlackRig, type SlackRig, type SlackRigOptions, slackAdapter } from "./slack-rig.ts";
import { until } from "./until.ts";

/** The adapter at work, with a core that only notes what it is told, and Ada in a channel. */
export class SlackLab implements AsyncDisposable {
  readonly rig: SlackRig;
  readonly ada: Human;
  readonly channel: SlackChannel;
  readonly incoming: Incoming[] = [];
  reconnects = 0;
  readonly #others: SlackAdapter[] = [];
  receive: (incoming: Incoming) => Promise<Receipt> = async (incoming) => {
    this.incoming.push(incoming);
    return { outcome: "accepted" };
  };

  private constructor(rig: SlackRig) {
    this.rig = rig;
    this.ada = rig.slack.human({ name: "ada" });
    this.channel = rig.slack.channel([this.ada]);
  }

  static async start(options: SlackRigOptions = {}): Promise<SlackLab> {
    const rig = await openSlackRig(options);
    const lab = new SlackLab(rig);
    await rig.adapter.start(
      (incoming) => lab.receive(incoming),
      () => {
        lab.reconnects += 1;
      },
    );
    return lab;
  }

  get slack() {
    return this.rig.slack;
  }

  get adapter() {
    return this.rig.adapter;
  }

  /** The same bot in another process: it has the same store, and knows nothing else. In HTTP mode Slack calls it from here on. */
  async another(): Promise<SlackAdapter> {
    return this.anotherLater()();
  }

  /** Its settings are those of now; it starts when it is called. */
  anotherLater(): () => Promise<SlackAdapter> {
    const { documents, mode } = this.rig;
    const other = slackAdapter(this.slack, { mode, documents, log: () => undefined });
    this.#others.push(other);
    return async () => {
      await other.start((incoming) => this.receive(incoming));
      return other;
    };
  }

  /** Ada mentions the bot; the thread that hangs below it. */
  async thread(text = "hello"): Promise<{ thread: string; root: string }> {
    const before = this.incoming.length;
    const { message } = this.ada.says(this.channel, text, { mention: true });
    await this.heard(before + 1);
    return { thread: this.threadAt(message.ts), root: message.ts };
  }

  threadAt(root: string, channel: SlackChannel = this.channel): string {
    return encodeThread({ team: this.slack.world.team.id, channel: channel.id, root });
  }

  async heard(events: number): Promise<Incoming[]> {
    await until(() => this.incoming.length >= events, `${events} events`);
    return this.incoming;
  }

  /** What Ada sees of the bot in a thread, whispers among it. */
  sees(root: string, human: Human = this.ada): Seen[] {
    return human
      .sees(this.channel, root)
      .filter(({ message }) => message.user === this.slack.app.user.id);
  }

  /** What somebody sees of the bot's whispers beside all threads. */
  whispers(human: Human = this.ada): Seen[] {
    return human.sees(this.channel).filter(({ isWhisper }) => isWhisper);
  }

  calls(method: string): readonly CallRecord[] {
    return this.slack.calls.filter((call) => call.method === method);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const other of this.#others) await other[Symbol.asyncDispose]();
    await this.rig[Symbol.asyncDispose]();
  }
}
