import { existsSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import type { Store } from "../../src/contract/store.ts";
import { call, calls, type Reply, say } from "../support/model-server/replies.ts";
import type { SeenRequest } from "../support/model-server/seen.ts";
import { childrenOf, createFile, order, requestsOf, script } from "../support/subagents.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";
import { shareOfWires } from "../support/wires.ts";

const WIRES = shareOfWires(1);

describe.each(WIRES)("a subagent and its thread over %s", (wire) => {
  it("10.11 works beside others, and no more at once than the thread allows", async () => {
    await using talk = await Talk.start({ wire });
    const names = ["a", "b", "c"];
    script(talk, "parent", [calls(names.map((name) => order(name))), say("All done.")]);
    let inside = 0;
    const all = Promise.withResolvers<void>();
    const meet = async (): Promise<Reply> => {
      inside += 1;
      if (inside === names.length) all.resolve();
      await all.promise;
      return say("Met the others.");
    };
    for (const name of names) talk.model.script(meet, { when: `[${name}]` });
    await talk.say("[parent] go");
    // None of them is answered before all of them have asked.
    await talk.sees("All done.");
    expect(requestsOf(talk, "parent")[1]?.results).toHaveLength(3);
  });

  it("10.11 waits for a place where the thread allows fewer", async () => {
    await using talk = await Talk.start({ wire });
    await talk.bot.settings.change(talk.thread, "maxSubagents", "2");
    const names = ["a", "b", "c", "d", "e"];
    script(talk, "parent", [calls(names.map((name) => order(name))), say("All done.")]);
    let inside = 0;
    let most = 0;
    const work = async (): Promise<Reply> => {
      inside += 1;
      most = Math.max(most, inside);
      // The first waits for the second; then one more has time to come, if it may.
      await until(() => most >= 2, "another one");
      await new Promise((resolve) => setTimeout(resolve, 30));
      inside -= 1;
      return say("Did it.");
    };
    for (const name of names) talk.model.script(work, { when: `[${name}]` });
    await talk.say("[parent] go");
    await talk.sees("All done.");
    expect(most).toBe(2);
  });

  it("10.12 shows how far it is on its parent's card, and what it used counts with the parent's", async () => {
    await using talk = await Talk.start({ wire });
    const usage = { input: 1000, output: 10 };
    script(talk, "parent", [call(...order("child"), { usage }), say("All done.", { usage })]);
    const held = Promise.withResolvers<void>();
    talk.model.script(
      async ({ results }: SeenRequest) => {
        if (results.length === 0)
          return call(
            "file_operations",
            { operation: "file_search", query: "*.needle" },
            { usage },
          );
        await held.promise;
        return say("Found nothing.", { usage });
      },
      { when: "[child]" },
    );
    await talk.say("[parent] go");
    await talk.sees(/Running subagent: "?Task child[\s\S]*Step 1 of 15: .*needle/);
    held.resolve();
    await talk.sees("All done.");
    await talk.rests();
    expect(talk.texts().at(-1)).toContain("4,040 tokens");
    await talk.say("cost");
    await talk.sees("4,000 tokens in");
  });

  it("10.12 ends with its parent: its command, its question and its own subagents", async () => {
    await using talk = await Talk.start({ wire });
    const terminal = { enableTerminalAccess: true };
    script(talk, "parent", [
      calls([
        order("busy", terminal),
        order("asking", {}),
        order("delegating", { enableWorkflowMode: true }),
      ]),
      say("Never."),
    ]);
    const command = "echo begun > begun.txt; sleep 600; echo late > late.txt";
    const sleep = call("terminal_operations", { operation: "run_command", command });
    script(talk, "busy", [sleep, say("Never.")]);
    script(talk, "asking", [call("user_collaboration", { prompt: "Which one?" }), say("Never.")]);
    script(talk, "delegating", [call(...order("deep", {})), say("Never.")]);
    talk.model.script(() => new Promise<Reply>(() => undefined), { when: "[deep]" });
    await talk.say("[parent] go");
    await talk.sees("Which one?");
    await until(async () => requestsOf(talk, "deep").length > 0, "the grandchild to ask");
    await until(async () => talk.workspaces.begun.length > 0, "the command to run");
    await talk.say("stop");
    await talk.sees("Stopped by ");
    await talk.rests();
    const children = await childrenOf(talk);
    expect(children).toHaveLength(4);
    for (const child of children) {
      const kinds = (await talk.store.read(child)).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === "turn.finished")).toHaveLength(1);
    }
    expect(talk.cards("question")[0]?.buttons).toEqual([]);
    expect(talk.texts().join("\n")).not.toContain("Never.");
    expect(talk.problems).toEqual([]);
  });

  it("10.12 what it and its own subagents have used is counted also where somebody stops them", async () => {
    await using talk = await Talk.start({ wire });
    const usage = { input: 1000, output: 10 };
    const delegating = call(...order("child", { enableWorkflowMode: true }), { usage });
    script(talk, "parent", [delegating, say("Never.")]);
    script(talk, "child", [call(...order("grandchild"), { usage }), say("Never.")]);
    talk.model.script(
      ({ results }: SeenRequest) =>
        results.length === 0
          ? call("think", { thoughts: "hm" }, { usage })
          : new Promise<Reply>(() => undefined),
      { when: "[grandchild]" },
    );
    await talk.say("[parent] go");
    await until(async () => requestsOf(talk, "grandchild").length === 2, "the second step");
    await talk.say("stop");
    await talk.sees("Stopped by ");
    await talk.rests();
    await talk.say("cost");
    await talk.sees("3,000 tokens in");
  });

  it("5.15 asks in its parent's thread under its own name, and is answered there by words", async () => {
    await using talk = await Talk.start({ wire });
    script(talk, "parent", [call(...order("child")), say("All done.")]);
    script(talk, "child", [
      call("user_collaboration", { prompt: "Which colour?" }),
      say("Then it is blue."),
    ]);
    await talk.say("[parent] go");
    const card = await talk.sees("Subagent: Task child");
    expect(card).toContain("Which colour?");
    // Nobody holds the conversation while a human thinks.
    await until(
      async () => (await talk.store.documents("open-turns").keys()).length === 0,
      "the turn to wait",
    );
    await talk.say("approvals");
    await talk.sees(/Question for .*: Which colour\?/);
    await talk.say("blue");
    await talk.sees("All done.");
    expect(requestsOf(talk, "child")[1]?.results[0]?.text).toContain("blue");
    expect(talk.cards("question")[0]?.buttons).toEqual([]);
  });

  it("10.12 ends with its parent also where both wait for people", async () => {
    await using talk = await Talk.start({ wire });
    script(talk, "parent", [call(...order("child")), say("Never.")]);
    script(talk, "child", [call("user_collaboration", { prompt: "Which colour?" }), say("Never.")]);
    await talk.say("[parent] go");
    await talk.sees("Subagent: Task child");
    await until(
      async () => (await talk.store.documents("open-turns").keys()).length === 0,
      "the turn to wait",
    );
    await talk.say("status");
    await talk.sees("1 at work");
    await talk.say("stop");
    await talk.sees("Stopped by ");
    await talk.rests();
    expect(talk.cards("question")[0]?.buttons).toEqual([]);
    await talk.say("subagents");
    await talk.sees("Task child: stopped");
  });

  it("5.15 goes on with an answer while another one still works", async () => {
    await using talk = await Talk.start({ wire });
    script(talk, "parent", [calls([order("asking"), order("slow")]), say("All done.")]);
    script(talk, "asking", [
      call("user_collaboration", { prompt: "Which colour?" }),
      say("Then it is blue."),
    ]);
    const held = Promise.withResolvers<Reply>();
    talk.model.script(() => held.promise, { when: "[slow]" });
    await talk.say("[parent] go");
    await talk.press("Answer", { typed: "blue" });
    await until(async () => requestsOf(talk, "asking").length === 2, "the answer to be read");
    held.resolve(say("Slow but done."));
    await talk.sees("All done.");
  });

  it("10.2 10.13 has neither its parent's grants nor its auto-approve, unless people say so", async () => {
    await using talk = await Talk.start({
      wire,
      policy: "admins: [members]\nautoApprove: { permitted: true, longest: 1h }\n",
    });
    const { files } = talk.workspaces.of(talk.thread);
    const outside = (name: string) => files.path(`../${name}.txt`);
    await talk.say("auth auto on");
    await talk.sees("Auto-approve is on");
    script(talk, "parent", [
      createFile(outside("first")),
      call(...order("child")),
      say("First done."),
    ]);
    script(talk, "child", [createFile(outside("second")), say("Wrote it.")]);
    await talk.say("[parent] go");
    await talk.sees("Approval needed");
    expect(existsSync(outside("first"))).toBe(true);
    expect(existsSync(outside("second"))).toBe(false);
    await talk.say("yes");
    await talk.sees("First done.");
    expect(existsSync(outside("second"))).toBe(true);
    await talk.bot.settings.change(talk.thread, "subagentsInheritAutoApprove", "on");
    script(talk, "again", [call(...order("heir")), say("Second done.")]);
    script(talk, "heir", [createFile(outside("third")), say("Wrote it.")]);
    await talk.say("[again] go");
    await talk.sees("Second done.");
    expect(existsSync(outside("third"))).toBe(true);
    expect(talk.cards("approval")).toHaveLength(1);
  });

  it("10.2 asks for itself what its parent was allowed for five minutes", async () => {
    await using talk = await Talk.start({ wire });
    const { files } = talk.workspaces.of(talk.thread);
    const outside = (name: string) => files.path(`../${name}.txt`);
    script(talk, "parent", [
      createFile(outside("first")),
      createFile(outside("second")),
      call(...order("child")),
      say("All done."),
    ]);
    script(talk, "child", [createFile(outside("third")), say("Wrote it.")]);
    await talk.say("[parent] go");
    await talk.press("Approve 5 min");
    await until(() => talk.cards("approval").length === 2, "the subagent to ask");
    expect(existsSync(outside("second"))).toBe(true);
    expect(talk.cards("approval")[1]?.text).toContain("subagent: Task child");
    expect(existsSync(outside("third"))).toBe(false);
    await talk.press("Approve once");
    await talk.sees("All done.");
    expect(existsSync(outside("third"))).toBe(true);
  });

  it("P-A3 is no way around another person: whoever stands behind the turn stands behind it", async () => {
    const policy =
      "approvers: [{ who: [members], risks: [standard] }]\nanotherPerson: [standard]\n";
    await using talk = await Talk.start({ wire, policy });
    const { files } = talk.workspaces.of(talk.thread);
    script(talk, "parent", [call(...order("child")), say("All done.")]);
    script(talk, "child", [createFile(files.path("../x.txt")), say("Wrote it.")]);
    await talk.say("[parent] go");
    await talk.press("Approve once");
    await talk.hears("You requested this");
    expect(existsSync(files.path("../x.txt"))).toBe(false);
    await talk.press("Approve once", { by: talk.bob });
    await talk.sees("All done.");
    expect(existsSync(files.path("../x.txt"))).toBe(true);
    const records = await talk.bot.audit.forConversation(talk.thread, { limit: 100 });
    const written = records.filter(
      ({ entry }) => entry.kind === "call" && entry.operation === "file_operations.create_file",
    );
    expect(written.length).toBeGreaterThan(0);
    const [child = ""] = await childrenOf(talk);
    for (const { entry } of written) {
      expect(entry.details?.subagent).toBe(child.split(":").at(-1));
    }
    await talk.say("audit");
    await talk.sees(`(subagent ${child.split(":").at(-1)})`);
  });

  it("survives the bot: what waits is answered afterwards, and nothing is done twice", async () => {
    await using talk = await Talk.start({ wire });
    const { files } = talk.workspaces.of(talk.thread);
    script(talk, "parent", [calls([order("asking"), order("plain")]), say("All done.")]);
    script(talk, "asking", [createFile(files.path("../x.txt")), say("Wrote it.")]);
    script(talk, "plain", [say("Plain.")]);
    await talk.say("[parent] go");
    await talk.sees("Approval needed");
    await talk.restart();
    await talk.press("Approve once");
    await talk.sees("All done.");
    expect(existsSync(files.path("../x.txt"))).toBe(true);
    expect(talk.cards("approval")).toHaveLength(1);
    expect(requestsOf(talk, "plain")).toHaveLength(1);
    expect(requestsOf(talk, "asking")).toHaveLength(2);
    expect(talk.problems).toEqual([]);
  });

  it("10.12 is taken up once by a bot that had lost the conversation, and then waits for people without being held", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      await using talk = await Talk.start({ wire });
      await talk.bot[Symbol.asyncDispose]();
      let isLost = false;
      await talk.startBot(withLeases(talk.store, () => isLost));
      script(talk, "parent", [call(...order("child")), say("All done.")]);
      const begun = Promise.withResolvers<void>();
      const ask = call("user_collaboration", { prompt: "Which colour?" });
      talk.model.script(
        ({ results }) => {
          if (results.length > 0) return say("Then it is blue.");
          if (isLost) return ask;
          begun.resolve();
          return new Promise<Reply>(() => undefined);
        },
        { when: "[child]" },
      );
      await talk.say("[parent] go");
      await begun.promise;
      isLost = true;
      vi.advanceTimersByTime(RENEWED_MS);
      const held = () => talk.store.documents("open-turns").keys();
      await until(async () => {
        vi.advanceTimersByTime(RENEWED_MS / 4);
        return talk.cards("question").length === 1;
      }, "the subagent to be taken up");
      await until(async () => (await held()).length === 0, "the turn to wait");
      await talk.say("blue");
      await talk.sees("All done.");
      expect(await childrenOf(talk)).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });
});

/** After which a lease is renewed at the latest. */
const RENEWED_MS = 10_000;

/** Of which the first that is to be renewed, once `isLost` says so, is lost. */
function withLeases(store: Store, isLost: () => boolean): Store {
  const lost = new Set<string>();
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name !== "lease") return value.bind(target);
      return async (...given: Parameters<Store["lease"]>) => {
        const lease = await target.lease(...given);
        const [conversation] = given;
        return (
          lease && {
            fence: lease.fence,
            release: () => lease.release(),
            renew: async (ttlMs: number) => {
              if (!isLost() || lost.has(conversation)) return await lease.renew(ttlMs);
              lost.add(conversation);
              return false;
            },
          }
        );
      };
    },
  });
}
