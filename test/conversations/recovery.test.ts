import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { StoreError } from "../../src/contract/store.ts";
import type { Workspaces } from "../../src/contract/workspace/workspace.ts";
import { single } from "../src/tools/support/lab.ts";
import { Doom } from "../support/doom.ts";
import { LocalWorkspaces } from "../support/local-workspaces.ts";
import { call, calls, say } from "../support/model-server/replies.ts";
import type { SeenRequest } from "../support/model-server/seen.ts";
import { Talk } from "../support/talk.ts";
import { caseCount } from "../support/thorough.ts";
import { until } from "../support/until.ts";

/** One after the other, by how far the conversation has come. */
function script({ results }: SeenRequest) {
  if (results.length === 0) {
    return calls([
      ["file_operations", { operation: "create_file", filePath: "../outside.txt", content: "x" }],
      ["terminal_operations", { operation: "run_command", command: "echo once >> effects" }],
    ]);
  }
  if (results.length === 2) {
    const newTodos = [{ title: "Tell them", description: "what was done" }];
    return call("todo_operations", { operation: "add", newTodos });
  }
  return say("All of it is done.");
}

/** The person of this story: approves as soon as there is a button, and waits for the answer. */
async function follow(talk: Talk, isDead: () => boolean): Promise<"done" | "dead"> {
  let clicked = "";
  await until(
    async () => {
      if (isDead()) return true;
      const card = talk.cards("approval").at(-1);
      const button = card?.buttons.find(({ label }) => label === "Approve once");
      if (card && button && clicked !== card.post) {
        clicked = card.post;
        const { post } = card;
        await talk.rig.people.click(talk.ada, talk.thread, { post, action: button.action });
      }
      return (await talk.lines()).includes("turn.shown");
    },
    "the end of the turn",
    { withinMs: 45_000 },
  );
  return isDead() ? "dead" : "done";
}

/** What is dead cannot close properly, either. */
function ofTheDead(error: unknown): void {
  if (!(error instanceof StoreError)) throw error;
}

describe("a bot that is killed", () => {
  it("P-D1 P-D2 P-D3 after a write goes on: every effect once, one card, one answer", async () => {
    await using talk = await Talk.start({ wire: "chat" });
    talk.model.script(script);
    let isThrough = false;
    const dying: PromiseLike<void>[] = [];
    // `npm run test:crashes` kills a whole process at every write.
    const stride = caseCount({ perChange: 4, all: 1 });
    for (let lastWrite = 1; !isThrough; lastWrite += stride) {
      await talk.bot[Symbol.asyncDispose]();
      talk.thread = await talk.rig.people.newThread();
      const doom = new Doom(lastWrite);
      await talk
        .startBot(doom.store(talk.store), doom.adapter(talk.rig.adapter))
        // It may die while it starts.
        .catch((error: unknown) => {
          if (!(error instanceof StoreError)) throw error;
        });
      await talk.say("do all of it");
      isThrough = (await follow(talk, () => doom.isDead)) === "done";
      if (!isThrough) {
        dying.push(talk.bot[Symbol.asyncDispose]().then(undefined, ofTheDead));
        await talk.startBot();
        await follow(talk, () => false).catch(async (error: unknown) => {
          throw new Error(`killed after ${doom.last}: ${(await talk.lines()).join()}`, {
            cause: error,
          });
        });
      }
      const { files } = talk.workspaces.of(talk.thread);
      const todos = (await talk.store.last(talk.thread, "todo"))?.data as { items: unknown[] };
      const seen = {
        effects: files.read("effects"),
        outside: existsSync(files.path("../outside.txt")),
        todos: todos.items.length,
        cards: talk.cards("approval").length,
        answers: talk.texts().filter((text) => text.includes("All of it is done.")).length,
        problems: talk.model.problems,
      };
      expect(seen, `killed after ${doom.last}`).toEqual({
        effects: "once\n",
        outside: true,
        todos: 1,
        cards: 1,
        answers: 1,
        problems: [],
      });
    }
    await Promise.all(dying);
    // The last one has lived through the story, but its end may be its death.
    await talk.bot[Symbol.asyncDispose]().then(undefined, ofTheDead);
    await talk.startBot();
  });

  it("P-D3 during a call to the outside world says that its outcome is unknown, and never repeats it", async () => {
    let starts = 0;
    const launch = single(
      "launch",
      async (_, { signal }) => {
        starts += 1;
        await new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        });
        return { text: "never" };
      },
      { repeat: "unsafe" },
    );
    await using talk = await Talk.start({ tools: [launch] });
    talk.model.script([call("launch", {}), say("I do not know whether it was launched.")]);
    await talk.say("launch it");
    await until(() => starts === 1, "the launch");
    await talk.restart();
    await talk.sees("I do not know whether");
    expect(starts).toBe(1);
    expect(talk.model.requests[1]?.results[0]?.text).toContain("outcome is unknown");
  });

  it("P-D4 takes a command over that still runs in the workspace", async () => {
    await using talk = await Talk.start();
    talk.model.script([
      call("terminal_operations", {
        operation: "run_command",
        command: "echo begun >> effects; sleep 1; echo the end",
      }),
      say("It ended."),
    ]);
    await talk.say("run it");
    const { files } = talk.workspaces.of(talk.thread);
    await until(() => existsSync(files.path("effects")), "the command");
    await talk.restart();
    await talk.sees("It ended.");
    expect(readFileSync(files.path("effects"), "utf8")).toBe("begun\n");
    expect(talk.model.requests[1]?.results[0]?.text).toContain("the end");
  });

  it("1.36 right after somebody said stop ends what it had begun, as soon as it is back", async () => {
    await using talk = await Talk.start();
    talk.model.script([
      call("terminal_operations", {
        operation: "run_command",
        command: "echo $$ > shell; sleep 60",
      }),
    ]);
    await talk.say("take long");
    const { files } = talk.workspaces.of(talk.thread);
    const read = () => (existsSync(files.path("shell")) ? files.read("shell") : "");
    await until(() => read().endsWith("\n"), "the command");
    await talk.bot[Symbol.asyncDispose]();
    const shell = Number(read());
    expect(isAlive(shell)).toBe(true);
    const { seq = 0 } = (await talk.store.read(talk.thread)).at(-1) ?? {};
    const stop = { kind: "stop", data: { turn: "t1", by: "memory:U-1" } };
    await talk.store.append(talk.thread, seq, [stop]);
    await talk.startBot();
    await talk.sees("Stopped.");
    expect(isAlive(shell)).toBe(false);
  });

  it("1.36 and cannot reach the workspace any more says that something may run on", async () => {
    using local = new LocalWorkspaces();
    let isAway = false;
    const workspaces: Workspaces = {
      ...local.port,
      open: (conversation, options) =>
        isAway ? Promise.reject(new Error("no engine")) : local.port.open(conversation, options),
    };
    await using talk = await Talk.start({ workspaces });
    const args = { operation: "run_command", command: "sleep 20" };
    talk.model.script([call("terminal_operations", args)]);
    await talk.say("take long");
    await until(() => local.begun.length === 1, "the command");
    await talk.bot[Symbol.asyncDispose]();
    isAway = true;
    const { seq = 0 } = (await talk.store.read(talk.thread)).at(-1) ?? {};
    const stop = { kind: "stop", data: { turn: "t1", by: "memory:U-1" } };
    await talk.store.append(talk.thread, seq, [stop]);
    await talk.startBot();
    expect(await talk.sees("Stopped.")).toContain("may still be running");
  });

  it("5.12 before it could show what was answered shows it when it is back", async () => {
    await using talk = await Talk.start();
    talk.model.script([
      call("user_collaboration", { prompt: "Which one?\n1. this\n2. that" }),
      say("Taken."),
    ]);
    await talk.say("ask me");
    await talk.sees("Which one?");
    await talk.rests();
    await talk.bot[Symbol.asyncDispose]();
    const adapter = new Proxy(talk.rig.adapter, {
      get: (target, key) => {
        // It dies in the middle of every change of a message.
        if (key === "edit") return () => new Promise(() => undefined);
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const dying = await talk.startBot(talk.store, adapter);
    await talk.press("this");
    await until(async () => (await talk.lines()).includes("question.answered"), "the answer");
    const gone = dying[Symbol.asyncDispose]();
    expect(talk.cards("question")[0]?.buttons).not.toEqual([]);
    await talk.startBot();
    await talk.sees("Taken.");
    await until(() => talk.cards("question")[0]?.buttons.length === 0, "a card without buttons");
    expect(talk.cards("question")).toHaveLength(1);
    expect(talk.cards("question")[0]?.text).toContain("this");
    await gone;
  });

  it("13.7 tells the end of a turn once the platform is back", async () => {
    await using talk = await Talk.start();
    talk.model.script([
      call("terminal_operations", { operation: "run_command", command: talk.held() }),
      say("Here is the end."),
    ]);
    await talk.say("work");
    await until(() => talk.workspaces.begun.length === 1, "the command");
    await talk.rig.people.faults.disconnect();
    await talk.letGo();
    await until(async () => (await talk.lines()).includes("turn.finished"), "the end");
    expect(await talk.lines()).not.toContain("turn.shown");
    await talk.rig.people.faults.reconnect();
    await talk.sees("Here is the end.");
    await talk.rests();
    expect(await talk.lines()).toContain("turn.shown");
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
