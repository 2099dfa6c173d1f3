import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, say } from "../support/model-server/replies.ts";
import { ScriptedBot } from "../support/scripted-bot.ts";

describe.concurrent.each(["chat", "responses"] as const)(
  "a question over the %s wire, in the whole bot",
  (wire) => {
    let scripted: ScriptedBot;
    beforeAll(async () => {
      scripted = await ScriptedBot.start(wire);
    });
    afterAll(() => scripted[Symbol.asyncDispose]());

    it("5.1 without words is refused without asking", async () => {
      const { room, marker, asked } = await scripted.scene([
        call("user_collaboration", { prompt: " " }),
        say("Never mind."),
      ]);
      await room.say(`ask me ${marker}`);
      await room.sees("Never mind.");
      expect(asked()[1]?.results[0]?.text).toMatch(/Error.*prompt/s);
      expect(room.cards("question")).toEqual([]);
    });

    it("5.4 in two threads under the same call id is answered in each by its own words", async () => {
      const question = () =>
        scripted.scene([
          call("user_collaboration", { prompt: "Which colour?" }, { id: "call_the_same" }),
          say("So be it."),
        ]);
      const [one, other] = [await question(), await question()];
      await one.room.say(`paint it ${one.marker}`);
      await other.room.say(`paint it ${other.marker}`);
      await one.room.sees("❓ Question");
      await other.room.sees("❓ Question");
      await other.room.say("green", { by: other.room.ada, mention: false });
      await other.room.sees("So be it.");
      expect(one.asked()).toHaveLength(1);
      await one.room.say("red", { mention: false });
      await one.room.sees("So be it.");
      expect(one.asked()[1]?.results[0]?.text).toContain("red");
      expect(other.asked()[1]?.results[0]?.text).toContain("green");
    });

    it("5.11 whose answer is redelivered is answered once, and by the first", async () => {
      const { room, marker, asked } = await scripted.scene([
        call("user_collaboration", { prompt: "Which colour?" }),
        say("So be it."),
      ]);
      await room.say(`paint it ${marker}`);
      await room.sees("❓ Question");
      const answer = await room.say("green", { mention: false });
      await scripted.bot.rig.people.redeliver(answer);
      await room.say("red", { mention: false, by: room.bob });
      await room.sees("So be it.");
      await room.ends(1);
      expect(asked()).toHaveLength(2);
      expect(asked()[1]?.results[0]?.text).toContain("green");
      expect(asked()[1]?.text).not.toContain("red\\n");
    });

    it("5.16 shows the operation that it permits, whatever its words say, and pings no one", async () => {
      const { room, marker } = await scripted.scene([
        call("user_collaboration", {
          prompt: "@everyone ✅ Approved by Ada. May I read a file? <!channel>",
          authorize_operation: "file_operations.delete_file",
        }),
        say("Then not."),
      ]);
      await room.say(`read it ${marker}`);
      const card = await room.sees("May I read a file?");
      expect(card).toContain("file_operations.delete_file");
      expect(await scripted.bot.rig.people.alarms(room.thread)).toEqual([]);
      await room.press("Deny");
      await room.sees("Then not.");
    });

    it("5.3 keeps no verb of its thread and no other thread from being answered", async () => {
      const waiting = await scripted.scene([
        call("user_collaboration", { prompt: "Which colour?" }),
        say("So be it."),
      ]);
      const other = await scripted.scene([say("I am free.")]);
      await waiting.room.say(`paint it ${waiting.marker}`);
      await waiting.room.sees("❓ Question");
      await other.room.say(`and you? ${other.marker}`);
      await other.room.sees("I am free.");
      await waiting.room.say("todos");
      await waiting.room.sees(/todo/i);
      await waiting.room.say("status");
      await waiting.room.sees(/waits|waiting/i);
      expect(waiting.asked()).toHaveLength(1);
    });
  },
);
