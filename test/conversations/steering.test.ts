import { describe, expect, it } from "vitest";
import { call, say } from "../support/model-server/replies.ts";
import { OwnClock } from "../support/own-clock.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";

const run = (command: string) => call("terminal_operations", { operation: "run_command", command });

describe("people who speak during a turn", () => {
  it("steer it: their words are in the next request", async () => {
    await using talk = await Talk.start();
    talk.model.script([run(`${talk.held()}; echo slow`), say("Blue it is.")]);
    await talk.say("paint it red");
    await until(() => talk.workspaces.begun.length === 1, "the command");
    await talk.say("no, blue", { by: talk.bob });
    await talk.letGo();
    await talk.sees("Blue it is.");
    await talk.rests();
    expect(talk.model.requests).toHaveLength(2);
    expect(talk.model.requests[1]?.users.join("\n")).toContain("no, blue");
    expect(talk.model.requests[1]?.users.join("\n")).toContain(talk.bob.name);
  });

  it("1.34 two quick mentions are one turn after the other", async () => {
    await using talk = await Talk.start();
    let running = 0;
    let most = 0;
    talk.model.script(async ({ users }) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 100));
      running -= 1;
      return say(
        `Answer to ${users.some((text) => text.includes("second")) ? "the second" : "the first"}.`,
      );
    });
    await talk.say("first question");
    await talk.say("second question");
    await talk.sees("Answer to the second.");
    await talk.sees("Answer to the first.");
    expect(most).toBe(1);
    expect((await talk.lines()).filter((kind) => kind === "turn.started")).toHaveLength(2);
  });

  it("can queue something for a turn of its own", async () => {
    await using talk = await Talk.start();
    talk.model.script([run(talk.held()), say("First done."), say("Second done.")]);
    await talk.say("first");
    await until(() => talk.workspaces.begun.length === 1, "the command");
    await talk.say("queue then the tests");
    await talk.letGo();
    await talk.sees("Second done.");
    expect(talk.model.requests[1]?.users.join("\n")).not.toContain("then the tests");
    expect(talk.model.requests[2]?.users.join("\n")).toContain("then the tests");
  });

  it("steer it also where something is queued already, be it a command", async () => {
    await using talk = await Talk.start();
    talk.model.script([run(talk.held()), say("Blue it is."), say("Tested.")]);
    await talk.say("paint it red");
    await until(() => talk.workspaces.begun.length === 1, "the command");
    await talk.say("queue then the tests");
    await talk.say("$ echo by myself");
    await talk.say("no, blue");
    await talk.letGo();
    await talk.sees("Tested.");
    await talk.sees("by myself");
    await talk.rests();
    expect(talk.model.requests).toHaveLength(3);
    expect(talk.model.requests[1]?.users.join("\n")).toContain("no, blue");
    expect(talk.model.requests[1]?.users.join("\n")).not.toContain("then the tests");
  });

  it("can edit what was not taken up yet, and the new words count", async () => {
    await using talk = await Talk.start();
    talk.model.script([run(talk.held()), say("First done."), say("Second done.")]);
    await talk.say("first");
    await until(() => talk.workspaces.begun.length === 1, "the command");
    const { messageId } = await talk.say("queue the wrong thing");
    await until(
      async () => (await talk.lines()).filter((kind) => kind === "message").length === 2,
      "the second message",
    );
    await talk.rig.people.edit(talk.ada, talk.thread, messageId, "queue the right thing");
    await talk.letGo();
    await talk.sees("Second done.");
    expect(talk.model.requests[2]?.users.join("\n")).toContain("the right thing");
    expect(talk.model.requests[2]?.users.join("\n")).not.toContain("the wrong thing");
  });

  it("1.36 stop it within two seconds, and the command is gone", async () => {
    await using talk = await Talk.start();
    talk.model.script([run("echo $$ > pid; exec sleep 60"), say("never said")]);
    await talk.say("sleep a while");
    const { files } = talk.workspaces.of(talk.thread);
    await until(() => /\d/.test(tryRead(() => files.read("pid"))), "the command");
    const pid = Number(files.read("pid"));
    using clock = new OwnClock();
    await talk.say("stop", { by: talk.bob });
    await talk.sees("Stopped by ");
    expect(clock.ms).toBeLessThan(2_000);
    expect(() => process.kill(pid, 0)).toThrow();
    await talk.rests();
    expect(talk.model.requests).toHaveLength(1);
  });

  it("1.36 stop it while the model is speaking and while an approval waits", async () => {
    await using talk = await Talk.start();
    talk.model.script([say("long ".repeat(200), { paceMs: 50 })]);
    await talk.say("tell me a story");
    await talk.sees("long");
    await talk.rig.people.stop(talk.ada, talk.thread);
    await talk.sees("Stopped by ");
    await until(() => talk.model.requests[0]?.aborted === true, "the end of the request");

    const filePath = talk.workspaces.of(talk.thread).files.path("../no.txt");
    talk.model.script([
      call("file_operations", { operation: "create_file", filePath, content: "" }),
    ]);
    await talk.say("write outside");
    await talk.sees("Approval needed");
    await talk.rig.people.stop(talk.ada, talk.thread);
    await until(
      () => talk.texts().filter((text) => text.includes("Stopped by ")).length === 2,
      "end",
    );
    expect(talk.cards("approval")[0]?.text).toContain("Cancelled");
    talk.model.script([say("Fresh start.")]);
    await talk.say("hello again");
    await talk.sees("Fresh start.");
    expect(talk.model.problems).toEqual([]);
  });

  it.each(["the word", "the platform's own"])(
    "1.36 stop it with %s stop before it has begun, and no model is asked",
    async (way) => {
      await using talk = await Talk.start();
      await talk.bot[Symbol.asyncDispose]();
      const looking = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      const adapter = new Proxy(talk.rig.adapter, {
        get: (target, key) => {
          const value: unknown = Reflect.get(target, key, target);
          if (typeof value !== "function") return value;
          if (key !== "earlier") return value.bind(target);
          return async (...given: unknown[]) => {
            looking.resolve();
            await goOn.promise;
            return value.apply(target, given);
          };
        },
      });
      await talk.startBot(talk.store, adapter);
      talk.model.script([say("Hello.")]);
      await talk.say("paint it red");
      await looking.promise;
      if (way === "the word") await talk.say("stop");
      else await talk.rig.people.stop(talk.ada, talk.thread);
      await until(async () => (await talk.store.inbox.pending()).length === 0, "the stop");
      goOn.resolve();
      await talk.sees("Stopped by ");
      await talk.rests();
      expect(talk.model.requests).toEqual([]);
      await talk.say("hello again");
      await talk.sees("Hello.");
      expect((await talk.lines()).filter((kind) => kind === "turn.started")).toHaveLength(2);
    },
  );

  it("are told when there is nothing to stop", async () => {
    await using talk = await Talk.start();
    await talk.say("stop");
    await talk.sees("Nothing is running in this thread.");
  });

  it("command directly, and what they see is the output", async () => {
    await using talk = await Talk.start({ withoutModel: true });
    await talk.say("$ echo hello from the workspace");
    await talk.sees(/exit code 0[\s\S]*hello from the workspace/);
    await talk.say("and now think");
    await talk.sees("No model is configured");
    expect(talk.model.requests).toEqual([]);
  });
});

function tryRead(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
