import { afterEach, describe, expect, it } from "vitest";
import { encodeThread } from "../../../adapters/slack/thread.ts";
import { say } from "../../support/model-server/replies.ts";
import { SlackBot } from "../../support/slack-bot.ts";

let bot: SlackBot;
afterEach(() => bot[Symbol.asyncDispose]());

describe("a conversation of two on Slack", () => {
  it("keeps its history, whether or not people reply in a thread", async () => {
    bot = await SlackBot.start();
    const ada = bot.human({ name: "ada" });
    const { world, app } = bot.slack;
    const direct = world.directMessage(ada.user.id, app.user.id);
    const tells = async (text: string) => {
      const { message, deliveries } = ada.says(direct, text);
      await bot.arrived(deliveries);
      const place = { team: world.team.id, channel: direct.id, root: message.ts };
      await bot.rests(encodeThread(place));
    };
    bot.model.script([say("I will remember the blue door."), say("It is blue.")]);
    await tells("Our door is painted.");
    await tells("Which colour has it?");
    const [, second] = bot.model.requests;
    const told = second?.users.join("\n") ?? "";
    expect(told).toContain("Our door is painted.");
    expect(told).toContain("I will remember the blue door.");
    expect(bot.problems).toEqual([]);
  });
});
