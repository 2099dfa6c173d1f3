import { SlackServer } from "../../test/support/slack/server.ts";
import { fromManifest, slackEnv } from "../../test/support/slack-rig.ts";
import { benchDoor } from "./door.ts";
import { DONE } from "./threads-script.ts";

const CHANNELS = 20;

/** Until Slack is told that an event has arrived. */
export async function benchSlack() {
  await using slack = await SlackServer.start(fromManifest());
  return await benchDoor(() => {
    const channels = Array.from({ length: CHANNELS }, () => slack.channel());
    return {
      env: slackEnv(slack),
      rates: slack.rates,
      mention: (words, index) => {
        const channel = channels[index % CHANNELS];
        if (!channel) throw new Error("There is no channel.");
        const human = slack.human();
        channel.members.add(human.user.id);
        const { message, deliveries } = human.says(channel, words, { mention: true });
        return {
          isAcknowledged: () => deliveries.every(({ isAcknowledged }) => isAcknowledged),
          isAnswered: () => human.sees(channel, message.ts).some(({ text }) => text.includes(DONE)),
        };
      },
    };
  });
}
